import { COMMON, type PromiseOf, type Promises } from '../../promises.ts';
import type { Ledger } from '../../report.ts';
import { HAS_STAND_IN } from './stand-in.ts';

/** What a sink is held to. */
export const PROMISES = {
  answers: {
    ...COMMON.answers,
    [HAS_STAND_IN]:
      'Write stand-in.js into the folder of the plugin: it starts what the sink stores in, and says what is stored.',
  },
  stored: {
    'chunks are stored as they are, in the place of those with their ids':
      'Store all members of a chunk, fields included, under its id, and replace the chunk that has that id.',
    'of a document those chunks are left that are kept, of others all':
      'Let deleteMissing remove the chunks of that document whose ids are not kept, and no others.',
    'it stores 1000 chunks at once': 'Send long lists in batches: kit.batchChunks makes them.',
    'of chunks with one id it stores the last':
      'Let a later chunk of a list replace an earlier one with its id.',
    'it can keep 10,000 ids': 'Do not send all kept ids in one call if the database limits its length.',
  },
  removed: {
    'all chunks of documents are removed, and of no other':
      'Let removeDocuments remove the chunks of these documents, of which there may be very many.',
    'where there is no collection there is nothing to remove, and none is made':
      'Let removeDocuments end without an error, and without making anything, if the collection is not there.',
  },
  vectors: {
    'a vector of another length, or none, is an error for callers':
      'Throw kit.exposedError if a vector has not the dimensions of the collection; kit.batchChunks does.',
    'what is refused is not stored': 'Check all chunks before the first one is stored.',
    'a collection with vectors of another length is an error for callers':
      'Let open throw kit.exposedError if the collection is there with other dimensions.',
    'chunks without vectors are stored, or an error for callers':
      'Store chunks whose embedding is null where dimensions are undefined, or throw kit.exposedError.',
  },
  texts: {
    'a text that it cannot store is an error for callers, and never changed':
      'Throw kit.exposedError for a text with what the database cannot hold, such as NUL; kit.batchChunks finds halves of surrogate pairs.',
  },
  numbers: {
    'a number is stored digit by digit, or as its text, or is an error for callers':
      'Write fields with JSON.stringify, which knows such numbers, into what keeps them; else throw kit.exposedError: kit.rawNumbersIn finds them.',
  },
  signal: {
    'it ends when nobody waits any more':
      'Call signal.throwIfAborted() in open, upsert, deleteMissing and removeDocuments before the work, and hand the signal on.',
  },
  failures: {
    'it tries again after 429 and 503': 'Call the database with hosted.demand, which tries again.',
    'a server that stays busy is an error for callers': 'Throw kit.exposedError with what the database said.',
    'a server that has gone is an error for callers':
      'Throw kit.exposedError if the database cannot be reached.',
  },
} as const satisfies Promises;

export type SinkLedger = Ledger<PromiseOf<typeof PROMISES>>;
