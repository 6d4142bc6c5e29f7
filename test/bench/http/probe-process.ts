import { Agent, get } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Latencies } from './load.ts';

/** Entry of a process: probe-process.ts <url> <seconds>. */
const [url = '', seconds] = process.argv.slice(2);
const EVERY_MS = 50;
const agent = new Agent({ keepAlive: true });
const pending: Promise<number>[] = [];
const begin = performance.now();
for (let round = 0; round * EVERY_MS < Number(seconds) * 1000; round++) {
  await sleep(begin + round * EVERY_MS - performance.now());
  pending.push(ask());
}
const outcomes = await Promise.allSettled(pending);
const times = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
const latencies: Latencies = {
  times: times.sort((a, b) => a - b),
  failures: outcomes.length - times.length,
};
console.log(JSON.stringify(latencies));
agent.destroy();

function ask(): Promise<number> {
  const start = performance.now();
  return new Promise((resolve, reject) => {
    const request = get(url, { agent, timeout: 10_000 }, (response) => {
      response.resume();
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200) resolve(performance.now() - start);
        else reject(new Error(`status ${response.statusCode}`));
      });
    });
    request.once('error', reject);
    request.once('timeout', () => request.destroy(new Error('no answer')));
  });
}
