// Needs chunker/token, tokenizer/character.
import fc from 'fast-check';
import t from 'tap';
import { ServiceError } from '../../../core/errors.ts';
import {
  type ChunkedDocument,
  type CorpusPlan,
  chunkDocuments,
} from '../../../server/corpus/chunk-documents.ts';
import type { SourceDocument } from '../../../server/corpus/shard.ts';
import type { RunAnswer } from '../../../server/run/run-answer.ts';
import type { Runner } from '../../../server/run/runner.ts';
import type { LinesTask } from '../../../server/service/tasks.ts';
import { composeQuietly, runTask } from '../../support/service.ts';

const { service } = await composeQuietly();
const OPTIONS = { chunk_size: 7, tokenizer: 'character' };

function planOf(writes: CorpusPlan['writes']): CorpusPlan {
  const plan = service.readStreamPlan({ run: 'chunk', name: 'token' }, Buffer.from(JSON.stringify(OPTIONS)));
  return { ...plan, writes, tellsIds: true };
}

/** Runs on this thread; a text that says so takes its thread with it, with all that run together with it. */
const runner: Pick<Runner, 'run'> = {
  async run(task, body, stop) {
    if (!(task as LinesTask).isBulk) throw new Error('it is not bulk work');
    if (Buffer.from(body).includes('lose the thread')) throw new ServiceError('worker_lost', {});
    const answer = await service.run(service.read(task, body), stop.signal);
    return { ...answer, queueSeconds: 0 } satisfies RunAnswer;
  },
};

type Kind = 'good' | 'no id' | 'not json' | 'no text' | 'lost' | 'unread' | 'empty';

function documentOf(kind: Kind, index: number): SourceDocument {
  const texts: Readonly<Record<Kind, string | ServiceError>> = {
    good: JSON.stringify({ id: `d${index}`, text: `Text ${index} with some words, 他在门口 👍🏽.` }),
    'no id': JSON.stringify({ text: `Text ${index} without an id.` }),
    'not json': '{"id": ',
    'no text': JSON.stringify({ id: `d${index}` }),
    lost: JSON.stringify({ id: `d${index}`, text: 'lose the thread' }),
    unread: new ServiceError('line_too_large', { what: 'The document', limit: 1 }),
    empty: JSON.stringify({ id: `d${index}`, text: '' }),
  };
  const document = texts[kind];
  const bytes = document instanceof ServiceError ? document : Buffer.from(document);
  return { place: { source: 'a.jsonl', byte: index }, size: 10, document: bytes };
}

const STATUS: Readonly<Record<Kind, number>> = {
  good: 200,
  'no id': 200,
  'not json': 400,
  'no text': 400,
  lost: 500,
  unread: 413,
  empty: 200,
};

async function* batches(documents: readonly SourceDocument[], size: number) {
  for (let at = 0; at < documents.length; at += size) yield documents.slice(at, at + size);
}

interface Given {
  readonly lines: AsyncGenerator<readonly SourceDocument[]>;
  readonly writes?: CorpusPlan['writes'];
  readonly signal?: AbortSignal;
}

async function chunkAll({ lines, writes = 'chunks', signal = new AbortController().signal }: Given) {
  const documents: ChunkedDocument[] = [];
  const bytes: Uint8Array[] = [];
  const given = { plan: planOf(writes), lines, runner, slots: 3, signal };
  for await (const group of chunkDocuments(given)) {
    bytes.push(group.bytes);
    documents.push(...group.documents);
  }
  const text = Buffer.concat(bytes).toString();
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
  const kinds = fc.constantFrom<Kind>(
    'good',
    'good',
    'good',
    'no id',
    'empty',
    'not json',
    'no text',
    'lost',
    'unread',
  );
  const property = fc.asyncProperty(
    fc.array(kinds, { maxLength: 40 }),
    fc.integer({ min: 1, max: 12 }),
    async (given, size) => {
      const sources = given.map(documentOf);
      const { documents, lines } = await chunkAll({ lines: batches(sources, size) });
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
    },
  );
  await fc.assert(property, { numRuns: 60 });
});

t.test('a line for each document has its id and its chunks', async (t) => {
  const sources = (['good', 'no id', 'not json', 'empty'] as const).map(documentOf);
  const { documents, lines } = await chunkAll({ lines: batches(sources, 4), writes: 'documents' });
  t.same(
    lines.map((line) => JSON.parse(line).document_id),
    ['d0', null, 'd3'],
  );
  t.same(
    lines.map((line) => JSON.parse(line).chunks.length),
    documents.filter(({ error }) => error === undefined).map(({ chunks }) => chunks),
  );
});

t.test('a source that breaks off gives what came before, and then throws', async (t) => {
  const lines = (async function* () {
    yield [documentOf('good', 0), documentOf('good', 1)];
    throw new ServiceError('source_changed', { source: 'a.jsonl' });
  })();
  const done: ChunkedDocument[] = [];
  const given = { plan: planOf('chunks'), lines, runner, slots: 3, signal: new AbortController().signal };
  await t.rejects(
    async () => {
      for await (const { documents } of chunkDocuments(given)) done.push(...documents);
    },
    { code: 'source_changed' },
  );
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
  const stop = new AbortController();
  const given = { plan: planOf('chunks'), runner, slots: 3, signal: stop.signal };
  for await (const { documents } of chunkDocuments({ ...given, lines: endless() })) {
    if (documents.length > 0) break;
  }
  t.equal(closed, 1);
  await t.rejects(
    async () => {
      for await (const _ of chunkDocuments({ ...given, lines: endless() })) stop.abort(new Error('enough'));
    },
    { message: 'enough' },
  );
  t.equal(closed, 2);
});
