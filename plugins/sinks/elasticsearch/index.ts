import type { Factory } from '../../../core/contracts/plugin.ts';
import type { SinkCollection, SinkTarget } from '../../../core/contracts/sink.ts';
import { writeChunks } from './bulk.ts';
import { createClient } from './client.ts';
import { deleteDocuments, deleteIds, idsOf } from './documents.ts';
import type manifest from './manifest.ts';
import { openIndex } from './mapping.ts';

/** Servers take bodies of 100 MB, and advise 5 to 15. */
const MOST = { chunks: 1000, bytes: 8_000_000 };

const createElasticsearchSink: Factory<typeof manifest> = ({ env, hosted, kit }) => {
  const client = createClient({ env, hosted });
  const pathOf = ({ index }: SinkTarget['options']) => `/${String(index)}`;
  return {
    async open({ options, dimensions }, { signal }): Promise<SinkCollection> {
      const path = pathOf(options);
      await openIndex(client, { path, engine: String(options.engine), dimensions, signal, kit });
      return {
        async upsert(chunks, { signal }) {
          for (const batch of kit.batchChunks(chunks, { ...MOST, dimensions }))
            await writeChunks(client, batch, { path, signal, kit });
        },
        async deleteMissing(documentId, keptIds, { signal }) {
          const document = { path, documentId, signal };
          const kept = new Set(keptIds);
          const missing = (await idsOf(client, document)).filter((id) => !kept.has(id));
          await deleteIds(client, document, missing);
        },
        async close() {},
      };
    },
    removeDocuments: (documentIds, options, { signal }) =>
      deleteDocuments(client, { path: pathOf(options), documentIds, signal }),
  };
};

export default createElasticsearchSink;
