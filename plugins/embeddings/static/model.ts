import { readFile } from 'node:fs/promises';
import { setImmediate } from 'node:timers/promises';
import type { EmbeddingModel, EmbedRequest, ModelFile, Tokenizer, Vectors } from '../../../core/kit.ts';
import { type Prompts, withPrompt } from '../../toolkit/prompts.ts';
import { familiarityOf, shareOfParts } from './lexical/familiarity.ts';
import { createLexicalVectors, type LexicalVectors } from './lexical/lexical-vectors.ts';
import { LEXICAL_VERSION } from './lexical/part-rows.ts';
import { createMeanPooling, type MeanPooling, type PoolingOptions } from './pooling/mean-pooling.ts';
import type { Table, TableShape } from './table/table.ts';
import type { TableLease } from './table/table-registry.ts';

export interface StaticConfig extends PoolingOptions {
  readonly dimensions: number | undefined;
  /** Calibration maps a cosine to `(cosine + offset) / (1 + offset)`; undefined for no calibration. */
  readonly calibrationOffset: number | undefined;
  /** Whether texts that the vocabulary does not know get vectors of their parts. */
  readonly readsParts: boolean;
}

export const CONFIG_FILE: ModelFile = { name: 'config.json', maxBytes: 1024 * 1024 };

/** Reads a `config.json`. Returns `undefined` if it does not describe a static model. */
export async function readConfig(path: string): Promise<StaticConfig | undefined> {
  const config = parseFields(await readFile(path, 'utf8'));
  if (config.model_type !== 'model2vec') return undefined;
  const offset = at(config, 'chunking_hints', 'similarity_calibration', 'offset');
  const dimensions = config.hidden_dim;
  return {
    dimensions: typeof dimensions === 'number' ? dimensions : undefined,
    normalizes: config.normalize === true,
    dampsRepeats: at(config, 'pooling', 'repeats') === 'log',
    readsParts: config.unknown_texts === LEXICAL_VERSION,
    calibrationOffset: typeof offset === 'number' && offset > -1 ? offset : undefined,
  };
}

type Fields = Readonly<Record<string, unknown>>;

/** Parses a JSON object. Returns no fields for any other file: another plugin may support the model. */
export function parseFields(json: string): Fields {
  try {
    const value: unknown = JSON.parse(json);
    return isRecord(value) ? value : {};
  } catch {
    return {};
  }
}

function at(fields: Fields, ...path: readonly string[]): unknown {
  return path.reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), fields);
}

const isRecord = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

/** Approximate bytes of a token per thread: its tokenizer entry and its count. */
const BYTES_PER_TOKEN = 160;

/** Maximum milliseconds that a model computes before it lets other work of the thread run. */
const MAX_BUSY_MS = 20;

/** Tokens that a model embeds between checks of the clock and the signal. */
const TOKENS_BETWEEN_CHECKS = 1000;

export type EncodingTokenizer = Tokenizer & Required<Pick<Tokenizer, 'encode'>>;

export interface ModelParts {
  readonly name: string;
  readonly config: StaticConfig;
  readonly prompts: Prompts;
  readonly table: Table;
  readonly tokenizer: EncodingTokenizer;
  /** How familiar each token is; undefined if all texts have vectors of the vocabulary alone. */
  readonly levels: Int8Array | undefined;
  /** Opens the rows of parts, when the first text needs them. */
  openParts(): Promise<TableLease>;
  close(): void;
}

