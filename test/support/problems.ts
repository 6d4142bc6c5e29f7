import { join } from 'node:path';
import type { Test } from 'tap';
import type { Answer } from './server.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** What an answer must never show: stacks, paths, names of source files. */
const LEAKS = /\n\s+at |node_modules|file:\/\/|\.[tj]s\b|[A-Z]:\\/;

type Patterns = RegExp | readonly RegExp[];

/** Checks the form of an error: its status, `{"detail": …}` and nothing else, with what to change. */
export function checkProblem(t: Test, answer: Answer, status: number, detail: Patterns): void {
  t.equal(faultsOf(answer, status, detail), '', `a problem with the status ${status}`);
}

/** What an answer lacks of such a form, as text; empty if nothing. For loops: an assertion takes longer than a request. */
export function faultsOf({ status, headers, bytes }: Answer, expected: number, detail: Patterns): string {
  const shown = bytes.subarray(0, 1000).toString();
  const type = headers.get('content-type') ?? '';
  if (status !== expected || !type.startsWith('application/json')) return `${status} ${type}: ${shown}`;
  const body = JSON.parse(bytes.toString());
  const text = String(body.detail);
  const faults = [detail]
    .flat()
    .flatMap((pattern) => (pattern.test(text) ? [] : [`does not match ${pattern}`]));
  if (Object.keys(body).join() !== 'detail') faults.push('has other members than "detail"');
  if (LEAKS.test(text) || text.includes(ROOT)) faults.push('shows a path or a stack');
  return faults.map((fault) => `${fault}: ${shown}`).join('\n');
}
