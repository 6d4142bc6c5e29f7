import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);
const FOLDER = import.meta.dirname;

export interface Load {
  readonly url: string;
  /** File that holds the body of every request. */
  readonly file: string;
  readonly connections: number;
  readonly seconds: number;
}

export interface LoadResult {
  readonly answers: number;
  readonly failures: number;
  readonly seconds: number;
  /** Median latency in milliseconds. */
  readonly p50: number;
}

/** Sends requests from a separate process, one after another on each connection. */
export async function send({ url, file, connections, seconds }: Load): Promise<LoadResult> {
  const args = [join(FOLDER, 'load-process.ts'), url, file, String(connections), String(seconds)];
  return JSON.parse(await output(args, seconds)) as LoadResult;
}

export interface Latencies {
  /** Milliseconds of every answer, in rising order. */
  readonly times: readonly number[];
  readonly failures: number;
}

/** Requests a URL twenty times a second from a separate process, without waiting for the answers. */
export async function probe(url: string, seconds: number): Promise<Latencies> {
  return JSON.parse(
    await output([join(FOLDER, 'probe-process.ts'), url, String(seconds)], seconds),
  ) as Latencies;
}

async function output(args: readonly string[], seconds: number): Promise<string> {
  const { stdout } = await execute(process.execPath, args, { timeout: (seconds + 30) * 1000 });
  return stdout;
}
