import { globSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { env } from 'node:process';
import t, { type Test } from 'tap';
import type { Node, Tree } from 'web-tree-sitter';
import { findLanguage, LANGUAGES, type Language } from '../../../../plugins/chunkers/code/languages.ts';
import { lineStart } from '../../../../plugins/chunkers/code/lines.ts';
import { createParsers } from '../../../../plugins/chunkers/code/parsers.ts';
import { isLead, isTail, type Syntax, unitOf } from '../../../../plugins/chunkers/code/syntax.ts';
import { chunk, joined, sampleOf } from './support/ask.ts';

/** With `oversize: members` classes are cut between their members, and functions stay whole up to a bound. */

const ROOT = join(import.meta.dirname, '../../../..');
const parsers = await createParsers();
const limits = { budget: 10_000_000, signal: new AbortController().signal };

interface Unit {
  readonly type: string;
  readonly isFunction: boolean;
  /** Whether it is a definition with its body. */
  readonly isOne: boolean;
  /** Whether it is within a line of an expression, as callbacks are. */
  readonly isInline: boolean;
  /** Without and with the comments, decorators and wrappers around it. */
  readonly own: Range;
  readonly whole: Range;
  /** The functions around it. */
  readonly outer: readonly Range[];
}

interface Range {
  readonly start: number;
  readonly end: number;
}

/** Functions that have a word in their names like classes. */
const WORDED_FUNCTIONS = ['macro_definition', 'test_declaration'];

function unitsIn(language: Language, text: string): Promise<Unit[]> {
  const syntax: Syntax = { ...language, text };
  const units: Unit[] = [];
  const visit = (node: Node, outer: readonly Range[]): void => {
    const isUnit = unitOf(syntax, node)?.id === node.id && unitOf(syntax, node) !== undefined;
    const key = language.worded.includes(node.type)
      ? `${node.type}:${node.firstNamedChild?.text}`
      : node.type;
    const isFunction = isUnit && (language.units[key] === '' || WORDED_FUNCTIONS.includes(node.type));
    const own = { start: node.startIndex, end: node.endIndex };
    const isOne = !isPart(language, node);
    if (isUnit)
      units.push({
        type: node.type,
        isFunction,
        isOne,
        isInline: isInline(syntax, node),
        own,
        whole: wholeOf(syntax, node),
        outer,
      });
    const inner = isFunction ? [...outer, own] : outer;
    for (const child of node.namedChildren) if (child !== null) visit(child, inner);
  };
  return parsers.parse(language, text, limits, (tree) => {
    visit((tree as Tree).rootNode, []);
    return units;
  });
}

function isInline(syntax: Syntax, unit: Node): boolean {
  const { parent } = unit;
  return (parent === null || unitOf(syntax, parent)?.id !== unit.id) && isWithinLine(syntax, unit);
}

function isWithinLine({ text }: Syntax, { startIndex }: Node): boolean {
  return lineStart(text, startIndex) === undefined;
}

/** Types in Haskell are functions, too; in Dart a signature may be in another, and a body belongs to none. */
function isPart({ name }: Language, node: Node): boolean {
  if (name === 'haskell') return node.type === 'function' && !/[=|]/.test(node.text);
  if (name !== 'dart') return false;
  for (let outer = node.parent; outer !== null; outer = outer.parent)
    if (['method_signature', 'function_body'].includes(outer.type)) return true;
  return false;
}

/** A unit with what belongs to it, what else is on its first and last lines, and the white space around. */
function wholeOf(syntax: Syntax, unit: Node): Range {
  let first = unit;
  for (let outer = first.parent; outer !== null; outer = outer.parent) {
    if (outer.startPosition.row !== first.startPosition.row && unitOf(syntax, outer)?.id !== unit.id) break;
    first = outer;
  }
  let before = first.previousNamedSibling;
  while (before !== null && isLead(syntax, before)) before = before.previousNamedSibling;
  const start = before?.endIndex ?? first.parent?.startIndex ?? 0;
  for (let next = after(unit); next !== null; next = after(next)) {
    if (!isTail(syntax, next) && !isWithinLine(syntax, next)) return { start, end: next.startIndex };
  }
  return { start, end: syntax.text.length };
}

/** The next node that is not within a node. */
function after(node: Node): Node | null {
  return node.nextNamedSibling ?? (node.parent === null ? null : after(node.parent));
}

interface Seen {
  /** Functions within lines that are cut although they are small: their line is above the limit. */
  inline: number;
  /** Functions above the limit that stayed whole, and above the bound. */
  kept: number;
  above: number;
  /** Classes above the limit. */
  classes: number;
}

/** Throws nothing: every promise is a check. Offsets of chunks and nodes are UTF-16 units. */
async function checkMembers(
  t: Test,
  language: Language,
  text: string,
  size: number,
  seen: Seen,
): Promise<void> {
  const given = { language: language.name, chunk_size: size, oversize: 'members', offset_unit: 'utf16' };
  const chunks = await chunk(text, given);
  const place = `${language.name}, ${size}`;
  const isWhole = ({ start, end }: Range) =>
    chunks.some(({ start_index, end_index }) => start_index <= start && end <= end_index);
  if (joined(chunks) !== text) t.fail(`${place}: something is lost`);
  const units = await unitsIn(language, text);
  for (const { start_index, end_index, token_count } of chunks) {
    if (token_count <= size) continue;
    const isFunction = units.some(
      ({ isFunction, own }) => isFunction && start_index <= own.start && own.start < end_index,
    );
    if (token_count > 4 * size || !isFunction)
      t.fail(`${place}: ${token_count} tokens in ${start_index}-${end_index}`);
  }
  for (const { type, isFunction, isInline, own, whole, outer } of units.filter(({ isOne }) => isOne)) {
    const where = `${place}: ${type} at ${own.start}: ${JSON.stringify(text.slice(own.start, own.start + 60))}`;
    const length = lengthOf(text, whole);
    if (isFunction && lengthOf(text, own) > 4 * size) seen.above++;
    if (isFunction && length <= 4 * size) {
      if (length > size) seen.kept++;
      if (!isWhole(own) && isInline) seen.inline++;
      else if (!isWhole(own)) t.fail(`${where} is cut, and has ${length}`);
    }
    if (isFunction || lengthOf(text, own) <= size || outer.some(isWhole)) continue;
    seen.classes++;
    if (isWhole(own)) t.fail(`${where} is not cut`);
  }
}

const lengthOf = (text: string, { start, end }: Range) => Array.from(text.slice(start, end)).length;

/** Languages of data and pages have neither functions nor classes; the grammars of some have no classes. */
const WITHOUT_UNITS = ['css', 'html', 'json', 'markdown', 'sql', 'toml', 'yaml'];
const WITHOUT_CLASSES = [...WITHOUT_UNITS, 'bash', 'elixir', 'lua', 'perl', 'r'];

for (const language of LANGUAGES) {
  t.test(`${language.name}: classes are cut, and functions are whole up to the bound`, async (t) => {
    const seen: Seen = { inline: 0, kept: 0, above: 0, classes: 0 };
    for (const folder of ['samples', 'constructs'])
      for (const size of [8, 20, 40, 100])
        await checkMembers(t, language, sampleOf(language.name, folder), size, seen);
    t.equal(seen.inline, 0, 'nor are those within lines');
    t.equal(seen.kept > 0 && seen.above > 0, !WITHOUT_UNITS.includes(language.name), JSON.stringify(seen));
    t.equal(seen.classes > 0, !WITHOUT_CLASSES.includes(language.name), JSON.stringify(seen));
  });
}

t.test('separate functions share no chunk', async (t) => {
  const method = '    def run(self):\n        pass\n';
  const expected = [
    'import os\n\n\n',
    '# About it.\ndef a(): pass\n\n',
    '@x\ndef b(): pass\n',
    `c()\nclass C:\n${method}\n`,
    `class D:\n    x = ${'1'.repeat(50)}\n`,
    `${method}\n`,
    'd()\n',
  ];
  const separate = { chunk_size: 80, oversize: 'members', separate_functions: true };
  const chunks = await chunk(expected.join(''), separate);
  t.same(
    chunks.map(({ text }) => text),
    expected,
  );
  for (const { name, units } of LANGUAGES) {
    for (const chunk_size of [20, 100, 1000]) {
      const options = { ...separate, language: name, chunk_size, include_nodes: true };
      const text = sampleOf(name);
      const chunks = await chunk(text, options);
      t.equal(joined(chunks), text, name);
      // A word such as `public:` opens the functions below it.
      const isOpening = ({ type }: { type: string }) => type === 'access_specifier';
      for (const { nodes: all = [] } of chunks) {
        const nodes = all.filter((node) => !isOpening(node));
        if (nodes.length > 1 && nodes.some(({ type, scope }) => units[type] === '' && !isInWhole(scope)))
          t.fail(`${name}, ${chunk_size}: ${JSON.stringify(nodes)} are in one chunk`);
      }
    }
  }
});

/** Whether a namespace or the like is around a node: where that fits, it is one piece with the functions in it. */
const isInWhole = (scope: readonly string[] = []) =>
  /^(?:namespace|mod|module|extern|package)\b/.test(scope.at(-1) ?? '');

/** Real files: those of this repository, and of the folder that `CODE_FOLDER` names. */
t.test('real files', async (t) => {
  const folders = [join(ROOT, 'core'), join(ROOT, 'plugins'), join(ROOT, 'server'), env.CODE_FOLDER ?? ''];
  const files = folders
    .filter((folder) => folder !== '')
    .flatMap((cwd) =>
      globSync('**/*.{ts,py}', { cwd, exclude: ['**/node_modules'] }).map((file) => join(cwd, file)),
    )
    .filter((_, index) => env.CODE_FOLDER !== undefined || index % 4 === 0);
  const seen: Seen = { inline: 0, kept: 0, above: 0, classes: 0 };
  for (const file of files) {
    const language = findLanguage(extname(file).slice(1)) as Language;
    const text = readFileSync(file, 'utf8');
    if (text.trim() === '' || text.length > 200_000) continue;
    for (const size of [100, 600]) await checkMembers(t, language, text, size, seen);
  }
  const says = `${files.length} files: ${JSON.stringify(seen)}`;
  t.ok(files.length > 150 && seen.kept > 150 && seen.classes > 10, says);
  t.ok(seen.inline <= seen.kept / 100, says);
  if (env.CODE_FOLDER !== undefined) console.log(says);
});
