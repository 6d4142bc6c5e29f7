import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import { sendWhile } from './load.ts';
import { type Mode, quantile, type Report } from './mode.ts';
import { createSender } from './sender.ts';
import { freePort, type SoakServer, startSoakServer } from './server.ts';
import { createRandom } from './texts.ts';

const SIZES = [2000, 40_000];
const CONNECTIONS = 6;
const MOST_MS = 1500;

/** A server that is killed under load and started again: it is right at once, also with what it stored. */
export const kill: Mode = {
  title: 'kill: the server is killed under load and started again',
  defaults: { seconds: 0, count: 20 },
  async run(t, { count, seed }) {
    const random = createRandom(seed);
    const port = await freePort();
    const args = ['--data-dir', await temporaryFolder(t)];
    const first = await startSoakServer(t, args, port);
    const cases = await makeCases(first.client, SIZES, seed);
    await first.kill('SIGKILL');
    const found: Found = { startMs: [], wrong: [], right: 0, broken: 0 };
    for (let kills = 0; kills < count; kills++) {
      const begin = performance.now();
      const server = await startSoakServer(t, args, port);
      found.startMs.push(performance.now() - begin);
      await killUnderLoad(server, cases, random() * MOST_MS, seed + kills, found);
    }
    return reportOf(found, count * cases.length);
  },
};

/** What the answers of all servers were. */
interface Found {
  readonly startMs: number[];
  readonly wrong: string[];
  right: number;
  /** Requests that a kill broke. */
  broken: number;
}

async function killUnderLoad(
  server: SoakServer,
  cases: readonly Case[],
  afterMs: number,
  seed: number,
  found: Found,
): Promise<void> {
  const sender = createSender(server.client.port);
  for (const { name, outcome } of await sendAll(sender.send, cases)) {
    if (outcome.isRight) found.right++;
    else found.wrong.push(`${name} ${outcome.error ?? outcome.status} after the start`);
  }
  let isKilled = false;
  const load = sendWhile(
    sender,
    cases,
    () => !isKilled,
    CONNECTIONS,
    seed,
    ({ name }, outcome) => {
      if (outcome.isRight) found.right++;
      else if (isKilled && outcome.status === 0) found.broken++;
      else found.wrong.push(`${name} ${outcome.error ?? outcome.status}`);
    },
  );
  await wait(afterMs);
  isKilled = true;
  await server.kill('SIGKILL');
  await load;
  sender.close();
}

function reportOf({ startMs, wrong, right, broken }: Found, leastRight: number): Report {
  return {
    figures: [
      ['right answers', String(right)],
      ['requests that a kill broke', String(broken)],
      ['start to first answer, median', `${quantile(startMs, 0.5).toFixed(0)} ms`],
    ],
    checks: [
      {
        what: 'wrong answers, or none from a living server: 0',
        found: [wrong.length, ...new Set(wrong)].join(', ').slice(0, 300),
        isKept: wrong.length === 0 && right >= leastRight,
      },
      { what: 'kills met requests under way', found: String(broken), isKept: broken > 0 },
    ],
  };
}

async function sendAll<T>(send: (one: Case) => Promise<T>, cases: readonly Case[]) {
  return Promise.all(cases.map(async (one) => ({ name: one.name, outcome: await send(one) })));
}
