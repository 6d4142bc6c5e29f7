import { join } from 'node:path';
import type { Test } from 'tap';
import type { Answer } from './server.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What an answer must never show: stacks, paths, names of source files. */
const LEAKS = /\n\s+at |node_modules|file:\/\/|\.[tj]s\b|[A-Z]:\\/;

/** Checks the form of an error: its status, `{"detail": …}` and nothing else, with what to change. */
export function checkProblem(t: Test, answer: Answer, status: number, detail: RegExp | RegExp[]): void {
  const shown = answer.status === status ? '' : JSON.stringify(answer.bytes.subarray(0, 300).toString());
  t.equal(answer.status, status, `status ${status} ${shown}`);
  t.match(answer.headers.get('content-type'), /^application\/json/);
  const body = answer.json<{ detail: string }>();
  t.same(Object.keys(body), ['detail']);
  for (const pattern of [detail].flat()) t.match(body.detail, pattern);
  t.notMatch(body.detail, LEAKS);
  t.equal(body.detail.includes(ROOT), false, 'no path of this machine');
}
