import type { SinkChunk, SinkCollection } from '../../../../core/contracts/sink.ts';
import type { PluginEntry } from '../../../../core/hosting/registry.ts';
import { parseExactJson } from '../../../../plugins/toolkit/json/exact-json.ts';
import type { Workbench } from '../../harness.ts';
import type { SinkStandIn } from './stand-in.ts';

/** How a call ended: `undefined` if it succeeded, `exposed` if it threw an error for callers. */
type Outcome = undefined | 'exposed' | 'other';

export type SinkBench = Awaited<ReturnType<typeof sinkBench>>;
export type OpenCollection = ReturnType<typeof givenCopies>;

/** For calls that are wanted to their end. */
const never: AbortSignal = new AbortController().signal;

/** A sink that is connected to a stand-in. */
export async function sinkBench(bench: Workbench, plugin: PluginEntry, standIn: SinkStandIn) {
  const sink = await bench.sink(plugin, standIn.env);
  const opened: OpenCollection[] = [];
  const optionsOf = (collection: string) => bench.optionsOf(plugin.manifest, standIn.options(collection));
  return {
    standIn,
    /** All open collections. */
    opened,
    /** Calls `removeDocuments`; undefined if the sink has no such method. */
    remove:
      sink.removeDocuments &&
      (async (collection: string, documentIds: readonly string[], signal = never) =>
        sink.removeDocuments?.(documentIds, optionsOf(collection), { signal })),
    async open(collection: string, dimensions: number | undefined, signal = never): Promise<OpenCollection> {
      const options = optionsOf(collection);
      const made = givenCopies(await sink.open({ options, dimensions }, { signal }));
      opened.push(made);
      return made;
    },
    chunks: (collection: string) => standIn.chunks(collection),
    attempt: (call: Promise<unknown>): Promise<Outcome> => call.then(() => undefined, outcomeOf),
  };
}

/** The sink gets copies, so that it cannot change the chunks that the stored ones are compared with. */
function givenCopies(made: SinkCollection) {
  return {
    upsert: async (chunks: readonly SinkChunk[], signal = never) =>
      made.upsert(chunks.map(copyOf), { signal }),
    deleteMissing: async (documentId: string, keptIds: readonly string[], signal = never) =>
      made.deleteMissing(documentId, keptIds, { signal }),
    close: () => made.close(),
  };
}

function outcomeOf(error: unknown): Outcome {
  const isExposed = error instanceof Error && 'expose' in error && error.expose === true;
  return isExposed && error.message !== '' ? 'exposed' : 'other';
}

/** A chunk as it is parsed for a sink. */
function copyOf({ embedding, ...chunk }: SinkChunk): SinkChunk {
  const parsed = parseExactJson(JSON.stringify(chunk)) as Omit<SinkChunk, 'embedding'>;
  return { ...parsed, embedding: embedding?.slice() ?? null };
}
