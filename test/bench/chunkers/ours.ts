import { type CountedSpan, chunkText } from '../../../core/chunking.ts';
import type { Log, SharedBuffers } from '../../../core/contracts.ts';
import { type Core, composeCore } from '../../../server/compose.ts';
import { configOf } from '../../../server/config.ts';
import { createTokenizers } from '../../../server/tokenizers.ts';

/** The service of one thread, as every worker composes it, and the way to its chunks alone. */
export interface Ours {
  /** Bytes of a request in, bytes of the answer out. */
  answer(chunker: string, body: Uint8Array): Promise<Uint8Array>;
  /** Chunks of a text with the default options, as objects that hold their texts. */
  chunks(chunker: string, text: string, tokenizer: string): Promise<unknown[]>;
}

const silent: Log = { debug() {}, info() {}, warn() {}, error() {} };
const shared: SharedBuffers = { get: async (_key, build) => build(), release() {} };
const { signal } = new AbortController();

export async function composeOurs(): Promise<Ours> {
  const core = await composeCore(configOf({ workers: 0 }), silent, shared);
  const openTokenizer = createTokenizers(core.registry, core.host);
  return {
    async answer(chunker, body) {
      return (await core.service.prepare({ run: 'chunk', name: chunker }, body).run(signal)).bytes;
    },
    async chunks(name, text, tokenizer) {
      const { manifest } = core.registry.require('chunker', name);
      const ready = { manifest, chunker: await core.host.get('chunker', name) };
      const spans = await chunkText(ready, text, defaultsOf(core, name), {
        tokenizer: await openTokenizer(tokenizer),
        report() {},
        signal,
      });
      return spans.map((span) => toChunk(text, span));
    },
  };
}

function toChunk(text: string, { start, end, token_count }: CountedSpan) {
  return { text: text.slice(start, end), start_index: start, end_index: end, token_count };
}

function defaultsOf({ registry }: Core, chunker: string): Record<string, unknown> {
  const properties = registry.require('chunker', chunker).manifest.options?.properties ?? {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      'default' in schema ? [[name, schema.default]] : [],
    ),
  );
}
