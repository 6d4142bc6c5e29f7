import { setImmediate } from 'node:timers/promises';
import type { EmbeddingModel, EmbedRequest, Tokenizer, Vectors } from '../../../core/contracts.ts';
import type { StaticConfig } from './config.ts';
import { createEmbedder } from './embedder.ts';
import type { Table } from './table.ts';

/** About what a thread keeps for each token: its entry in the tokenizer, and its count. */
const BYTES_PER_TOKEN = 160;

/** Milliseconds after which other work of the thread is let through. */
const TURN_MS = 20;

/** Tokens after which a model looks at the clock, and whether anyone still waits. */
const LOOK_TOKENS = 1000;

/** What a model is made of. */
export interface Parts {
  readonly name: string;
  readonly config: StaticConfig;
  readonly table: Table;
  readonly tokenizer: Tokenizer & Required<Pick<Tokenizer, 'encode'>>;
  /** Gives the table back. */
  close(): void;
}

/** A static model whose table is loaded. */
export function createModel({ name, config, table, tokenizer, close }: Parts): EmbeddingModel {
  const { dimensions, tokens } = table.shape;
  const { calibrationOffset: offset } = config;
  const embedOne = createEmbedder(table, config);

  async function embed(texts: readonly string[], { signal, progress }: EmbedRequest): Promise<Vectors> {
    const values = new Float32Array(texts.length * dimensions);
    let turn = performance.now();
    let tokensDone = 0;
    for (let index = 0; index < texts.length; index++) {
      const ids = tokenizer.encode(texts[index] as string);
      embedOne(ids, values, index * dimensions);
      tokensDone += 1 + ids.length;
      if (tokensDone < LOOK_TOKENS) continue;
      tokensDone = 0;
      signal.throwIfAborted();
      if (performance.now() - turn < TURN_MS) continue;
      progress?.(index + 1);
      await setImmediate();
      turn = performance.now();
    }
    signal.throwIfAborted();
    return { dimensions, values };
  }

  return {
    name,
    bytes: tokens * BYTES_PER_TOKEN,
    tokenizer: async () => tokenizer,
    embed,
    ...(offset === undefined ? {} : { calibrate: (cosine) => (cosine + offset) / (1 + offset) }),
    close,
  };
}
