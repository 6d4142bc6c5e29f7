import type { Sample } from './sample.ts';

const STORE = `{ open: async ({ options: { collection }, dimensions }, { signal }) => {
  signal.throwIfAborted();
  const server = globalThis['NAME'];
  const refuse = (message) => { throw Object.assign(new Error(message), { expose: true }); };
  if (server.isGone) refuse('gone');
  const stored = server.collections[collection] ??= { dimensions, chunks: new Map() };
  if (stored.dimensions !== dimensions) refuse('other vectors');
  return {
    async upsert(chunks, { signal }) {
      signal.throwIfAborted();
      if (server.isGone) refuse('gone');
      if (chunks.some(({ embedding }) => embedding?.length !== dimensions)) refuse('another length');
      for (const chunk of chunks) stored.chunks.set(chunk.id, chunk);
    },
    async deleteMissing(document, kept, { signal }) {
      signal.throwIfAborted();
      if (server.isGone) refuse('gone');
      const names = new Set(kept);
      for (const { id, document_id } of [...stored.chunks.values()])
        if (document_id === document && !names.has(id)) stored.chunks.delete(id);
    },
    async close() {},
  };
}, async removeDocuments(documents, { collection }, { signal }) {
  signal.throwIfAborted();
  const server = globalThis['NAME'];
  if (server.isGone) throw Object.assign(new Error('gone'), { expose: true });
  const chunks = server.collections[collection]?.chunks ?? new Map();
  for (const { id, document_id } of [...chunks.values()]) if (documents.includes(document_id)) chunks.delete(id);
} }`;

/** It changes the numbers of the chunk that it is given, in place. */
const ROUNDED =
  '((n) => { if (n) n.splice(0, 1, Number(JSON.stringify(n[0]))); return chunk; })(chunk.fields.metadata?.n)';

/** What a sink of this file stores in. */
export const STAND_IN = `export default async () => {
  const server = globalThis['NAME'] = { collections: {}, isGone: false };
  return {
    env: {},
    options: (collection) => ({ collection }),
    chunks: async (collection) => [...(server.collections[collection]?.chunks.values() ?? [])],
    stop: async () => { server.isGone = true; },
  };
};
`;

export const SINKS: readonly Sample[] = [
  {
    kind: 'sink',
    manifest: { options: { type: 'object', properties: { collection: { type: 'string' } } } },
    good: STORE,
    bad: [
      [STORE.replace('document_id === document &&', 'true &&'), /keeps exactly the kept chunks/],
      [STORE.replace('&& !names.has(id)', ''), /keeps exactly the kept chunks/],
      [STORE.replace('for (const chunk of', 'for (const { fields, ...chunk } of'), /stored unchanged/],
      [STORE.replace('for (const chunk of', 'for (const chunk of chunks.length > 500 ? [] :'), /1000 chunks/],
      [STORE.replace('of chunks)', 'of chunks) if (chunk.text !== "Later")'), /it stores the last/],
      [STORE.replace('!names.has', 'kept.length < 9999 && !names.has'), /keep 10,000 ids/],
      [STORE.replace("refuse('another length')", ''), /a missing one, is an error/],
      [STORE.replace("refuse('another length')", "throw new Error('no')"), /a missing one, is an error/],
      [STORE.replace("refuse('other vectors')", ''), /vectors of another length is an error/],
      [
        STORE.replace('id, chunk)', 'id, { ...chunk, text: chunk.text.replace("\\0", "") })'),
        /never changed/,
      ],
      [
        STORE.replace('id, chunk)', 'id, Object.assign(chunk, { text: chunk.text.trim() }))'),
        /stored unchanged/,
      ],
      [STORE.replace('id, chunk)', `id, ${ROUNDED})`), /number is stored digit by/],
      [
        STORE.replace(
          'id, chunk)',
          'id, { ...chunk, document_id: String(+chunk.document_id || chunk.document_id) })',
        ),
        /1000 chunks/,
      ],
      [STORE.replaceAll('signal.throwIfAborted();', ''), /ends when the signal aborts/],
      [STORE.replaceAll("if (server.isGone) refuse('gone');", ''), /unreachable server is an error/],
    ],
  },
];
