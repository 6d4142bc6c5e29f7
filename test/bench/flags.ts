import { resolve } from 'node:path';
import { parseArgs } from 'node:util';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    memory: { type: 'boolean', default: false },
    quick: { type: 'boolean', default: false },
    check: { type: 'boolean', default: false },
    against: { type: 'string' },
    only: { type: 'string' },
  },
});

/** What follows `npm run bench --`. */
export const flags = {
  /** The benchmarks to run. */
  names: positionals,
  memory: values.memory,
  quick: values.quick,
  /** Whether the report is compared with what is measured, and not written. */
  check: values.check,
  /** The parts of the report to measure, with commas between them; of `corpus`, what titles of tables have. */
  only: values.only,
  /** The folder of another checkout, installed, that does the same work by turns. */
  against: values.against === undefined ? undefined : resolve(values.against),
};

/** A size of the work: smaller with `--quick`, for a look that takes minutes. */
export const scaled = (full: number, quick: number): number => (flags.quick ? quick : full);
