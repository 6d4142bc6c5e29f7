import t from 'tap';
import { checkReport } from '../../../../soak/mode.ts';
import fuzz from '../soak/fuzz.ts';

/** `npm run test:soak -- fuzz` compares a million. */
t.test('the tokens of random texts are those of tiktoken', async (t) => {
  const seed = Date.now() % 1_000_000;
  t.comment(`seed ${seed}`);
  const options = { seconds: 0, count: 20_000, seed, only: '' };
  checkReport(t, await fuzz.run(t, options));
});
