import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { resultOf } from '../../../../../server/corpora/command/tune/result.ts';
import { type Chunking, Search, type Send } from '../../../../../server/corpora/command/tune/search.ts';
import { needs } from '../../../../support/here.ts';
import { temporaryFolder } from '../../../../support/server.ts';

/** What `tune` promises about its time, its pipeline and the folder, without evaluating anything. */

const OF_VECTORS = needs('refinery/embeddings');

const chunkingOf = (size: number): Chunking => ({
  name: `token ${size}`,
  steps: [{ type: 'chunk', chunker: 'token', refinery: null, config: { chunk_size: size } }],
  embedding: [{ type: 'refine', chunker: null, refinery: 'embeddings', config: { embedding_model: 'm' } }],
  factors: {},
});

/** Recalls of each retriever for every question. */
const answerOf = (recalls: Readonly<Record<string, number>>) => ({
  candidates: Object.entries(recalls).map(([retriever, recall]) => ({
    ...{ name: retriever, retriever, recall, tokens_per_question: 10, chunks: 3 },
    interval: { recall: [recall, recall] },
    questions: Array.from({ length: 40 }, () => ({ recall, found: [] })),
  })),
});

const settings = { where: '', lanes: 2, isResumed: false };
type Sent = Awaited<ReturnType<Send>>;
const answered = (recalls: Readonly<Record<string, number>>) => answerOf(recalls) as unknown as Sent;

t.test('trials in progress end with the time, and the first one is measured in any case', async (t) => {
  let sent = 0;
  const send: Send = async (_body, signal) => {
    sent++;
    if (signal === undefined) return answered({ dense: 0.5, bm25: 0.5, hybrid: 0.5 });
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  };
  const search = new Search({ ...settings, send, time: 200, file: undefined }, {});
  await search.try([chunkingOf(1)]);
  await search.try([chunkingOf(2), chunkingOf(3), chunkingOf(4)]);
  t.match({ sent, tried: search.trials.size, isLate: search.isLate }, { sent: 3, tried: 1, isLate: true });
  t.same(search.failures, [], 'what was stopped has not failed');
});

t.test('a failure before the time is over is none of the time', async (t) => {
  const send: Send = async (_body, signal) => {
    if (signal === undefined) return answered({ dense: 0.5 });
    throw new Error('unreachable');
  };
  const search = new Search({ ...settings, send, time: 60_000, file: undefined }, {});
  await search.try([chunkingOf(1)]);
  await t.rejects(search.try([chunkingOf(2)]), { message: 'unreachable' });
});

t.test('the file that tune writes into the folder is named once', async (t) => {
  const file = join(await temporaryFolder(t), '.chunksmith/tune.jsonl');
  const printed = t.capture(console, 'error');
  const send: Send = async () => answered({ dense: 0.5 });
  const search = new Search({ ...settings, send, time: 60_000, file }, {});
  await search.try([chunkingOf(1), chunkingOf(2)]);
  t.equal(readFileSync(file, 'utf8').trim().split('\n').length, 2);
  t.equal(printed().filter(({ args: [line] }) => String(line).includes(file)).length, 1);
});

t.test(
  'the pipeline keeps its vectors, unless they are to be left out and words alone are best',
  OF_VECTORS,
  async (t) => {
    const trial = async (recalls: Readonly<Record<string, number>>) => {
      const search = new Search(
        { ...settings, send: async () => answered(recalls), time: 1e6, file: undefined },
        {},
      );
      await search.try([chunkingOf(1)]);
      return [...search.trials.values()];
    };
    const questions = Array.from({ length: 40 }, (_, at) => ({ question: `${at}`, answers: [], place: 'a' }));
    const about = {
      folder: 'a',
      documents: 1,
      questions,
      derived: true,
      budget: 100,
      retriever: 'dense',
      of: 1,
    };
    const found = async (recalls: Readonly<Record<string, number>>, embeddings?: boolean) =>
      resultOf(
        { ...about, trials: await trial(recalls), notes: [], embeddings },
        new AbortController().signal,
      );
    const words = { dense: 0.1, bm25: 0.9 };
    const hasVectors = ({ pipeline }: Awaited<ReturnType<typeof found>>) =>
      pipeline.steps.some(({ refinery }) => refinery === 'embeddings');
    const kept = await found(words, true);
    t.match([kept.chosen.retriever, hasVectors(kept)], ['bm25', true]);
    t.match(kept.notes.join(), /needs no vectors.*--no-embeddings/);
    const left = await found(words, false);
    t.notOk(hasVectors(left));
    t.match([left.notes.join(), left.pipeline.description], [/makes no vectors/, /makes no vectors/]);
    t.ok(hasVectors(await found({ dense: 0.9, bm25: 0.1 }, false)), 'dense needs them');
    t.notMatch((await found(words)).notes.join(), /vectors/, 'evaluate makes no pipeline');
  },
);
