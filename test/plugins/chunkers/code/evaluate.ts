import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type GivenStep, jsonOf, openService } from '../../../support/service.ts';
import type { Cleanup } from '../../../support/server.ts';
import { printTable, printTitle } from '../../../bench/race/report.ts';
import { meanOf, withInterval } from '../../../eval/retrieval/rows.ts';
import { type CodeSet, LANGUAGES, readCodeSet } from './retrieval/functions.ts';
import { type Chunk, type Found, RETRIEVERS, search } from './retrieval/search.ts';
import { splitThenMerge } from './retrieval/split-then-merge.ts';

/** Tokens of a chunk, and those that a question finds. */
const SIZE = 300;
const BUDGET = 1500;
const COUNTED = { tokenizer: 'cl100k_base', chunk_size: SIZE, offset_unit: 'utf16' } as const;
const MODEL = 'vendor/potion-retrieval-32M';
const RECIPES: Readonly<Record<string, string>> = { python: 'python', typescript: 'js' };

/** A way to chunk. */
interface Candidate {
  readonly name: string;
  readonly isPeer: boolean;
  chunk(set: CodeSet): Promise<Chunk[]>;
}

/**
 * `npm run eval -- code FOLDER`: how well the functions of the code in a folder are found by what documents them, which is
 * taken out of the text. The folder has a folder for each language, with checkouts.
 */
export async function evaluateCode(folder: string): Promise<void> {
  const ends: (() => unknown)[] = [];
  const t: Cleanup = { teardown: (end) => void ends.unshift(end) };
  try {
    const { execute, openers } = await openService(t, { maxDocuments: 1e9, maxBodyBytes: 1e9 });
    const { value: model } = await openers.model(MODEL);
    const tools = { model, tokenizer: await openers.tokenizer(COUNTED.tokenizer), budget: BUDGET };
    const only = process.env.ONLY?.split(',');
    for (const language of LANGUAGES.filter((one) => existsSync(join(folder, one)) && (only?.includes(one)??true))) {
      const set = await readCodeSet(join(folder, language), language);
      const characters = set.documents.reduce((sum, { text }) => sum + text.length, 0);
      const what = `${set.documents.length} files, ${(characters / 1e6).toFixed(1)} MB, ${set.questions.length} questions`;
      printTitle(`${language}: ${what}`);
      const found = new Map<Candidate, Found>();
      const candidates = [...ownCandidates(execute), ...(await peersFor(language, tools.tokenizer))];
      for (const one of candidates) {
        const chunks = await one.chunk(set);
        found.set(one, await search(set, chunks, tools));
      }
      printTable(
        `Recall within ${BUDGET} tokens in percent, chunks of ${SIZE}`,
        ['', ...RETRIEVERS, 'whole functions', 'chunks', 'tokens'],
        [...found].map(([{ name }, one]) => [name, ...figuresOf(one)]),
      );
    }
  } finally {
    for (const end of ends) await end();
  }
}

const percent = (values: readonly number[]) => (100 * meanOf(values)).toFixed(1);
const isWhole = (recall: number) => Number(recall > 0.99);

function figuresOf({ recalls, chunks, tokens }: Found): string[] {
  const means = RETRIEVERS.map((name) => percent(recalls[name]));
  return [...means, percent(recalls.hybrid.map(isWhole)), `${chunks}`, tokens.toFixed(0)];
}

type Execute = Awaited<ReturnType<typeof openService>>['execute'];

/** Ours: each alone, and with what the preset `code` has in front, or the path. */
function ownCandidates(execute: Execute): Candidate[] {
  const path = { type: 'refine', refinery: 'context', config: { template: '{filename}' } } as const;
  const names = { ...path, config: { template: '{filename}\n{scope}\n{names}' } };
  const ours = (name: string, stepsFor: (set: CodeSet) => GivenStep[], isPeer = false): Candidate => ({
    name,
    isPeer,
    async chunk(set) {
      const lists = jsonOf<Given[][]>(await execute(stepsFor(set), { documents: set.documents }));
      return lists.flatMap((own, document) => own.map((chunk) => chunkIn(chunk, document)));
    },
  });
  const code = (oversize: string) => ({ language }: CodeSet): GivenStep => ({
    type: 'chunk',
    chunker: 'code',
    config: { ...COUNTED, language, oversize, include_nodes: true },
  });
  const lines = { delimiters: ['\n'], min_characters_per_chunk: 1 };
  const recursive = (config: object): GivenStep => ({
    type: 'chunk',
    chunker: 'recursive',
    config: { ...COUNTED, ...config },
  });
  const recipe = ({ language }: CodeSet) => recursive({ recipe: RECIPES[language] ?? 'default' });
  return [
    ...['keep', 'members', 'split'].flatMap((oversize) => {
      const step = code(oversize);
      return [
        ours(`code ${oversize}`, (set) => [step(set)]),
        ours(`code ${oversize}, path`, (set) => [step(set), path]),
        ours(`code ${oversize}, names`, (set) => [step(set), names]),
      ];
    }),
    ours('recursive', (set) => [recipe(set)]),
    ours('recursive, path', (set) => [recipe(set), path]),
    ours('lines', () => [recursive(lines)]),
    ours('lines, path', () => [recursive(lines), path]),
  ];
}

interface Given {
  readonly start_index: number;
  readonly end_index: number;
  readonly context?: string | null;
}

function chunkIn({ start_index: start, end_index: end, context }: Given, document: number): Chunk {
  return { document, start, end, context };
}

async function peersFor(language: string, tokenizer: Parameters<typeof search>[2]['tokenizer']): Promise<Candidate[]> {
  const cast = async (set: CodeSet, front: 'path' | undefined) => {
    const lists: Chunk[][] = [];
    const sample = set.documents.map(({ text }) => text).join('').slice(0,1000000);
    const most = Math.round((SIZE * sample.replace(/\s/g, '').length) / tokenizer.tokenize(sample).count(0, sample.length));
    for (const [document, { text, filename }] of set.documents.entries()) {
      const ranges = await splitThenMerge(language, text, most);
      lists.push(ranges.map(({ names, ...range }) => ({ ...range, document, ...(front && { context: `${filename}\n${names}` }) })));
    }
    return lists.flat();
  };
  const { langchainCode } = await import(join(import.meta.dirname, '../../../bench/structure/code-peers.ts'));
  const splitText = langchainCode(language, SIZE);
  const langchain = async (set: CodeSet, front: 'path' | undefined) => {
    const chunks: Chunk[] = [];
    for (const [document, { text, filename }] of set.documents.entries()) {
      let at = 0;
      for (const one of await splitText(text)) {
        const start = text.indexOf(one, at);
        if (start === -1) throw new Error(`not found: ${one}`);
        at = start + one.length;
        chunks.push({ document, start, end: at, ...(front && { context: filename }) });
      }
    }
    return chunks;
  };
  return [
    { name: 'split then merge', isPeer: true, chunk: (set) => cast(set, undefined) },
    { name: 'split then merge, path and names', isPeer: true, chunk: (set) => cast(set, 'path') },
    { name: 'LangChain', isPeer: true, chunk: (set) => langchain(set, undefined) },
    { name: 'LangChain, path', isPeer: true, chunk: (set) => langchain(set, 'path') },
  ];
}
