import { COMMON, type PromiseOf, type Promises } from '../../promises.ts';
import type { Ledger } from '../../report.ts';
import { HAS_STAND_IN } from './stand-in.ts';

/** The promises of a sink. */
export const PROMISES = {
  answers: {
    ...COMMON.answers,
    [HAS_STAND_IN]:
      'Write stand-in.js into the folder of the plugin: it starts what the sink stores in, and reports what is stored.',
  },
  stored: {
    'chunks are stored unchanged, replacing those with the same ids':
      'Store all members of a chunk, including fields, under its id, and replace the chunk with that id.',
    'a document keeps exactly the kept chunks, other documents keep all':
      'Let deleteMissing remove the chunks of that document whose ids are not kept, and no others.',
    'it stores 1000 chunks at once': 'Send long lists in batches, with batchChunks.',
    'of chunks with the same id it stores the last':
      'Let a later chunk of a list replace an earlier one with the same id.',
    'it can keep 10,000 ids': 'Do not send all kept ids in one call if the database limits its length.',
  },
  removed: {
    'all chunks of the documents are removed, and no others':
      'Let removeDocuments remove the chunks of these documents; there may be very many.',
    'without a collection nothing is removed, and none is created':
      'Let removeDocuments succeed without creating anything if the collection does not exist.',
  },
  vectors: {
    'a vector of the wrong length, or a missing one, is an error for callers':
      'Throw exposedError if a vector does not have the dimensions of the collection, as batchChunks does.',
    'refused chunks are not stored': 'Check all chunks before the first one is stored.',
    'a collection with vectors of another length is an error for callers':
      'Let open throw exposedError if the collection exists with other dimensions.',
    'chunks without vectors are stored, or an error for callers':
      'Store chunks whose embedding is null if dimensions are undefined, or throw exposedError.',
  },
  texts: {
    'a text that it cannot store is an error for callers, and never changed':
      'Throw exposedError for a text with what the database cannot hold, such as NUL; batchChunks finds lone surrogates.',
  },
  numbers: {
    'a number is stored digit by digit, or as its text, or is an error for callers':
      'Write fields with JSON.stringify, which knows such numbers, into what keeps them; else throw exposedError: JSON.isRawJSON finds them.',
  },
  signal: {
    'it ends when the signal aborts':
      'Call signal.throwIfAborted() in open, upsert, deleteMissing and removeDocuments before the work, and pass the signal on.',
  },
  failures: {
    'it retries after 429 and 503': 'Call the database with hosted.demand, which retries.',
    'a server that stays busy is an error for callers': 'Throw exposedError with what the database said.',
    'an unreachable server is an error for callers': 'Throw exposedError if the database cannot be reached.',
  },
} as const satisfies Promises;

export type SinkLedger = Ledger<PromiseOf<typeof PROMISES>>;
