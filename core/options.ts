import { type TProperties, Type } from 'typebox';
import type { Manifest } from './contracts.ts';
import { OFFSET_UNITS } from './json-chunks.ts';

/**
 * Request parameters that several plugins share, each written once. Beside the keywords of JSON Schema
 * there is `lessThan: "<parameter>"`: the value must be below that of another parameter of the request.
 */

export const chunkSize = () =>
  Type.Integer({ minimum: 1, default: 512, description: 'Most tokens of a chunk.' });

export const chunkOverlap = () =>
  Type.Integer({
    minimum: 0,
    default: 0,
    lessThan: 'chunk_size',
    description: 'Tokens that a chunk repeats from the end of the one before it. Less than chunk_size.',
  });

/** Ends of sentences: those of the Latin script need a space or the end of a line behind them. */
const SENTENCE_ENDS = ['\n', '. ', '! ', '? ', '。', '！', '？', '｡'];

export const delimiters = () =>
  Type.Union([delimiter, Type.Array(delimiter, { maxItems: 100 })], {
    default: SENTENCE_ENDS,
    description:
      'Literal strings that end a sentence, never patterns. Of several at one place the longest counts.',
  });

const delimiter = Type.String({ minLength: 1, maxLength: 100 });

export const delimiterSide = () =>
  Type.Enum(['prev', 'next'], {
    default: 'prev',
    description: 'Whether a delimiter goes with the sentence before it or the one after it.',
  });

export const minimumSentences = () =>
  Type.Integer({
    minimum: 1,
    default: 1,
    description: 'Fewest sentences of a chunk, as far as chunk_size allows it.',
  });

export const minimumSentence = () =>
  Type.Integer({
    minimum: 1,
    default: 12,
    description: 'Characters that a sentence has at least; a shorter one is joined to its neighbour.',
  });

/** What a chunker does with a single sentence, function or class above `chunk_size`. */
export const oversize = (unit: string) =>
  Type.Enum(['keep', 'split'], {
    default: 'keep',
    description: `A single ${unit} above chunk_size: kept whole, or split so that chunk_size is a hard limit.`,
  });

const text = Type.Union([Type.String(), Type.Array(Type.String())], {
  description: 'A text, or a list of texts: the answer is then a list of lists, in the same order.',
});

const tokenizer = Type.String({
  minLength: 1,
  maxLength: 200,
  default: 'character',
  description:
    'What a token is: character, gpt2, cl100k_base, another encoding of tiktoken, or the name of an installed tokenizer of the hub.',
});

const offsetUnit = Type.Enum([...OFFSET_UNITS], {
  default: 'code_point',
  description:
    'Unit of start_index and end_index: code points (Python, Rust chars), UTF-16 units (JavaScript, Java) or bytes of UTF-8 (Go, Rust).',
});

/** The whole request of a chunker: what every chunker takes, and the plugin's own options. */
export function chunkRequest(manifest: Manifest) {
  const usesTokenizer = manifest.uses?.includes('tokenizer') ?? false;
  return Type.Object(
    {
      text,
      ...(usesTokenizer ? { tokenizer: Type.Optional(tokenizer) } : {}),
      ...ownOptions(manifest),
      offset_unit: Type.Optional(offsetUnit),
    },
    { additionalProperties: false },
  );
}

/** The manifest's options; one with a default, or that is not listed as required, may be left out. */
function ownOptions({ options }: Manifest): TProperties {
  const required: readonly string[] = (options as { required?: string[] } | undefined)?.required ?? [];
  const properties = Object.entries((options?.properties ?? {}) as TProperties);
  return Object.fromEntries(
    properties.map(([name, schema]) => {
      const mayBeLeftOut = 'default' in schema || !required.includes(name);
      return [name, mayBeLeftOut ? Type.Optional(schema) : schema];
    }),
  );
}
