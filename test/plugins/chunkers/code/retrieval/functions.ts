import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Node, Tree } from 'web-tree-sitter';
import { findLanguage, type Language } from '../../../../../plugins/chunkers/code/languages.ts';
import { lineStart } from '../../../../../plugins/chunkers/code/lines.ts';
import { nameOf } from '../../../../../plugins/chunkers/code/naming.ts';
import { createParsers } from '../../../../../plugins/chunkers/code/parsers.ts';
import {
  type Syntax as AnySyntax,
  holdsMembers,
  isLead,
  unitOf,
} from '../../../../../plugins/chunkers/code/syntax.ts';
import { createRandom } from '../../../../support/random.ts';

type Syntax = AnySyntax & Language;

/** A stretch of a text, in UTF-16 code units. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** Files of a language, and questions that one function of them answers. */
export interface CodeSet {
  readonly name: string;
  readonly language: string;
  readonly documents: readonly { readonly filename: string; readonly text: string }[];
  readonly questions: readonly Question[];
}

export interface Question extends Range {
  readonly question: string;
  /** The index of its document. */
  readonly document: number;
}

const EXTENSIONS = { python: 'py', typescript: 'ts', go: 'go', java: 'java', rust: 'rs' } as const;

/** The repositories of a language that are one set: those that were looked at while the chunker was made, or others. */
export interface Source {
  readonly name: string;
  readonly language: keyof typeof EXTENSIONS;
  readonly folders: readonly string[];
}

/** The rows of `repositories.tsv`; the repository `owner/name` is in the folder `owner+name`. */
export function readSources(): Source[] {
  const [, ...lines] = readFileSync(join(import.meta.dirname, 'repositories.tsv'), 'utf8')
    .trim()
    .split('\n');
  const rows = lines.map((line) => line.split('\t') as [string, Source['language'], string]);
  const groups = Map.groupBy(rows, ([name, language]) => `${name} ${language}`);
  return [...groups.values()].map((own) => {
    const [[name, language]] = own as [(typeof rows)[0]];
    return { name, language, folders: own.map(([, , repository]) => repository.replace('/', '+')) };
  });
}

/** The files of a language, sorted. */
export function pathsIn(folder: string, language: Source['language'], folders: readonly string[]): string[] {
  return folders
    .flatMap((one) => {
      const own = globSync(`**/*.${EXTENSIONS[language]}`, { cwd: join(folder, one) });
      if (own.length === 0) throw new Error(`There are no ${language} files in ${join(folder, one)}.`);
      return own.map((path) => `${one}/${path}`);
    })
    .sort();
}

export function textOf(folder: string, filename: string): string {
  return readFileSync(join(folder, filename), 'utf8').replace(/^\ufeff/, '');
}
/** Tests, examples, documentation, and what a program has written. */
const OTHER =
  /(?:^|[\W_])(?:tests?|spec|specs|examples?|samples?|docs?|docs_src|benches|benchmarks?|mocks?|vendor|generated|node_modules)(?:[\W_]|$)|\.pb\.go$|\.d\.ts$|Tests?\.java$/i;

/** Files that are taken at least, and questions that are asked at most. */
const FILES = 150;
const QUESTIONS = 500;
/** Characters of a file that is taken. */
const MAX_FILE_LENGTH = 60_000;

const parsers = await createParsers();
const limits = { budget: 10_000_000, signal: AbortSignal.any([]) };

/** Passes the tree of a text to a function. */
export function withTree<T>(name: string, text: string, use: (root: Node, syntax: Syntax) => T): Promise<T> {
  const language = findLanguage(name) as Language;
  return parsers.parse(language, text, limits, (tree) => use((tree as Tree).rootNode, { ...language, text }));
}

/**
 * Draws files of a language, and asks for their functions by what documents them, which is taken out of the text. Only
 * functions are asked for whose name and documentation no other function of these files has.
 *
 * @param isBare whether the documentation of the functions that are not asked for is taken out as well
 */
