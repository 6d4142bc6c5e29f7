// Needs chunker/token, tokenizer/character.

import { setTimeout as sleep } from 'node:timers/promises';
import fc from 'fast-check';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import { type ChunkedDocument, localChunking } from '../../../server/corpora/chunk-documents.ts';
import type { JobSpec } from '../../../server/corpora/jobs/spec.ts';
import type { SourceDocument } from '../../../server/corpora/shard.ts';
import { ByteBudget } from '../../../server/engine/run/byte-budget.ts';
import type { RunAnswer } from '../../../server/engine/run/executor.ts';
import type { Runner } from '../../../server/engine/run/runner.ts';
import { Throughput } from '../../../server/engine/run/stream.ts';
import { composeQuietly, runTask } from '../../support/service.ts';

const { service } = await composeQuietly();
const OPTIONS = { chunk_size: 7, tokenizer: 'character' };

/** Runs on this thread; a text that says so takes its thread with it, with all that run together with it. */
const runner: Pick<Runner, 'run' | 'throughput'> = {
  throughput: new Throughput(),
  async run(task, body, stop, options) {
    if (options?.urgency !== 'bulk') throw new Error('it is not bulk work');
    if (Buffer.from(body).includes('lose the thread')) throw new ServiceError('worker_lost', {});
    const answer = await service.run(service.read(task, body), stop.signal);
    return { ...answer, queueSeconds: 0 } satisfies RunAnswer;
  },
};

/** Kinds of documents, with the status of their outcome. */
const STATUS = {
  ...{ good: 200, 'no id': 200, empty: 200 },
  ...{ 'not json': 400, 'no text': 400, lost: 500, unread: 413 },
};
type Kind = keyof typeof STATUS;

function documentOf(kind: Kind, index: number): SourceDocument {
  const lineOf = (text?: string) => Buffer.from(JSON.stringify({ id: `d${index}`, text }));
  const documents: Readonly<Record<Kind, Buffer | ServiceError>> = {
    good: lineOf(`Text ${index} with some words, 他在门口 👍🏽.`),
    'no id': Buffer.from(JSON.stringify({ text: `Text ${index} without an id.` })),
    'not json': Buffer.from('{"id": '),
    'no text': lineOf(),
    lost: lineOf('lose the thread'),
    unread: new ServiceError('line_too_large', { what: 'The document', limit: 1 }),
    empty: lineOf(''),
  };
  return { place: { source: 'a.jsonl', byte: index }, size: 10, document: documents[kind] };
}

async function* batches(documents: readonly SourceDocument[], size: number) {
  for (let at = 0; at < documents.length; at += size) yield documents.slice(at, at + size);
}

/** Most bytes in flight. */
const LIMIT = 1_000_000;
const byteBudget = new ByteBudget(LIMIT);

type Lines = AsyncGenerator<readonly SourceDocument[]>;

const chunksOf = (lines: Lines, group: JobSpec['group'] = 'chunk', { signal } = new AbortController()) => {
  const chunking = localChunking({ service, runner, byteBudget, slots: 3 });
  const task = { run: 'chunk', name: 'token' } as const;
  const spec = { source: { format: 'jsonl' }, task, options: OPTIONS, group, target: { path: '' } } as const;
  return chunking(spec, lines, signal);
};

async function chunkAll(lines: Lines, group?: JobSpec['group']) {
  const documents: ChunkedDocument[] = [];
  let text = '';
  for await (const one of chunksOf(lines, group)) {
    text += Buffer.from(one.bytes);
    documents.push(...one.documents);
  }
  return { documents, lines: text === '' ? [] : text.trimEnd().split('\n') };
}

/** The chunks of one document as the service answers them. */
async function answerTo(document: Buffer): Promise<string[]> {
  const request = { documents: [JSON.parse(document.toString())], ...OPTIONS };
  const { bytes } = await runTask(service, { run: 'chunk', name: 'token' }, request);
  const [chunks] = JSON.parse(Buffer.from(bytes).toString());
  return chunks.map((chunk: object) => JSON.stringify(chunk));
}

