import t from 'tap';
import { killWhileWriting } from '../../soak/writes.ts';

/** How often the server is killed; `npm run test:soak -- writes` does it more often. */
const KILLS = Number(process.env.KILLS ?? 8);

t.setTimeout(30_000 + KILLS * 10_000);

t.test(`nothing that was answered is lost when the server is killed ${KILLS} times`, async (t) => {
  const { checks } = await killWhileWriting(t, KILLS);
  for (const { what, found, isKept } of checks) t.ok(isKept, `${what}; found ${found}`);
});
