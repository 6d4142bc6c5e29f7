import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import type { Purpose } from '../../core/contracts/embedding.ts';
import { checkTexts, type Limits } from './limits.ts';
import type { Encoding, TokenField } from './text-schemas.ts';

/** What is asked of texts that are not chunked: their vectors, or their tokens. Plain data. */
export type TextsRequest = EmbedTexts | TokenizeTexts;

interface Texts {
  readonly texts: readonly string[];
  /** Seconds that it took to read the request. */
  readonly parseSeconds: number;
}

export interface EmbedTexts extends Texts {
  readonly run: 'embed';
  readonly options: {
    readonly embedding_model: string;
    readonly purpose: Purpose;
    readonly encoding: Encoding;
  };
}

export interface TokenizeTexts extends Texts {
  readonly run: 'tokenize';
  readonly options: {
    readonly tokenizer?: string;
    readonly include: readonly TokenField[];
    readonly offset_unit: OffsetUnit;
  };
}

/**
 * The request that a body makes, once it is checked against the schema of `run`.
 *
 * @throws ServiceError `invalid_parameters` if there are more or longer texts than allowed
 */
export function textsRequest(
  run: TextsRequest['run'],
  { text, ...options }: Readonly<Record<string, unknown>>,
  limits: Limits,
): Omit<TextsRequest, 'parseSeconds'> {
  const given = text as string | readonly string[];
  checkTexts(given, limits);
  const texts = typeof given === 'string' ? [given] : given;
  return { run, texts, options } as Omit<TextsRequest, 'parseSeconds'>;
}
