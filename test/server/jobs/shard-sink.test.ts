import t from 'tap';
import type { SinkChunk } from '../../../core/contracts/sink.ts';
import { exposedError } from '../../../core/errors.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import type { ChunkedDocument } from '../../../server/corpus/chunk-documents.ts';
import { sinkOpener } from '../../../server/jobs/shard-sink.ts';
import type { JobSpec } from '../../../server/jobs/spec.ts';

const SPEC: JobSpec = {
  source: { format: 'auto' },
  task: { run: 'execute', steps: [] },
  options: {},
  group: 'chunk',
  target: { path: 'x', sink: { name: 'memory', options: { collection: 'kb' } } },
};

/** A sink in memory, which refuses some texts, and everything while it is away. */
function memorySink() {
  const stored = new Map<string, SinkChunk>();
  const state = { isAway: false, opened: [] as unknown[], upserts: 0, isClosed: false };
  const check = () => {
    if (state.isAway) throw exposedError('it is away');
  };
  const collection = {
    async upsert(chunks: readonly SinkChunk[]) {
      check();
      state.upserts++;
      if (chunks.some(({ text }) => text.includes('refused'))) throw exposedError('it cannot store this');
      for (const chunk of chunks) stored.set(chunk.id, chunk);
    },
    async deleteMissing(documentId: string, keptIds: readonly string[]) {
      check();
      for (const { id, document_id } of stored.values()) {
        if (document_id === documentId && !keptIds.includes(id)) stored.delete(id);
      }
    },
    async close() {
      state.isClosed = true;
    },
  };
  const sink = {
    async open(target: unknown) {
      check();
      state.opened.push(target);
      return collection;
    },
  };
  const manifest = { kind: 'sink', name: 'memory', summary: 'Keeps chunks in memory.' } as const;
  const registry = { require: () => ({ manifest }) as unknown as PluginEntry } as unknown as Registry;
  const host = { get: async () => sink } as unknown as PluginHost;
  return { stored, state, open: sinkOpener(registry, host) };
}

interface Given {
  readonly id?: string;
  readonly texts: readonly string[];
}

/** Lines of chunks as the engine writes them, and what it says of their documents. */
function groupOf(given: readonly Given[]) {
  const lines = given.flatMap(({ id, texts }) =>
    texts.map((text, index) =>
      JSON.stringify({
        id: `${id}-${text}`,
        text,
        start_index: index,
        embedding: [1, 2, 3],
        document_id: id,
      }),
    ),
  );
  const documents = given.map(
    ({ id, texts }): ChunkedDocument => ({
      source: { place: { source: 'a.jsonl' }, size: 1, document: Buffer.alloc(0) },
      id,
      chunks: texts.length,
      ids: texts.map((text) => `${id}-${text}`),
      error: undefined,
    }),
  );
  return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), documents };
}

const { signal } = new AbortController();

t.test('chunks are stored, and those that a document does not have any more are removed', async (t) => {
  const { stored, state, open } = memorySink();
  const sink = await open(SPEC, signal);
  for (const texts of [['one', 'two'], ['two', 'three'], []]) {
    const { bytes, documents } = groupOf([
      { id: 'a', texts },
      { id: 'b', texts: ['other'] },
    ]);
    const outcomes = await sink?.store(bytes, documents);
    t.same(outcomes, documents);
    const expected = ['b-other', ...texts.map((text) => `a-${text}`)].sort();
    t.same([...stored.keys()].sort(), expected);
  }
  t.match(stored.get('b-other'), { document_id: 'b', text: 'other', embedding: [1, 2, 3] });
  t.same(stored.get('b-other')?.fields, { start_index: 0 });
  t.same(state.opened, [{ options: { collection: 'kb' }, dimensions: 3 }], 'it is opened once');
  await sink?.close();
  t.ok(state.isClosed);
});

t.test('documents that cannot be stored fail alone', async (t) => {
  const { stored, open } = memorySink();
  const sink = await open(SPEC, signal);
  const { bytes, documents } = groupOf([
    { id: 'good', texts: ['one'] },
    { id: 'bad', texts: ['fine', 'refused'] },
    { texts: ['without an id'] },
    { id: 'last', texts: ['two'] },
  ]);
  const outcomes = await sink?.store(bytes, documents);
  t.match(
    outcomes?.map(({ error }) => error?.detail),
    [undefined, /it cannot store this/, /id: missing/, undefined],
  );
  t.same([...stored.keys()].sort(), ['good-one', 'last-two']);
  const alone = groupOf([{ id: 'bad', texts: ['refused'] }]);
  t.match(await sink?.store(alone.bytes, alone.documents), [{ error: { status: 500 }, chunks: 0 }]);
});

t.test('a sink that is away fails the shard, and no document', async (t) => {
  const { state, open } = memorySink();
  const sink = await open(SPEC, signal);
  const { bytes, documents } = groupOf([{ id: 'a', texts: ['one'] }]);
  state.isAway = true;
  await t.rejects(async () => sink?.store(bytes, documents), { code: 'plugin_failed' });
  const later = await open(SPEC, signal);
  state.isAway = false;
  await later?.store(bytes, documents);
  state.isAway = true;
  await t.rejects(async () => later?.store(bytes, documents), { code: 'plugin_failed' });
});

t.test('documents without chunks wait for the first chunk, which says how long vectors are', async (t) => {
  const { stored, state, open } = memorySink();
  const before = await open(SPEC, signal);
  const old = groupOf([{ id: 'a', texts: ['one'] }]);
  await before?.store(old.bytes, old.documents);
  const sink = await open(SPEC, signal);
  const empty = groupOf([{ id: 'a', texts: [] }]);
  await sink?.store(empty.bytes, empty.documents);
  t.equal(state.opened.length, 1);
  const next = groupOf([{ id: 'b', texts: ['two'] }]);
  t.equal((await sink?.store(next.bytes, next.documents))?.length, 1);
  t.same([...stored.keys()], ['b-two']);
  t.match(state.opened[1], { dimensions: 3 });
});
