import t from 'tap';
import { crashUnderLoad } from '../soak/crash.ts';

/** `npm run test:soak -- crash` does it more often. */
t.test('workers that crash under load fail their own requests only', async (t) => {
  const { checks } = await crashUnderLoad(t, 5, Date.now() % 1_000_000);
  for (const { what, found, isKept } of checks) t.ok(isKept, `${what}; found ${found}`);
});
