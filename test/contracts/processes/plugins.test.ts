import t from 'tap';
import { KINDS, type Kind } from '../../../core/contracts/manifest.ts';
import { type Runs, testPromises } from '../keep-promises.ts';

/**
 * Enough to find all broken promises of the samples, some of which show in one of eighty cases only. `CONTRACT_RUNS` may
 * be more.
 */
const RUNS: Runs = { chunker: 100, refinery: 60, reader: 100, tokenizer: 60, embedding: 20, sink: 10 };
const asked = process.env.CONTRACT_RUNS;

await testPromises(
  t,
  asked === undefined
    ? RUNS
    : (Object.fromEntries(KINDS.map((kind) => [kind, Number(asked)])) as Record<Kind, number>),
);