t.test('every document has one outcome, in the order of the source, and a line for each chunk', async () => {
  const anyKind = fc.constantFrom<Kind>('good', 'good', ...(Object.keys(STATUS) as Kind[]));
  const anyKinds = fc.array(anyKind, { maxLength: 40 });
  const property = fc.asyncProperty(anyKinds, fc.integer({ min: 1, max: 12 }), async (given, size) => {
    const sources = given.map(documentOf);
    const { documents, lines } = await chunkAll(batches(sources, size));
    const found = documents.map(({ error }) => error?.status ?? 200);
    if (found.join() !== given.map((kind) => STATUS[kind]).join()) throw new Error(found.join());
    if (documents.some(({ source }, index) => source !== sources[index])) throw new Error('another source');
    const good = sources.filter((_, index) => STATUS[given[index] as Kind] === 200);
    const expected = await Promise.all(good.map(({ document }) => answerTo(document as Buffer)));
    const written = lines.map((line) => JSON.stringify(JSON.parse(line)));
    if (written.join('\n') !== expected.flat().join('\n')) throw new Error('other chunks');
    const ids = documents.flatMap((document) => document.ids);
    if (ids.join() !== lines.map((line) => JSON.parse(line).id).join()) throw new Error('other ids');
    if (documents.some(({ chunks, ids }) => chunks !== ids.length)) throw new Error('other counts');
  });
  await fc.assert(property, { numRuns: 30 });
});

t.test('a line for each document has its id and its chunks', async (t) => {
  const sources = (['good', 'no id', 'not json', 'empty'] as const).map(documentOf);
  const { documents, lines } = await chunkAll(batches(sources, 4), 'document');
  const ids = lines.map((line) => JSON.parse(line).document_id);
  t.same(ids, ['d0', null, 'd3']);
  const counts = documents.filter(({ error }) => error === undefined).map(({ chunks }) => chunks);
  const found = lines.map((line) => JSON.parse(line).chunks.length);
  t.same(found, counts);
});

t.test('a source that breaks off gives what came before, and then throws', async (t) => {
  const lines = (async function* () {
    yield [documentOf('good', 0), documentOf('good', 1)];
    throw new ServiceError('source_changed', { source: 'a.jsonl' });
  })();
  const done: ChunkedDocument[] = [];
  const reading = async () => {
    for await (const { documents } of chunksOf(lines)) done.push(...documents);
  };
  await t.rejects(reading, { code: 'source_changed' });
  t.equal(done.length, 2);
});

t.test('a source is closed when nobody takes more, and when the work is stopped', async (t) => {
  let closed = 0;
  const endless = async function* () {
    try {
      for (let index = 0; ; index++) yield [documentOf('good', index)];
    } finally {
      closed++;
    }
  };
  for await (const { documents } of chunksOf(endless())) if (documents.length > 0) break;
  t.equal(closed, 1);
  const stop = new AbortController();
  const stopped = async () => {
    for await (const _ of chunksOf(endless(), 'chunk', stop)) stop.abort(new Error('enough'));
  };
  await t.rejects(stopped, { message: 'enough' });
  t.equal(closed, 2);
});

t.test('documents count in the bytes in flight until their chunks are taken', async (t) => {
  const lines = batches(
    Array.from({ length: 50 }, (_, index) => documentOf('good', index)),
    1,
  );
  const taken: number[] = [];
  for await (const { bytes } of chunksOf(lines)) taken.push(byteBudget.taken - bytes.length);
  t.ok(taken.length > 1 && taken.every((held) => held >= 0) && Math.max(...taken) > 0, `${taken}`);
  t.equal(byteBudget.taken, 0, 'all are given back');
  const left = chunksOf(batches([documentOf('good', 0), documentOf('good', 1)], 1));
  await left.next();
  await left.return(undefined);
  t.equal(byteBudget.taken, 0, 'also of a source that nobody takes more of');
});

t.test('a source is read on once requests leave room', async (t) => {
  byteBudget.force(LIMIT);
  let read = 0;
  const source = (async function* () {
    for (; read < 20; read++) yield [documentOf('good', read)];
  })();
  const all = chunkAll(source);
  await sleep(100);
  t.ok(read < 5, `${read} were read`);
  byteBudget.giveBack(LIMIT);
  t.equal((await all).documents.length, 20);
});
