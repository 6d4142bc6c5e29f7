import { setTimeout as wait } from 'node:timers/promises';
import { quantile } from '../bench/race/statistics.ts';
import { type Cleanup, temporaryFolder } from '../support/server.ts';
import { type CheckedStream, makeSamples, openCheckedStream, type Sample } from './checked-stream.ts';
import type { HealthReport } from './health-process.ts';
import { type Check, check, type Mode, megabytes } from './mode.ts';
import { startProbe } from './probe.ts';
import { residentBytes, watchMemory } from './resources.ts';
import { type SoakServer, startSoakServer } from './server.ts';
import { proseOf } from './texts.ts';

const MEGABYTE = 1_000_000;
const MAX_GROWTH = 300 * MEGABYTE;
const WARM_UP = 200 * MEGABYTE;
const QUIET_SECONDS = 10;
/** Bytes that the slow reader takes in a second. */
const SLOW_BYTES = MEGABYTE;
const SLOW_STEPS = 10;
const SMALL_UNITS = 2000;

/** One long stream: the server does not grow with it, nor with a client that reads slowly, and others are answered. */
export const stream: Mode = {
  title: 'stream: a stream of so many megabytes (count), and one that is read slowly for so many seconds',
  defaults: { seconds: 60, count: 2000 },
  async run(t, { seconds, count, seed }) {
    const server = await startSoakServer(t, ['--data-dir', await temporaryFolder(t)]);
    const started = residentBytes(server.pid);
    const samples = await makeSamples(server.client, seed);
    const warmUp = openCheckedStream(server.client.url, samples, WARM_UP, seed);
    await warmUp.ended;
    const quiet = startProbes(t, server, seed);
    await wait(QUIET_SECONDS * 1000);
    const idle = await quiet.end();
    const before = residentBytes(server.pid);

    const long = await streamAll(t, server, samples, count * MEGABYTE, seed);
    const slow = await streamSlowly(server, samples, seconds, seed);
    const failures = long.probed.health.failures + long.probed.small.failures;
    return {
      figures: [
        ['memory after the start', megabytes(started)],
        ['memory before, after a warm-up', megabytes(before)],
        ['memory at most, one stream as fast as it goes', megabytes(long.peak)],
        ['memory at most, one stream that is read slowly', megabytes(slow.peak)],
        ['documents, and megabytes a second', `${long.stream.answered}, ${long.rate.toFixed(1)}`],
        ['read slowly, of what was sent', `${megabytes(slow.stream.read)}, ${megabytes(slow.stream.sent)}`],
        ...timesOf('idle', idle),
        ...timesOf('beside the stream', long.probed),
      ],
      checks: [
        rightAnswers('one stream', [warmUp, long.stream]),
        growth('one stream', long.peak - before),
        rightAnswers('one stream that is read slowly', [slow.stream]),
        growth('one stream that is read slowly', slow.peak - before),
        check('others that got no answer meanwhile: 0', failures, failures === 0),
      ],
    };
  },
};

async function streamAll(
  t: Cleanup,
  server: SoakServer,
  samples: readonly Sample[],
  bytes: number,
  seed: number,
) {
  const probes = startProbes(t, server, seed);
  const memory = watchMemory(server.pid);
  const begin = performance.now();
  const stream = openCheckedStream(server.client.url, samples, bytes, seed);
  await stream.ended;
  const rate = stream.sent / MEGABYTE / ((performance.now() - begin) / 1000);
  memory.stop();
  return { stream, rate, peak: memory.peak(), probed: await probes.end() };
}

/** Reads the answer at a pace, while the documents are sent as fast as the server takes them. */
async function streamSlowly(server: SoakServer, samples: readonly Sample[], seconds: number, seed: number) {
  const memory = watchMemory(server.pid);
  const stream = openCheckedStream(server.client.url, samples, Number.POSITIVE_INFINITY, seed);
  const answer = await stream.answer;
  let allowed = 0;
  answer.on('data', () => {
    if (stream.read >= allowed) answer.pause();
  });
  for (let step = 1; step <= seconds * SLOW_STEPS; step++) {
    allowed = (step * SLOW_BYTES) / SLOW_STEPS;
    if (stream.read < allowed) answer.resume();
    await wait(1000 / SLOW_STEPS);
  }
  memory.stop();
  stream.destroy();
  return { stream, peak: memory.peak() };
}

type Probed = Readonly<Record<'health' | 'small', HealthReport>>;

/** Asks for `/health` and for the chunks of a small text, each from a process of its own, until it is ended. */
function startProbes(t: Cleanup, { client }: SoakServer, seed: number) {
  const body = JSON.stringify({ text: proseOf(SMALL_UNITS, seed) });
  const [health, small] = [startProbe(t, client.port), startProbe(t, client.port, '/v1/chunk/token', body)];
  return { end: async (): Promise<Probed> => ({ health: await health.end(), small: await small.end() }) };
}

function timesOf(when: string, probed: Probed) {
  return Object.entries(probed).map(([what, { times }]) => {
    const [half, most] = [0.5, 0.99].map((share) => quantile(times, share).toFixed(1));
    return [`${what}, ${when}: median and p99 of ${times.length}`, `${half} ms, ${most} ms`] as const;
  });
}

function rightAnswers(what: string, streams: readonly CheckedStream[]): Check {
  const isKept = streams.every(({ isRight, answered }) => isRight && answered > 0);
  return check(`${what}: each byte of the answer is right`, isKept ? 'yes' : 'no', isKept);
}

function growth(what: string, bytes: number): Check {
  const most = megabytes(MAX_GROWTH);
  return check(`${what}: growth of memory, at most ${most}`, megabytes(bytes), bytes <= MAX_GROWTH);
}
