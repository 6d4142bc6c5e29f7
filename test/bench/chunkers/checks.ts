import { get_encoding } from 'tiktoken';

interface Chunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

const encoding = get_encoding('cl100k_base');

/** Describes an answer: whether its chunks add up to the text, and its offsets and counts are right. */
export function describeAnswer(answer: Uint8Array, text: string, tokenizer: string): string {
  const chunks = JSON.parse(Buffer.from(answer).toString()) as Chunk[];
  const points = Array.from(text);
  const isWhole = chunks.map((chunk) => chunk.text).join('') === text;
  const misplaced = chunks.filter(
    (chunk) => points.slice(chunk.start_index, chunk.end_index).join('') !== chunk.text,
  );
  const miscounted = chunks.filter((chunk) => chunk.token_count !== countTokens(chunk.text, tokenizer));
  const facts = [
    `${chunks.length} chunks`,
    `text ${isWhole ? 'rebuilt' : 'NOT REBUILT'}`,
    `offsets ${misplaced.length === 0 ? 'right' : `WRONG in ${misplaced.length}`}`,
    `token_count ${miscounted.length === 0 ? 'exact' : `of ${miscounted.length} not that of the chunk read alone`}`,
  ];
  return facts.join(', ');
}

function countTokens(text: string, tokenizer: string): number {
  return tokenizer === 'character' ? Array.from(text).length : encoding.encode_ordinary(text).length;
}
