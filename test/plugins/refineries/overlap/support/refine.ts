import type { Chunk } from '../../../../../core/contracts/chunk.ts';
import type { RefineContext, RefineTools } from '../../../../../core/contracts/refinery.ts';
import type { Tokenizer } from '../../../../../core/contracts/tokenizer.ts';
import createOverlap from '../../../../../plugins/refineries/overlap/index.ts';
import type { OverlapOptions } from '../../../../../plugins/refineries/overlap/manifest.ts';
import { isHere } from '../../../../support/here.ts';
import { composeQuietly } from '../../../../support/service.ts';

const { openers } = await composeQuietly();
export const character = await openers.tokenizer('character');
/** One whose tokens are of several letters; tests that need its very tokens say so. */
export const cl100k = isHere('tokenizer/tiktoken') ? await openers.tokenizer('cl100k_base') : character;
export const overlap = createOverlap();
export const DEFAULTS: OverlapOptions = { context_size: 0.25, mode: 'token', method: 'suffix', merge: true };

export async function refine(
  chunks: readonly Chunk[],
  options: Partial<OverlapOptions> = {},
  tokenizer = character,
): Promise<Chunk[]> {
  return overlap.refine(chunks, { ...DEFAULTS, ...options }, contextOf(tokenizer));
}

export function contextOf(
  tokenizer: Tokenizer,
  signal = new AbortController().signal,
): RefineContext<'tokenizer'> {
  const tools: RefineTools = {
    surround: (chunk, before, after, fields) => ({ ...chunk, ...fields, text: before + chunk.text + after }),
    part: refuse,
    join: refuse,
  };
  return { tokenizer, document: {}, ...tools, report() {}, signal };
}

function refuse(): never {
  throw new Error('the number of chunks stays');
}

/** Chunks of one source text; `token_count` is a number that nobody counted, to see what is kept. */
export function chunksOf(texts: readonly string[]): Chunk[] {
  let start = 0;
  return texts.map((text) => {
    const start_index = start;
    start += text.length;
    return { text, start_index, end_index: start, token_count: 1000 };
  });
}

export async function contexts(
  texts: readonly string[],
  options: Partial<OverlapOptions>,
  tokenizer?: Tokenizer,
): Promise<unknown[]> {
  const refined = await refine(chunksOf(texts), { merge: false, ...options }, tokenizer);
  return refined.map(({ context }) => context);
}

export const counted = (tokenizer: Tokenizer, text: string) => tokenizer.tokenize(text).count(0, text.length);

export const THREE = ['abcdefgh', 'ijklmnop', 'qrstuvwx'];