export async function readCodeSet(folder: string, source: Source, isBare = false): Promise<CodeSet> {
  const { name, language, folders } = source;
  const paths = pathsIn(folder, language, folders).filter((one) => !OTHER.test(one));
  const random = createRandom(1);
  const files: { filename: string; text: string; functions: readonly Found[] }[] = [];
  let asked: (Documented & { file: number })[] = [];
  for (const filename of shuffled(paths, random)) {
    if (files.length >= FILES && asked.length >= QUESTIONS) break;
    const text = textOf(folder, filename);
    if (text.length > MAX_FILE_LENGTH) continue;
    const functions = await withTree(language, text, (root, syntax) => [...functionsIn(root, syntax)]);
    if (files.length >= FILES && !functions.some(({ documented }) => documented !== undefined)) continue;
    files.push({ filename, text, functions });
    if (files.length >= FILES || files.length % 10 === 0)
      asked = distinctIn(files.map((one) => one.functions));
  }
  asked = shuffled(distinctIn(files.map((one) => one.functions)), random).slice(0, QUESTIONS);
  const byFile = Map.groupBy(asked, ({ file }) => file);
  const taken = files.map(({ functions }, file) =>
    (isBare ? functions : (byFile.get(file) ?? [])).flatMap(({ doc }) => doc ?? []),
  );
  const documents = files.map(({ filename, text }, file) => {
    return { filename, text: without(text, taken[file] as Range[]) };
  });
  const questions = asked.map(({ file, question, start, end }) => {
    const before = (at: number) =>
      (taken[file] as Range[]).reduce((sum, doc) => sum + (doc.end <= at ? doc.end - doc.start : 0), 0);
    return { question, document: file, start: start - before(start), end: end - before(end) };
  });
  return { name, language, documents, questions };
}

function shuffled<T>(all: readonly T[], random: () => number): T[] {
  const keyed = all.map((one) => ({ one, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ one }) => one);
}

function without(text: string, taken: readonly Range[]): string {
  let rest = '';
  let at = 0;
  for (const { start, end } of taken.toSorted((a, b) => a.start - b.start)) {
    rest += text.slice(at, start);
    at = end;
  }
  return rest + text.slice(at);
}

interface Found extends Range {
  readonly name: string;
  /** The lines of its documentation. */
  readonly doc?: Range | undefined;
  /** If its documentation can be a question. */
  readonly documented?: Documented;
}

interface Documented extends Found {
  readonly question: string;
}

function distinctIn(files: readonly (readonly Found[])[]): (Documented & { file: number })[] {
  const names = Map.groupBy(files.flat(), ({ name }) => name);
  const documented = files.flatMap((own, file) =>
    own.flatMap((one) => (one.documented === undefined ? [] : [{ ...one.documented, file }])),
  );
  const questions = Map.groupBy(documented, ({ question }) => question);
  return documented.filter(
    ({ name, question }) => names.get(name)?.length === 1 && questions.get(question)?.length === 1,
  );
}

/** The functions of a text, without those within functions. */
function* functionsIn(node: Node, syntax: Syntax): Generator<Found> {
  for (const child of node.namedChildren) {
    if (child === null) continue;
    const unit = unitOf(syntax, child) as Node | undefined;
    if (unit === undefined || holdsMembers(syntax, unit)) yield* functionsIn(child, syntax);
    else yield foundAt(child, unit, syntax);
  }
}

/** Characters of a function that is asked for; the most are about 1,200 tokens. */
const ANSWER = { least: 100, most: 5000 };
const MIN_LINES = 3;

function foundAt(node: Node, unit: Node, syntax: Syntax): Found {
  const { startIndex: start, endIndex: end } = node;
  const name = nameOf(syntax, node) ?? '';
  const doc = (syntax.name === 'python' ? docstringOf : commentOf)(node, unit, syntax);
  const found = { start, end, name, doc };
  if (doc === undefined || name === '') return found;
  const question = questionIn(syntax.text.slice(doc.start, doc.end), name);
  const code = without(syntax.text.slice(start, end), doc.start < start ? [] : [moved(doc, -start)]);
  const isUsable =
    question !== undefined &&
    code.length >= ANSWER.least &&
    code.length <= ANSWER.most &&
    code.split('\n').length >= MIN_LINES;
  return isUsable ? { ...found, documented: { ...found, question } } : found;
}