export function createModel(parts: ModelParts): EmbeddingModel {
  const { name, config, prompts, table, tokenizer, levels, close } = parts;
  const { dimensions, tokens } = table.shape;
  const { calibrationOffset: offset } = config;
  const pooling = createMeanPooling(table, config);
  const hasWord = createWordFinder(tokenizer, table.shape);
  let lease: Promise<TableLease> | undefined;
  let lexical: LexicalVectors | undefined;

  async function openLexical(): Promise<LexicalVectors> {
    lease ??= parts.openParts().catch((error) => {
      lease = undefined;
      throw error;
    });
    const { table } = await lease;
    lexical ??= createLexicalVectors(table, dimensions);
    return lexical;
  }

  function shareOf(text: string, ids: Uint32Array, isKnown: boolean): number {
    if (levels === undefined) return 0;
    return isKnown ? shareOfParts(familiarityOf(text, ids, levels)) : 1;
  }

  return {
    name,
    bytes: tokens * BYTES_PER_TOKEN,
    tokenizer: async () => tokenizer,
    window: null,
    embed: (texts, request) => {
      const parts = { tokenizer, pooling, hasWord, dimensions, shareOf, openLexical };
      return embedTexts(withPrompt(texts, prompts[request.purpose]), request, parts);
    },
    ...(offset === undefined ? {} : { calibrate: (cosine) => (cosine + offset) / (1 + offset) }),
    close() {
      close();
      lease?.then(({ release }) => release());
    },
  };
}

interface EmbedParts {
  readonly tokenizer: EncodingTokenizer;
  readonly pooling: MeanPooling;
  readonly hasWord: WordFinder;
  readonly dimensions: number;
  /** The share of a text's parts in its vector: 0 if the vocabulary knows the text. */
  shareOf(text: string, ids: Uint32Array, isKnown: boolean): number;
  openLexical(): Promise<LexicalVectors>;
}

/** Blends the vector of a text's parts into its vector, unless the text has no parts. @return whether it has */
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
  { tokenizer, pooling, hasWord, dimensions, shareOf, openLexical }: EmbedParts,
): Promise<Vectors> {
  const values = new Float32Array(texts.length * dimensions);
  let busySince = performance.now();
  let unchecked = 0;
  const wordless: number[] = [];
  let fallbacks = 0;
  let lexical: LexicalVectors | undefined;
  for (let index = 0; index < texts.length; index++) {
    const text = texts[index] as string;
    const ids = tokenizer.encode(text);
    const isKnown = hasWord(text, ids);
    pooling(ids, values, index * dimensions);
    const share = shareOf(text, ids, isKnown);
    let hasParts = false;
    if (share > 0) {
      lexical ??= await openLexical();
      const vector = values.subarray(index * dimensions, (index + 1) * dimensions);
      hasParts = blend(vector, text, share, lexical);
    }
    if (hasParts) fallbacks++;
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

/** Whether a text has a known token with a letter or digit. @param ids the tokens of the text */
type WordFinder = (text: string, ids: Uint32Array) => boolean;

const LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;

const UNSEEN = 0;
const WORD = 1;
const NO_WORD = 2;

/** Caches which tokens are words. Other tokens are examined only if no token of the text is a cached word. */
function createWordFinder(tokenizer: EncodingTokenizer, { tokens, unknownId }: TableShape): WordFinder {
  const kinds = new Uint8Array(tokens);
  if (unknownId !== undefined && unknownId < tokens) kinds[unknownId] = NO_WORD;

  function learn(text: string, ids: Uint32Array): boolean {
    const ends = tokenizer.tokenize(text).ends();
    let hasWord = false;
    for (const [at, id] of ids.entries()) {
      if (kinds[id] !== UNSEEN) continue;
      const token = text.slice(at === 0 ? 0 : ends[at - 1], ends[at]);
      const isWord = LETTER_OR_DIGIT.test(token);
      kinds[id] = isWord ? WORD : NO_WORD;
      hasWord ||= isWord;
    }
    return hasWord;
  }

  return (text, ids) => {
    let hasUnseen = false;
    for (let at = 0; at < ids.length; at++) {
      const kind = kinds[ids[at] as number];
      if (kind === WORD) return true;
      if (kind === UNSEEN) hasUnseen = true;
    }
    return hasUnseen && learn(text, ids);
  };
}
