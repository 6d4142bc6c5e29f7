import type { Test } from 'tap';
import { killIn, SESSIONS, type Session } from '../kills.ts';
import { checkReport } from '../mode.ts';

/** Of all kills few; `npm run test:soak -- kills --count 1000` does it more often. */
export function killCases(t: Test, isMine: (session: Session) => boolean): void {
  for (const session of SESSIONS.filter(isMine)) {
    const { name, skip = false } = session;
    t.test(`what is killed loses and doubles nothing: ${name}`, { skip }, async (t) =>
      checkReport(t, await killIn(t, session, 3, Date.now() % 1_000_000)),
    );
  }
}