function moved({ start, end }: Range, by: number): Range {
  return { start: start + by, end: end + by };
}

/** The lines of a docstring, and the blank ones after it. */
function docstringOf(_: Node, unit: Node, { text }: Syntax): Range | undefined {
  const [first, second] = unit.childForFieldName('body')?.namedChildren ?? [];
  if (first?.type !== 'expression_statement' || first.firstNamedChild?.type !== 'string' || !second)
    return undefined;
  const start = lineStart(text, first.startIndex);
  const [rest] = /^[^\S\n]*\n(?:[^\S\n]*\n)*/.exec(text.slice(first.endIndex)) ?? [];
  return start === undefined || rest === undefined ? undefined : { start, end: first.endIndex + rest.length };
}

/** The lines of the comment above a function and its attributes. */
function commentOf(node: Node, _: Node, syntax: Syntax): Range | undefined {
  const comments: Node[] = [];
  let row = node.startPosition.row;
  for (let one = node.previousSibling; one !== null && isLead(syntax, one); one = one.previousSibling) {
    const { endIndex } = one;
    const isNext = row - one.endPosition.row <= (syntax.text[endIndex - 1] === '\n' ? 0 : 1);
    if (!isNext) break;
    if (/comment/.test(one.type)) comments.unshift(one);
    else if (comments.length > 0) break;
    row = one.startPosition.row;
  }
  const first = comments[0];
  const last = comments.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const start = lineStart(syntax.text, first.startIndex);
  const ends = syntax.text.indexOf('\n', last.endIndex - 1) + 1;
  const mark = { go: '//', rust: '///' }[syntax.name as string] ?? '/**';
  const isDoc = comments.every(({ startIndex }) => syntax.text.startsWith(mark, startIndex));
  return start === undefined || ends <= last.startIndex || !isDoc ? undefined : { start, end: ends };
}

/** Characters and words of a question. */
const QUESTION = { least: 25, most: 300, words: 4 };
const NO_QUESTION = /^(?:deprecated|todo|see\b|note\b|[#=])|copyright|inheritdoc|go:|nolint/i;

/** The first paragraph of documentation, in plain text and without the name of its function at its start. */
function questionIn(doc: string, name: string): string | undefined {
  const lines = doc
    .trim()
    .replace(/^[rRuUbB]*("""|'''|"|')([\s\S]*?)\1$/, '$2')
    .replace(/\*+\/$/, '')
    .split('\n')
    .map((line) => line.replace(/^\s*(?:\/\*\*+|\/\/[/!]?|\*)?\s?/, '').trim());
  // Documentation that has its parts tagged.
  const tagged = lines.findIndex((line) => /^@(?:summary|description)\b/.test(line));
  const own = lines
    .slice(Math.max(0, tagged))
    .map((line) => line.replace(/^@(?:summary|description)\s*/, ''));
  const begin = own.findIndex((line) => line !== '');
  const paragraph = own.slice(begin);
  const end = paragraph.findIndex((line) => line === '' || /^(?:@|<p>|:param|---)/.test(line));
  const plain = paragraph
    .slice(0, end === -1 ? undefined : end)
    .join(' ')
    .replace(/\{@\w+\s+([^}]*)\}/g, '$1')
    .replace(/!?\[([^\][]*)\](?:\([^()]*\))?/g, '$1')
    .replace(/<\/?\w+>|:\w+:(?=`)|[`*]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const unnamed = plain.startsWith(`${name} `) ? plain.slice(name.length + 1) : plain;
  const question =
    unnamed.length <= QUESTION.most ? unnamed : unnamed.slice(0, QUESTION.most).replace(/\s\S*$/, '');
  const isOne = question.length >= QUESTION.least && question.split(' ').length >= QUESTION.words;
  return isOne && !NO_QUESTION.test(question) ? question : undefined;
}
