import t from 'tap';
import { killIn, SESSIONS } from '../kills.ts';
import { checkReport } from '../mode.ts';

/** `npm run test:soak -- kills --count 1000` does it more often. */
for (const session of SESSIONS) {
  t.test(
    `what is killed loses and doubles nothing: ${session.name}`,
    { skip: session.skip ?? false },
    async (t) => checkReport(t, await killIn(t, session, 3, Date.now() % 1_000_000)),
  );
}
