import { type CountedSpan, chunkText } from '../../../core/engine/chunking.ts';
import type { Registry } from '../../../core/hosting/registry.ts';
import { composeQuietly, runTask } from '../../support/service.ts';

/** The service in one thread, as every worker has it, and its chunks alone. */
export interface Ours {
  /** Takes the bytes of a request and returns the bytes of the answer. */
  answer(chunker: string, body: Uint8Array): Promise<Uint8Array>;
  /** Returns the chunks of a text with the default options, as objects that hold their texts. */
  chunks(chunker: string, text: string, tokenizer: string): Promise<unknown[]>;
}

const { signal } = new AbortController();

export async function composeOurs(): Promise<Ours> {
  const { registry, host, openers, service } = await composeQuietly();
  return {
    async answer(chunker, body) {
      return (await runTask(service, { run: 'chunk', name: chunker }, body, signal)).bytes;
    },
    async chunks(name, text, tokenizer) {
      const { manifest } = registry.require('chunker', name);
      const ready = { manifest, chunker: await host.get('chunker', name) };
      const spans = await chunkText(ready, text, defaultsOf(registry, name), {
        tokenizer: await openers.tokenizer(tokenizer),
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

function defaultsOf(registry: Registry, chunker: string): Record<string, unknown> {
  const properties = registry.require('chunker', chunker).manifest.options?.properties ?? {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, schema]) =>
      'default' in schema ? [[name, schema.default]] : [],
    ),
  );
}
