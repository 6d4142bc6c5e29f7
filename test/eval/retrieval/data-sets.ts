import { existsSync, globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openEngine } from '../../../server/cli/engine.ts';
import { deriveQuestions, findUnits } from '../../../server/corpora/command/tune/derive-questions.ts';
import {
  type CorpusDocument,
  type CorpusQuestion,
  QUESTIONS,
  readFolder,
  readQuestions,
} from '../../../server/corpora/command/tune/read-corpus.ts';
import { kindOf } from '../../../server/corpora/command/tune/search.ts';
import { createRandom } from '../../support/random.ts';
import scripts from '../data/scripts.json' with { type: 'json' };
import topics from '../data/topics.json' with { type: 'json' };

/** Documents with questions about them. */
export interface DataSet {
  readonly name: string;
  readonly kind: 'prose' | 'code' | 'reports' | 'scripts';
  readonly documents: readonly CorpusDocument[];
  readonly questions: readonly CorpusQuestion[];
  /** Whether it is too small for figures about quality. */
  readonly isSmall?: true;
}

const ROOT = join(import.meta.dirname, '../../..');

/** Reads the data sets of a folder, as `tune` would read each: a folder with questions. */
export async function dataSetsIn(folder: string): Promise<DataSet[]> {
  const engine = await openEngine({ workers: '0' }, process.env);
  try {
    const sets: DataSet[] = [];
    for (const name of readdirSync(folder).sort()) {
      const path = join(folder, name, QUESTIONS);
      if (!existsSync(path)) continue;
      const { documents } = await readFolder(join(folder, name), [path], engine.cradle, AbortSignal.any([]));
      const found = kindOf(documents.map(({ filename }) => filename));
      const kind = found === 'code' || found === 'reports' ? found : 'prose';
      sets.push({ name, kind, documents, questions: readQuestions(path, documents) });
    }
    return sets;
  } finally {
    await engine.close();
  }
}

/** Paragraphs by their topics, sentences in several scripts, and code of the service with derived questions. */
export async function ownDataSets(): Promise<DataSet[]> {
  const prose = topics.map(({ topic, paragraphs }) => ({
    filename: `${topic}.txt`,
    text: paragraphs.map(({ text }) => text).join('\n\n'),
    asked: paragraphs.map(({ question, text }) => [question, text] as const),
  }));
  const sentences = scripts.map(({ text, asked }, at) => ({
    filename: `${at}.txt`,
    text,
    asked: Object.entries(asked),
  }));
  const sources = globSync('{core,server}/engine/**/*.ts', { cwd: ROOT }).sort();
  const code = sources.map((name) => {
    return { id: name, filename: name, text: readFileSync(join(ROOT, name), 'utf8') };
  });
  const engine = await openEngine({ workers: '0' }, process.env);
  const units = await findUnits(code, engine.cradle, AbortSignal.any([])).finally(() => engine.close());
  return [
    { name: 'topics', kind: 'prose', isSmall: true, ...answered(prose) },
    { name: 'scripts', kind: 'scripts', isSmall: true, ...answered(sentences) },
    { name: 'own code', kind: 'code', isSmall: true, ...deriveQuestions(code, units, createRandom(1)) },
  ];
}

interface Asked {
  readonly filename: string;
  readonly text: string;
  readonly asked: readonly (readonly [question: string, answer: string])[];
}

function answered(given: readonly Asked[]): Pick<DataSet, 'documents' | 'questions'> {
  return {
    documents: given.map(({ text, filename }) => ({ id: filename, filename, text })),
    questions: given.flatMap(({ text, filename, asked }, document) =>
      asked.map(([question, answer]) => {
        const start_index = text.indexOf(answer);
        const answers = [{ document, start_index, end_index: start_index + answer.length }];
        return { question, answers, place: filename };
      }),
    ),
  };
}

/** Some documents of a set, with the questions that they alone answer. */
export function partOf(set: DataSet, kept: readonly number[]): DataSet {
  const places = new Map(kept.map((document, at) => [document, at]));
  const questions = set.questions.filter(({ answers }) =>
    answers.every(({ document }) => places.has(document)),
  );
  const moved = questions.map(({ answers, ...question }) => ({
    ...question,
    answers: answers.map((one) => ({ ...one, document: places.get(one.document) as number })),
  }));
  return { ...set, documents: kept.map((at) => set.documents[at] as CorpusDocument), questions: moved };
}

/** The documents with answers that have so many characters together, the shortest first, but at least one. */
export function shortestOf(set: DataSet, characters: number): DataSet {
  let rest = characters;
  const kept = answeringIn(set)
    .sort((a, b) => lengthOf(set, a) - lengthOf(set, b))
    .filter((at, place) => {
      rest -= lengthOf(set, at);
      return rest >= 0 || place === 0;
    });
  return partOf(set, kept);
}

/** The documents with answers. */
export function answeringIn({ questions }: DataSet): number[] {
  return [...new Set(questions.flatMap(({ answers }) => answers.map(({ document }) => document)))];
}

/** The characters of a document. */
export function lengthOf({ documents }: DataSet, document: number): number {
  return documents[document]?.text.length ?? 0;
}
