import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { PluginHost } from '../../../core/hosting/container.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import { readerOf, readerOptions } from '../../../server/engine/read/readers.ts';

/** The file of questions in a folder: a line of JSON for each. */
const QUESTIONS = 'questions.jsonl';
const MOST_PROBLEMS = 10;

/** What is wrong with a corpus; the message has a line for each problem. */
export class CorpusError extends Error {}

/** A line of the file of questions. */
interface GivenQuestion {
  readonly question: string;
  readonly file: string;
  /** Stretches that stand in the file exactly once. */
  readonly answer?: string | readonly string[];
  readonly start_index?: number;
  readonly end_index?: number;
}

interface Readers {
  readonly registry: Registry;
  readonly host: PluginHost;
}

/**
 * Reads a folder: its files with the readers that are here, and its questions.
 *
 * @returns members of a request to evaluate, with offsets in code points
 * @throws CorpusError
 */
export async function readCorpus(folder: string, readers: Readers) {
  const documents: Awaited<ReturnType<typeof readDocument>>[] = [];
  for (const path of filesIn(folder)) documents.push(await readDocument(folder, path, readers));
  const texts = new Map(documents.map(({ id, text }) => [id, text]));
  const problems: string[] = [];
  const questions = linesOf(folder).flatMap(({ line, number }) => {
    try {
      return [readQuestion(line, texts)];
    } catch (error) {
      problems.push(`${QUESTIONS}:${number}: ${(error as Error).message}`);
      return [];
    }
  });
  if (problems.length > 0) throw new CorpusError(problems.slice(0, MOST_PROBLEMS).join('\n'));
  return { documents, questions };
}

/** The paths of all files but that of the questions and hidden ones. */
function filesIn(folder: string): string[] {
  const found = globSync('**/*', { cwd: folder, withFileTypes: true }).filter((one) => one.isFile());
  const paths = found.map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, '/').length));
  return paths.filter((path) => path !== QUESTIONS && !basename(path).startsWith('.')).sort();
}

/** Whatever cuts the texts afterwards. */
const TASK = { run: 'chunk', name: 'auto' } as const;

async function readDocument(folder: string, path: string, { registry, host }: Readers) {
  const bytes = readFileSync(join(folder, path));
  const file = { bytes, name: basename(path), mediaType: undefined, charset: undefined };
  try {
    const entry = readerOf(file, { task: TASK, registry });
    const reader = await host.get('reader', entry.manifest.name);
    const context = { report() {}, signal: new AbortController().signal, options: readerOptions(entry) };
    const { text } = await reader.read(file, context);
    return { id: path, filename: path, text };
  } catch (error) {
    throw new CorpusError(`${path}: ${(error as Error).message}`);
  }
}

function linesOf(folder: string) {
  let text: string;
  try {
    text = readFileSync(join(folder, QUESTIONS), 'utf8').replace(/^\ufeff/, '');
  } catch {
    throw new CorpusError(`${folder} has no ${QUESTIONS}, with a line of JSON for each question`);
  }
  const lines = text.split('\n').map((line, index) => ({ line, number: index + 1 }));
  return lines.filter(({ line }) => line.trim() !== '');
}

/** @param texts those of the files, by their paths */
function readQuestion(line: string, texts: ReadonlyMap<string, string>) {
  const { question, file, answer, start_index, end_index } = JSON.parse(line) as Partial<GivenQuestion>;
  if (typeof question !== 'string') throw new Error('question: expected a text');
  const text = texts.get(file ?? '');
  if (file === undefined || text === undefined)
    throw new Error(`file: there is no ${JSON.stringify(file ?? '')} in the folder`);
  if (answer !== undefined) {
    const answers = [answer].flat().map((one) => ({ document: file, ...placeOf(one, text, file) }));
    return { question, answers };
  }
  if (start_index === undefined || end_index === undefined)
    throw new Error('expected an answer, or start_index and end_index');
  return { question, answers: [{ document: file, start_index, end_index }] };
}

function placeOf(answer: string, text: string, file: string) {
  const at = text.indexOf(answer);
  const shown = JSON.stringify(answer.slice(0, 60));
  if (answer === '' || at === -1) throw new Error(`answer: ${shown} does not stand in ${file}`);
  if (text.includes(answer, at + 1))
    throw new Error(`answer: ${shown} stands in ${file} more than once; give start_index and end_index`);
  const start_index = [...text.slice(0, at)].length;
  return { start_index, end_index: start_index + [...answer].length };
}
