import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node } from 'web-tree-sitter';
import { chunkText } from '../../../core/engine/chunking.ts';
import { findLanguage, type Language } from '../../../plugins/chunkers/code/languages.ts';
import { createParsers } from '../../../plugins/chunkers/code/parsers.ts';
import { createSyntax } from '../../../plugins/chunkers/code/syntax.ts';
import { composeQuietly } from '../../support/service.ts';
import { median, race } from '../race/race.ts';
import { number, printTable, printTitle } from '../race/report.ts';

const MOST_BYTES = 20_000_000;
const ROUNDS = 3;
const OPTIONS = { chunk_size: 1500, include_nodes: false, oversize: 'keep' };
const ROOT = join(import.meta.dirname, '../../..');

interface SourceFile {
  readonly language: Language;
  readonly text: string;
}

const parsers = await createParsers();
const { host, registry } = await composeQuietly();
const ready = {
  manifest: registry.require('chunker', 'code').manifest,
  chunker: await host.get('chunker', 'code'),
};
const tokenizer = await (await host.get('tokenizer', 'character')).open('character');
const signal = new AbortController().signal;
const tools = { tokenizer: tokenizer as NonNullable<typeof tokenizer>, report() {}, signal };

printTitle('Chunking real code, against the bare parse of the same files');
for (const [title, files] of Object.entries({
  "JavaScript and TypeScript of this project's packages": collect('node_modules/**/*.{js,d.ts}', ROOT),
  "Python's standard library": collect('python3.*/**/*.py', '/usr/lib'),
})) {
  if (files.length === 0) continue;
  const size = files.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);
  const results = await race(
    [
      { name: 'chunking', isOurs: true, run: () => each(files, chunk) },
      { name: 'bare parse', run: () => each(files, parse) },
    ],
    { rounds: ROUNDS, warmUps: 1, budget: 120_000 },
  );
  printTable(
    `${title}: ${files.length} files, ${number(size / 1e6)} MB`,
    ['', 'ms', 'MB/s'],
    results.map(({ name, times }) => [name, number(median(times)), number(size / 1000 / median(times))]),
  );
  const [ours, bare] = results.map(({ times }) => median(times)) as [number, number];
  console.log(`  chunking has ${number((100 * bare) / ours)}% of the speed of the bare parse`);
  const { units, broken, lost } = await inspect(files);
  console.log(`  ${units} units, ${broken} broken; ${lost} files not rebuilt\n`);
}

function collect(pattern: string, folder: string): SourceFile[] {
  const files: SourceFile[] = [];
  let size = 0;
  for (const name of globSync(pattern, { cwd: folder }).sort()) {
    const language = findLanguage(name.endsWith('.d.ts') ? 'ts' : (name.split('.').at(-1) as string));
    const text = read(join(folder, name));
    if (language === undefined || text === undefined) continue;
    size += text.length;
    if (size > MOST_BYTES) break;
    files.push({ language, text });
  }
  return files;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

async function each(
  files: readonly SourceFile[],
  work: (file: SourceFile) => Promise<unknown>,
): Promise<void> {
  for (const file of files) await work(file);
}

function parse({ language, text }: SourceFile): Promise<unknown> {
  return parsers.parse(language, text, { budget: 600_000, signal }, () => undefined);
}

function chunk({ language, text }: SourceFile) {
  return chunkText(ready, text, { ...OPTIONS, language: language.name }, tools);
}

/** Counts the outermost functions and classes of the files, and those that a chunk's boundary splits. */
async function inspect(files: readonly SourceFile[]) {
  const count = { units: 0, broken: 0, lost: 0 };
  for (const file of files) {
    const spans = await chunk(file);
    const edges = new Set(spans.map(({ start }) => start));
    const isWhole =
      file.text.trim() === '' || (spans[0]?.start === 0 && spans.at(-1)?.end === file.text.length);
    if (!isWhole) count.lost++;
    const sorted = [...edges].sort((a, b) => a - b);
    await parsers.parse(file.language, file.text, { budget: 600_000, signal }, (tree) => {
      const syntax = createSyntax(file.language, file.text);
      for (const unit of tree === null ? [] : outermost(tree.rootNode, syntax.unitOf)) {
        count.units++;
        if (hasBetween(sorted, unit.startIndex, unit.endIndex)) count.broken++;
      }
    });
  }
  return count;
}

function outermost(node: Node, unitOf: (node: Node) => Node | undefined): Node[] {
  return node.namedChildren.flatMap((child) => {
    if (child === null) return [];
    return unitOf(child) === undefined ? outermost(child, unitOf) : [child];
  });
}

/** Whether a sorted list has a number strictly between two others. */
function hasBetween(rising: readonly number[], start: number, end: number): boolean {
  let low = 0;
  let high = rising.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rising[middle] as number) <= start) low = middle + 1;
    else high = middle;
  }
  return (rising[low] ?? Number.POSITIVE_INFINITY) < end;
}
