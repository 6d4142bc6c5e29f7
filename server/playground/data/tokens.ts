import { post } from './api.ts';

interface Tokenized {
  readonly results: readonly { readonly offsets: readonly (readonly [start: number, end: number])[] }[];
}

/** Where the tokens of a text begin, in UTF-16 units; they do not fall. */
export async function tokenStarts(
  text: string,
  tokenizer: string,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const asked = { text, tokenizer, include: ['offsets'], offset_unit: 'utf16' };
  const { body } = await post<Tokenized>('v1/tokenize', asked, signal);
  return (body.results[0]?.offsets ?? []).map(([start]) => start);
}
