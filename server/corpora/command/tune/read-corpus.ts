import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { ServiceError } from '../../../../core/errors.ts';
import { CommandError, UsageError } from '../../../cli/errors.ts';
import { inOwnTerms } from '../../../cli/own-terms.ts';
import type { ServerCradle } from '../../../container.ts';
import { utf16Offsets } from '../../../engine/answer/offsets.ts';
import { placeInWords } from '../../shard.ts';
import { Skips } from '../../skips.ts';
import { linesOf, openSource } from '../source.ts';

export interface CorpusDocument {
  readonly id: string;
  readonly filename: string;
  readonly text: string;
}

/** A question about documents, which are given by index. Offsets are in UTF-16 code units. */
export interface CorpusQuestion {
  readonly question: string;
  readonly answers: readonly { document: number; start_index: number; end_index: number }[];
  /** Where a user finds the answer: the document, and the line if known. */
  readonly place: string;
}

export interface ReadFolder {
  readonly documents: CorpusDocument[];
  readonly failed: readonly string[];
  readonly skipped: readonly string[];
}

export const STATE = '.chunksmith/tune.jsonl';

/** Members of a document that are kept. `places` is dropped, because its offsets refer to the whole text. */
const MEMBERS = ['title', 'media_type', 'metadata'];

/**
 * Reads all documents of a folder, as the command `chunk` does.
 *
 * @param written files in the folder that are not documents
 * @throws CommandError if there is no document
 */
export async function readFolder(
  folder: string,
  written: readonly (string | undefined)[],
  cradle: ServerCradle,
  signal: AbortSignal,
): Promise<ReadFolder> {
  const skips = new Skips();
  const source = await openSource({ root: folder, ignore: true, format: 'auto', isWhole: true, written }, [
    folder,
  ]);
  const spec = {
    source: { format: 'auto' },
    task: { run: 'chunk', name: '' },
    options: {},
    group: 'chunk',
    target: { path: '' },
  } as const;
  const documents: CorpusDocument[] = [];
  const failed: string[] = [];
  for (const skip of source.skipped) if (!skip.place.source.endsWith(dirname(STATE))) skips.add(skip);
  for await (const lines of linesOf(source, spec, cradle, signal, (skip) => skips.add(skip))) {
    for (const { place, document } of lines) {
      const read =
        document instanceof ServiceError ? inOwnTerms(document.detail) : documentIn(document, place.source);
      if (typeof read === 'string') failed.push(`${placeInWords(place)}: ${read}`);
      else if (read.text.trim() !== '') documents.push(read);
    }
  }
  const skipped = skips.groups.length > 0 ? [String(skips)] : [];
  if (documents.length > 0) return { documents, failed, skipped };
  throw new CommandError([`${folder}: no document could be read.`, ...failed, ...skipped].join('\n'));
}

function documentIn(line: Buffer, name: string): CorpusDocument | string {
  try {
    const { id = name, filename = String(id), text, ...more } = JSON.parse(line.toString());
    if (typeof text !== 'string') return 'text: missing, expected a string.';
    const members = MEMBERS.filter((member) => more[member] !== undefined && more[member] !== null);
    return { id: String(id), filename, text, ...Object.fromEntries(members.map((one) => [one, more[one]])) };
  } catch (error) {
    return (error as Error).message;
  }
}

/** Name of the file with the questions of a folder: one JSON object per line. */
export const QUESTIONS = 'questions.jsonl';
const MAX_PROBLEMS = 10;

interface Stretch {
  readonly start_index: number;
  readonly end_index: number;
}

interface GivenQuestion extends Partial<Stretch> {
  readonly question?: string;
  readonly file?: string;
  /** Ranges, or texts that occur exactly once in the file. */
  readonly answer?: string | readonly (string | Stretch)[];
}

/** Reads questions about documents. @throws UsageError with a line for each problem */
export function readQuestions(path: string, documents: readonly CorpusDocument[]): CorpusQuestion[] {
  const byId = new Map(documents.map((document, index) => [document.id, { index, ...document }]));
  const problems: string[] = [];
  const questions = textOf(path)
    .split('\n')
    .flatMap((line, index) => {
      try {
        return line.trim() === '' ? [] : [readQuestion(JSON.parse(line), byId)];
      } catch (error) {
        problems.push(`${path}:${index + 1}: ${(error as Error).message}`);
        return [];
      }
    });
  if (questions.length + problems.length === 0) problems.push(`${path}: it has no questions`);
  if (problems.length > 0) throw new UsageError(problems.slice(0, MAX_PROBLEMS).join('\n'));
  return questions;
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8').replace(/^\ufeff/, '');
  } catch (error) {
    throw new UsageError(`--questions ${path}: ${(error as Error).message}`);
  }
}

type Indexed = CorpusDocument & { readonly index: number };

function readQuestion(
  { question, file = '', answer, ...stretch }: Partial<GivenQuestion>,
  byId: ReadonlyMap<string, Indexed>,
): CorpusQuestion {
  if (typeof question !== 'string' || question === '') throw new Error('question: expected a text');
  const document = byId.get(file);
  if (document === undefined) throw new Error(`file: there is no ${JSON.stringify(file)} in the folder`);
  const answers = [answer ?? stretch]
    .flat()
    .map((one) => (typeof one === 'string' ? passageOf(one, document) : stretchOf(one, document)));
  if (answers.length === 0) throw new Error('answer: expected at least one');
  return { question, answers, place: file };
}

function stretchOf({ start_index: from, end_index: to }: Partial<Stretch>, { index, id, text }: Indexed) {
  if (from === undefined || to === undefined)
    throw new Error('expected an answer, or start_index and end_index');
  const offsets = utf16Offsets(text, 'code_point', [from, to]);
  const start_index = offsets.get(from);
  const end_index = offsets.get(to);
  if (start_index === undefined || end_index === undefined || start_index >= end_index)
    throw new Error(`start_index, end_index: ${from} to ${to} is not a stretch of ${id}`);
  return { document: index, start_index, end_index };
}

function passageOf(answer: string, { index: document, id, text }: Indexed) {
  const start_index = text.indexOf(answer);
  const shown = JSON.stringify(answer.slice(0, 60));
  if (answer === '' || start_index === -1) throw new Error(`answer: ${shown} does not occur in ${id}`);
  if (text.includes(answer, start_index + 1))
    throw new Error(`answer: ${shown} occurs in ${id} more than once; give start_index and end_index`);
  return { document, start_index, end_index: start_index + answer.length };
}

/** Maximum characters of all documents. If there are more, some documents without answers are dropped. */
const MAX_CHARACTERS = 10_000_000;
/** Documents without answers that are kept around each document with an answer: half before, half after. */
const NEIGHBOURS = 20;

export function thinned(documents: readonly CorpusDocument[], questions: readonly CorpusQuestion[]) {
  const size = documents.reduce((sum, { text }) => sum + text.length, 0);
  if (size <= MAX_CHARACTERS) return { documents, questions };
  const kept = new Set<number>();
  for (const { document } of questions.flatMap(({ answers }) => answers)) {
    const first = Math.max(0, document - NEIGHBOURS / 2);
    for (let at = first; at <= document + NEIGHBOURS / 2; at++) kept.add(at);
  }
  const indexes = new Map<number, number>();
  const left = documents.filter((_, at) => kept.has(at) && indexes.set(at, indexes.size));
  const moved = questions.map(({ answers, ...one }) => ({
    ...one,
    answers: answers.map((answer) => ({ ...answer, document: indexes.get(answer.document) as number })),
  }));
  return { documents: left, questions: moved };
}
