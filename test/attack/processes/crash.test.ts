import t from 'tap';
import { crashUnderLoad } from '../../soak/crash.ts';
import { checkReport } from '../../soak/mode.ts';

/** `npm run test:soak -- crash` does it more often. */
t.test('workers that crash under load fail their own requests only', async (t) => {
  checkReport(t, await crashUnderLoad(t, 2, Date.now() % 1_000_000));
});
