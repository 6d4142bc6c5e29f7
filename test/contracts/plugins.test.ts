import t from 'tap';
import { testPromises } from './keep-promises.ts';

/** Enough to find what breaks often; `processes/plugins.test.ts` tries more. */
await testPromises(t, { chunker: 30, refinery: 20, reader: 30, tokenizer: 20, embedding: 10, sink: 5 });
