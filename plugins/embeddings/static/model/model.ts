import { setImmediate } from 'node:timers/promises';
import type { EmbeddingModel, EmbedRequest, Vectors } from '../../../../core/kit.ts';
import { type Prompts, withPrompt } from '../../../toolkit/prompts.ts';
import { createLexicalVectors, LEXICAL_VERSION, type LexicalVectors } from '../lexical/lexical-vectors.ts';
import { shareOfOtherScripts } from '../lexical/parts.ts';
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
  let lexical: LexicalVectors | undefined;
  const addParts = (text: string, vector: Float32Array, isKnown: boolean): boolean => {
    const share = config.readsParts ? shareOfParts(text, isKnown) : 0;
    if (share === 0) return false;
    lexical ??= createLexicalVectors(dimensions);
    return blend(vector, text, share, lexical);
  };
  return {
    name,
    bytes: tokens * BYTES_PER_TOKEN,
    tokenizer: async () => tokenizer,
    window: null,
    embed: (texts, request) => {
      const parts = { tokenizer, pooling, hasWord, dimensions, addParts };
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
  /** Adds what the vocabulary lacks to a text's vector. Returns whether it did. */
  addParts(text: string, vector: Float32Array, isKnown: boolean): boolean;
}

/** Below the first share of words in other scripts a vector is that of the vocabulary, above the second that of the parts. */
const MIN_OTHER_SCRIPTS = 0.25;
const MAX_OTHER_SCRIPTS = 0.5;

function shareOfParts(text: string, isKnown: boolean): number {
  if (!isKnown) return 1;
  return Math.min(
    Math.max((shareOfOtherScripts(text) - MIN_OTHER_SCRIPTS) / (MAX_OTHER_SCRIPTS - MIN_OTHER_SCRIPTS), 0),
    1,
  );
}

/** Blends a vector with that of the text's parts in proportion to `share`. Returns whether the text has parts. */
function blend(vector: Float32Array, text: string, share: number, lexical: LexicalVectors): boolean {
  const parts = new Float32Array(vector.length);
  lexical(text, parts);
  if (!parts.some((value) => value !== 0)) return false;
  let square = 0;
  for (let at = 0; at < parts.length; at++) {
    parts[at] = share * (parts[at] as number) + (1 - share) * (vector[at] as number);
    square += (parts[at] as number) ** 2;
  }
  const scale = square === 0 ? 0 : 1 / Math.sqrt(square);
  for (let at = 0; at < parts.length; at++) vector[at] = (parts[at] as number) * scale;
  return true;
}

async function embedTexts(
  texts: readonly string[],
  { signal, progress }: EmbedRequest,
  { tokenizer, pooling, hasWord, dimensions, addParts }: EmbedParts,
): Promise<Vectors> {
  const values = new Float32Array(texts.length * dimensions);
  let busySince = performance.now();
  let unchecked = 0;
  const wordless: number[] = [];
  let fallbacks = 0;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as string;
    const ids = tokenizer.encode(text);
    const isKnown = hasWord(text, ids);
    pooling(ids, values, index * dimensions);
    if (addParts(text, values.subarray(index * dimensions, (index + 1) * dimensions), isKnown)) fallbacks++;
    else if (!isKnown) wordless.push(index);
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
  return { dimensions, values, wordless, fallback: { name: LEXICAL_VERSION, texts: fallbacks } };
}
