import t from 'tap';
import type { Sink, SinkChunk } from '../../../../core/contracts/sink.ts';
import { exposedError } from '../../../../core/errors.ts';
import type { PluginHost } from '../../../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../../../core/hosting/registry.ts';
import type { ChunkedDocument } from '../../../../server/corpora/chunk-documents.ts';
import { storingIn } from '../../../../server/corpora/jobs/sink.ts';
import type { JobSpec } from '../../../../server/corpora/jobs/spec.ts';
import type { Run } from '../../../../server/engine/operation.ts';
import { createSinkCollections, storeOperation } from '../../../../server/engine/operations/store-chunks.ts';
import type { Runner } from '../../../../server/engine/run/runner.ts';

const SPEC: JobSpec = {
  source: { format: 'auto' },
  task: { run: 'execute', steps: [] },
  options: {},
  group: 'chunk',
  target: { path: 'x', sink: { name: 'memory', options: { collection: 'kb' } } },
};

/**
 * A sink in memory, which refuses some texts, and everything while it is away.
 *
 * @param more further members of the sink
 */
function memorySink(more: Partial<Sink> = {}) {
  const stored = new Map<string, SinkChunk>();
  const state = { isAway: false, opened: [] as unknown[], upserts: 0, isClosed: false, sent: 0 };
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
    ...more,
  };
  const manifest = { kind: 'sink', name: 'memory', summary: 'Keeps chunks in memory.' } as const;
  const registry = { require: () => ({ manifest }) as unknown as PluginEntry } as unknown as Registry;
  const host = { get: async () => sink } as unknown as PluginHost;
  const collections = createSinkCollections();
  const run: Runner['run'] = async (task, bytes, { signal }) => {
    if (task.run !== 'store') throw new Error(task.run);
    state.sent++;
    const request = { run: 'store', uses: [], task, bytes, parseSeconds: 0 } as const;
    const answer = await storeOperation.run(request, {
      registry,
      host,
      collections,
      signal,
    } as unknown as Run);
    return { ...answer, queueSeconds: 0 };
  };
  const storing = storingIn({ run });
  const open = () => {
    const store = storing(SPEC, new AbortController().signal);
    if (store === undefined) throw new Error('it has a sink');
    return (given: readonly Given[]) => {
      const { bytes, documents } = groupOf(given);
      return store(bytes, documents);
    };
  };
  return { stored, state, collections, open };
}

interface Given {
  readonly id?: string;
  readonly texts: readonly string[];
  readonly error?: ChunkedDocument['error'];
}

/** Lines of chunks as the engine writes them, and what it says of their documents. */
function groupOf(given: readonly Given[]) {
  const lines = given.flatMap(({ id, texts }) =>
    texts.map((text, index) => {
      const chunk = { id: `${id}-${text}`, text, start_index: index, embedding: [1, 2, 3], document_id: id };
      return JSON.stringify(chunk);
    }),
  );
  const documents = given.map(
    ({ id, texts, error }): ChunkedDocument => ({
      source: { place: { source: 'a.jsonl' }, size: 1, document: Buffer.alloc(0) },
      id,
      chunks: texts.length,
      embedding_empty: 0,
      embedding_fallback: 0,
      embedding_cut: 0,
      chunks_oversize: 0,
      ids: texts.map((text) => `${id}-${text}`),
      error,
    }),
  );
  return { bytes: Buffer.from(lines.map((line) => `${line}\n`).join('')), documents };
}

const OTHER = { id: 'b', texts: ['other'] };

t.test('chunks are stored, and those that a document does not have any more are removed', async (t) => {
  const { stored, state, collections, open } = memorySink();
  const store = open();
  for (const texts of [['one', 'two'], ['two', 'three'], []]) {
    const given = [{ id: 'a', texts }, OTHER];
    t.same(await store(given), groupOf(given).documents);
    const expected = ['b-other', ...texts.map((text) => `a-${text}`)].sort();
    t.same([...stored.keys()].sort(), expected);
  }
  t.match(stored.get('b-other'), { document_id: 'b', text: 'other', embedding: Float32Array.of(1, 2, 3) });
  t.same(stored.get('b-other')?.fields, { start_index: 0 });
  t.same(state.opened, [{ options: { collection: 'kb' }, dimensions: 3 }], 'it is opened once');
  await open()([{ id: 'c', texts: ['three'] }]);
  t.equal(state.opened.length, 2, 'another shard opens its own');
  await collections.close();
  t.ok(state.isClosed);
});

t.test('documents that cannot be stored fail alone', async (t) => {
  const { stored, open } = memorySink();
  const store = open();
  const outcomes = await store([
    { id: 'good', texts: ['one'] },
    { id: 'bad', texts: ['fine', 'refused'] },
    { texts: ['without an id'] },
    { id: 'last', texts: ['two'] },
  ]);
  const details = outcomes.map(({ error }) => error?.detail);
  t.match(details, [undefined, /it cannot store this/, /id: missing/, undefined]);
  t.same([...stored.keys()].sort(), ['good-one', 'last-two']);
  t.match(await store([{ id: 'bad', texts: ['refused'] }]), [{ error: { status: 500 }, chunks: 0 }]);
});

t.test('documents that failed before keep their error, and nothing is sent of them', async (t) => {
  const { state, open } = memorySink();
  const store = open();
  const error = { status: 400, detail: 'it is no text' };
  const failed = { id: 'bad', texts: [], error };
  const outcomes = await store([failed, { id: 'good', texts: ['one'] }]);
  t.match(outcomes, [{ error }, { error: undefined, chunks: 1 }]);
  t.match(await store([failed]), [{ error }]);
  t.equal(state.sent, 1);
});

t.test('a sink that is away fails the shard, and no document', async (t) => {
  const { state, open } = memorySink();
  state.isAway = true;
  const given = [{ id: 'a', texts: ['one'] }];
  await t.rejects(open()(given), { code: 'plugin_failed' });
  const later = open();
  state.isAway = false;
  await later(given);
  state.isAway = true;
  await t.rejects(later(given), { code: 'plugin_failed' });
});

const OLD = [{ id: 'a', texts: ['one'] }, OTHER];
const EMPTIED = [{ id: 'a', texts: [] }];

t.test('documents without chunks fail alone, unless the sink is away', async (t) => {
  let isAway = false;
  const { open } = memorySink({
    async removeDocuments(ids) {
      if (isAway || ids.includes('held')) throw exposedError('no');
    },
  });
  const given = ['held', 'free'].map((id) => ({ id, texts: [] }));
  t.match(await open()(given), [{ error: { detail: /failed: no/ } }, { error: undefined }]);
  isAway = true;
  await t.rejects(open()(given), { code: 'plugin_failed' });
});

t.test('a sink that cannot remove documents opens a collection without vectors for it', async (t) => {
  const { stored, state, open } = memorySink();
  await open()(OLD);
  t.match(await open()(EMPTIED), [{ error: undefined }]);
  t.same([...stored.keys()], ['b-other']);
  t.match(state.opened[1], { dimensions: undefined });
});

t.test('where that is refused as well, documents fail, so that old chunks do not stay unseen', async (t) => {
  const { open } = memorySink({ open: () => Promise.reject(exposedError('it has vectors')) });
  t.match(await open()(EMPTIED), [{ id: 'a', error: { detail: /it has vectors/ } }]);
});
