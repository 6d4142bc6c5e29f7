import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { memory: { type: 'boolean', default: false }, against: { type: 'string' } },
});

/** What follows `npm run bench --`. */
export const flags = {
  /** The benchmarks to run. */
  names: positionals,
  memory: values.memory,
  /** The folder of another checkout, installed, that does the same work by turns. */
  against: values.against === undefined ? undefined : resolve(values.against),
};
