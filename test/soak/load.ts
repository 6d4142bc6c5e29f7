import { setTimeout as wait } from 'node:timers/promises';
import { createRandom, pick } from '../support/random.ts';
import { temporaryFolder } from '../support/server.ts';
import { type Case, makeCases } from './cases.ts';
import { check, type Mode, megabytes } from './mode.ts';
import { watchMemory } from './resources.ts';
import { createSender, type Outcome, type Sender } from './sender.ts';
import { startSoakServer } from './server.ts';

const SIZES = [150, 2000, 10_000, 40_000, 200_000, 1_000_000];
const CONNECTIONS = 8;
const MAX_GROWTH = 0.1;
/** Full load for minutes: no wrong answer, and no more memory at the end than halfway, when it should be level. */
export const load: Mode = {
  title: 'load: requests of all kinds and sizes, as fast as they are served',
  defaults: { seconds: 600, count: 0 },
  async run(t, { seconds, seed }) {
    const server = await startSoakServer(t, ['--data-dir', await temporaryFolder(t)]);
    const cases = await makeCases(server.client, SIZES, seed);
    const sender = createSender(server.client.port);
    t.teardown(sender.close);
    const tally = new Map<string, { right: number; wrong: number }>();
    let total = 0;
    const sendOn = (goesOn: () => boolean) =>
      sendWhile(sender, cases, goesOn, CONNECTIONS, seed, ({ name }, { isRight }) => {
        total++;
        const entry = tally.get(name) ?? { right: 0, wrong: 0 };
        entry[isRight ? 'right' : 'wrong']++;
        tally.set(name, entry);
      });
    const memory = watchMemory(server.pid);
    await sendOn(forSeconds(seconds));
    memory.stop();
    const minute = Math.min(60, seconds / 5);
    const early = memory.mean(seconds / 2, seconds / 2 + minute);
    const late = memory.mean(seconds - minute, seconds);
    const growth = late / early;
    const tenths = Array.from({ length: 10 }, (_, index) =>
      memory.mean((index * seconds) / 10, ((index + 1) * seconds) / 10),
    );
    const wrong = [...tally.values()].reduce((sum, entry) => sum + entry.wrong, 0);
    return {
      figures: [
        ['requests', String(total)],
        ...[...tally].map(([name, { right }]) => [`right, ${name}`, String(right)] as const),
        [`memory, ${minute} s from halfway on`, megabytes(early)],
        [`memory, last ${minute} s`, megabytes(late)],
        ['memory, peak', megabytes(memory.peak())],
        ['memory by tenths of the time', tenths.map(megabytes).join(', ')],
      ],
      checks: [
        check('wrong answers: 0', wrong, wrong === 0 && total > 0),
        check(
          `memory grows by at most ${MAX_GROWTH * 100} % from halfway on`,
          growth.toFixed(3),
          growth <= 1 + MAX_GROWTH,
        ),
      ],
    };
  },
};

/** Keeps so many requests under way as long as told, each one taken at random. */
export async function sendWhile(
  sender: Sender,
  cases: readonly Case[],
  goesOn: () => boolean,
  connections: number,
  seed: number,
  note: (one: Case, outcome: Outcome) => void,
): Promise<void> {
  const sendOn = async (random: () => number) => {
    while (goesOn()) {
      const one = pick(random, cases);
      const outcome = await sender.send(one);
      note(one, outcome);
      if (outcome.status === 0) await wait(10);
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, index) => sendOn(createRandom(seed + index))));
}

/** True for so long from now on. */
export function forSeconds(seconds: number): () => boolean {
  const end = performance.now() + seconds * 1000;
  return () => performance.now() < end;
}
