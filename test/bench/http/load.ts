import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { timed } from '../race/race.ts';

const AUTOCANNON = join(import.meta.dirname, '../node_modules/autocannon/autocannon.js');

/** What autocannon says of a load. Seconds, and latencies in ms. */
export interface LoadResult extends Readonly<Record<'2xx' | 'non2xx' | 'errors' | 'duration', number>> {
  readonly latency: { readonly p50: number };
}

/**
 * Sends requests from a separate process, one after another on each connection.
 *
 * @param file holds the body of every request
 */
export async function send(
  url: string,
  file: string,
  connections: number,
  seconds: number,
): Promise<LoadResult> {
  const flags = { connections, duration: seconds, timeout: 30, method: 'POST', input: file };
  const words = Object.entries(flags).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = [AUTOCANNON, ...words, '--headers', 'content-type=application/json', '--json', url];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout) as LoadResult;
}

/** Asks once, and then again and again without waiting for the answers. @returns milliseconds of these */
export async function probe(ask: () => Promise<unknown>, seconds: number, everyMs = 50): Promise<number[]> {
  await ask();
  const pending: Promise<number>[] = [];
  const begin = performance.now();
  for (let at = 0; at < seconds * 1000; at += everyMs) {
    await sleep(Math.max(0, begin + at - performance.now()));
    pending.push(timed(ask));
  }
  return Promise.all(pending);
}
