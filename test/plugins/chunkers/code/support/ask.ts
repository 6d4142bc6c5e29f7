import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findLanguage, type Language } from '../../../../../plugins/chunkers/code/languages.ts';
import { metadataOf } from '../../../../../server/engine/answer/response-metadata.ts';
import { type AnswerChunk, composeQuietly, runTask } from '../../../../support/service.ts';

/** One service for the tests of this plugin, so that each grammar is loaded once. */
const { service } = await composeQuietly({ plugins: ['code', 'character'] });

export interface CodeNode {
  readonly type: string;
  readonly name?: string;
  readonly start_line: number;
  readonly end_line: number;
  readonly start_index: number;
  readonly end_index: number;
  readonly scope?: readonly string[];
}

export interface CodeChunk extends AnswerChunk {
  readonly nodes?: readonly CodeNode[];
}

/** The answer to a request, and the language that it names. */
export async function ask(request: object) {
  const { bytes, reported } = await runTask(service, { run: 'chunk', name: 'code' }, request);
  return {
    answer: JSON.parse(Buffer.from(bytes).toString()),
    language: metadataOf(reported)['code-language'],
    fallback: metadataOf(reported)['code-fallback'],
  };
}

export const chunk = async (text: string, options: object = {}): Promise<CodeChunk[]> =>
  (await ask({ text, ...options })).answer;

export const CASE = 'case x in\na) b;;\nesac\n';
export const bash = findLanguage('bash') as Language;
/** A grammar that really traps at the word `case`: it imports `isalpha`, which nothing exports. */
export const trapping: Language = { ...bash, isBundled: false };
export const limits = { budget: 10_000, signal: new AbortController().signal };

export const joined = (chunks: readonly CodeChunk[]) => chunks.map(({ text }) => text).join('');

export const sampleOf = (language: string, folder = 'samples') =>
  readFileSync(join(import.meta.dirname, '..', folder, `${language}.txt`), 'utf8');
