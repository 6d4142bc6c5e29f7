import { type Check, checkNone, type Mode } from '../../../../soak/mode.ts';
import { compareFuzzed, comparerOf } from '../support/compare.ts';
import { ENCODINGS, openOracle } from '../support/open.ts';

/** Every encoding gives the tokens of tiktoken. */
const fuzz: Mode = {
  title: 'fuzz: the tokens of random texts, compared with those of tiktoken',
  defaults: { seconds: 0, count: 1_000_000 },
  async run(t, { count, seed }) {
    const checks: Check[] = [];
    for (const name of ENCODINGS) {
      const oracle = openOracle(name);
      t.teardown(() => oracle.free());
      const differing = compareFuzzed(await comparerOf(name, oracle), count, seed);
      const texts = differing.map(({ text }) => JSON.stringify(text));
      checks.push(checkNone(`${name}: of ${count} texts, those with other tokens`, texts));
    }
    return { figures: [], checks };
  },
};

export default fuzz;
