import { once } from 'node:events';
import { Agent, request as send } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';

/**
 * Run as a process: health-process.ts <port> [<path> <body>]. Asks for `/health`, or posts the body, every 20 ms from
 * its first message to the message `end`: on a connection that is kept and, as orchestrators do, on a new one in turn.
 */

/** What it says to each message but the first: what has come since the one before. */
export interface HealthReport {
  /** Milliseconds of each answer of 200. */
  readonly times: readonly number[];
  readonly failures: number;
}

const EVERY_MS = 20;
const [, , port, path = '/health', body] = process.argv;
const method = body === undefined ? 'GET' : 'POST';
const headers = body === undefined ? {} : { 'content-type': 'application/json' };
const TO = { host: '127.0.0.1', port };
const agent = new Agent({ keepAlive: true, maxFreeSockets: Number.POSITIVE_INFINITY });
const pending: Promise<void>[] = [];
const times: number[] = [];
let failures = 0;
let isOver = false;

process.once('disconnect', () => process.exit());
await once(process, 'message');
process.on('message', (what) => {
  if (what === 'end') isOver = true;
  else process.send?.(report());
});
const begin = performance.now();
for (let round = 0; !isOver; round++) {
  await wait(Math.max(0, begin + round * EVERY_MS - performance.now()));
  pending.push(ask(round % 2 === 0 && agent));
}
await Promise.all(pending);
agent.destroy();
process.send?.(report(), () => process.disconnect());

function report(): HealthReport {
  const since = { times: times.splice(0), failures };
  failures = 0;
  return since;
}

/** @param agent keeps connections; false makes a new one */
function ask(agent: Agent | false): Promise<void> {
  const start = performance.now();
  return new Promise((resolve) => {
    const fail = () => {
      failures++;
      resolve();
    };
    const request = send({ ...TO, agent, method, path, headers, timeout: 10_000 }, (answer) => {
      answer.resume();
      answer.once('end', () => {
        if (answer.statusCode !== 200) return fail();
        times.push(performance.now() - start);
        resolve();
      });
    });
    request.once('error', fail);
    request.once('timeout', () => request.destroy());
    request.end(body);
  });
}
