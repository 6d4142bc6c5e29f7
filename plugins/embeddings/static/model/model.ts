import { setImmediate } from 'node:timers/promises';
import {
  type EmbeddingModel,
  type EmbedRequest,
  type Prompts,
  type Vectors,
  withPrompt,
} from '../../../../core/kit.ts';
import { createMeanPooling, type MeanPooling } from '../pooling/mean-pooling.ts';
import type { Table } from '../table/table.ts';
import type { StaticConfig } from './config.ts';
import { createWordFinder, type EncodingTokenizer, type WordFinder } from './words.ts';

/** Approximate memory per token in a thread: its entry in the tokenizer, and its count. */
const BYTES_PER_TOKEN = 160;

/** Maximum milliseconds that a model keeps the thread before it lets other work run. */
const MAX_BUSY_MS = 20;

/** How many tokens a model embeds between checks of the clock and the signal. */
const TOKENS_BETWEEN_CHECKS = 1000;

/** What a model is built from. */
export interface ModelParts {
  readonly name: string;
  readonly config: StaticConfig;
  readonly prompts: Prompts;
  readonly table: Table;
  readonly tokenizer: EncodingTokenizer;
  /** Releases the table. */
  close(): void;
}

/** A static model whose table is loaded. */
export function createModel({ name, config, prompts, table, tokenizer, close }: ModelParts): EmbeddingModel {
  const { dimensions, tokens } = table.shape;
  const { calibrationOffset: offset } = config;
  const pooling = createMeanPooling(table, config);
  const hasWord = createWordFinder(tokenizer, table.shape);
  return {
    name,
    bytes: tokens * BYTES_PER_TOKEN,
    tokenizer: async () => tokenizer,
    embed: (texts, request) => {
      const parts = { tokenizer, pooling, hasWord, dimensions };
      return embedTexts(withPrompt(texts, prompts[request.purpose]), request, parts);
    },
    ...(offset === undefined ? {} : { calibrate: (cosine) => (cosine + offset) / (1 + offset) }),
    close,
  };
}

interface EmbedParts {
  readonly tokenizer: EncodingTokenizer;
  readonly pooling: MeanPooling;
  readonly hasWord: WordFinder;
  readonly dimensions: number;
}

async function embedTexts(
  texts: readonly string[],
  { signal, progress }: EmbedRequest,
  { tokenizer, pooling, hasWord, dimensions }: EmbedParts,
): Promise<Vectors> {
  const values = new Float32Array(texts.length * dimensions);
  let busySince = performance.now();
  let unchecked = 0;
  let wordless = 0;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as string;
    const ids = tokenizer.encode(text);
    if (!hasWord(text, ids)) wordless++;
    pooling(ids, values, index * dimensions);
    unchecked += 1 + ids.length;
    if (unchecked < TOKENS_BETWEEN_CHECKS) continue;
    unchecked = 0;
    signal.throwIfAborted();
    if (performance.now() - busySince < MAX_BUSY_MS) continue;
    progress?.(index + 1);
    await setImmediate();
    busySince = performance.now();
  }
  signal.throwIfAborted();
  return { dimensions, values, wordless };
}
