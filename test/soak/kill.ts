import { setTimeout as wait } from 'node:timers/promises';
import { temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import { sendWhile } from './load.ts';
import { type Mode, quantile } from './mode.ts';
import { createSender } from './sender.ts';
import { freePort, startSoakServer } from './server.ts';
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

    const startMs: number[] = [];
    const wrong: string[] = [];
    let right = 0;
    let broken = 0;
    for (let kills = 0; kills < count; kills++) {
      const begin = performance.now();
      const server = await startSoakServer(t, args, port);
      startMs.push(performance.now() - begin);
      const sender = createSender(port);
      for (const { name, outcome } of await sendAll(sender.send, cases)) {
        if (outcome.isRight) right++;
        else wrong.push(`${name} ${outcome.error ?? outcome.status} after the start`);
      }
      let isKilled = false;
      const load = sendWhile(
        sender,
        cases,
        () => !isKilled,
        CONNECTIONS,
        seed + kills,
        ({ name }, outcome) => {
          if (outcome.isRight) right++;
          else if (isKilled && outcome.status === 0) broken++;
          else wrong.push(`${name} ${outcome.error ?? outcome.status}`);
        },
      );
      await wait(random() * MOST_MS);
      isKilled = true;
      await server.kill('SIGKILL');
      await load;
      sender.close();
    }
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
          isKept: wrong.length === 0 && right >= count * cases.length,
        },
        { what: 'kills met requests under way', found: String(broken), isKept: broken > 0 },
      ],
    };
  },
};

async function sendAll<T>(send: (one: Case) => Promise<T>, cases: readonly Case[]) {
  return Promise.all(cases.map(async (one) => ({ name: one.name, outcome: await send(one) })));
}
