import type { Ledger } from '../ledger.ts';
import { COMMON, type PromiseOf, type Promises } from '../promises.ts';

/** What a chunker is held to. */
export const PROMISES = {
  answers: {
    ...COMMON.answers,
    'it takes one text in ten or more':
      'Chunk texts of other formats too, as well as that goes; refuse only what cannot be chunked at all.',
    'text of white space only gives no chunks':
      'Return no span that holds white space only; the service asks for none.',
  },
  offsets: {
    'offsets are code points of the text': 'Return offsets in UTF-16 units, as JavaScript counts them.',
    'chunks begin and end between characters':
      'Cut at no place where kit.splitsCodePoint(text, place) is true: it is in the middle of a surrogate pair.',
    'offsets are UTF-16 units if the request asks for them': 'Do not let offset_unit change the spans.',
    'offsets are bytes of UTF-8 if the request asks for them': 'Do not let offset_unit change the spans.',
  },
  order: {
    'no chunk is empty': 'Leave out spans whose start is their end.',
    'chunks are in the order of the text':
      'Return spans with rising starts and rising ends, within the text, and none without a character.',
  },
  'nothing lost': {
    'no text is lost between chunks':
      'Let each span begin where the one before ends, or before, and the last one end at the end of the text; or take `lossless` out of the manifest.',
    'joined, the chunks are the text':
      'Without chunk_overlap, let each span begin where the one before ends; or take `lossless` out of the manifest.',
  },
  limits: {
    'no chunk is over chunk_size':
      'Cut with context.divide, which keeps chunk_size; pack leaves larger pieces whole. Or take `bounded` out of the manifest.',
  },
  'token counts': {
    "token_count is the count of the chunk's own text":
      'Leave token_count out, so that the service counts, or give what context.tokens.count(start, end) says.',
  },
  determinism: {
    'the same request gives the same answer':
      'Let the answer depend on the text and the options alone: on no random number, time or earlier request.',
  },
  'options together': {
    'an option that effectiveWith rules out has no effect':
      'Do not read the option then, or mend its effectiveWith in the manifest.',
  },
} as const satisfies Promises;

export type ChunkerLedger = Ledger<PromiseOf<typeof PROMISES>>;
