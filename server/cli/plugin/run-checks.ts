import { fork } from 'node:child_process';
import { join } from 'node:path';
import { hold } from '../../../core/hold.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import { type CheckResult, resultOf } from '../../testing/checks/result.ts';
import type { CheckReport } from './check-report.ts';
import type { CheckEvent, CheckTask } from './check-steps.ts';

export interface RunOptions {
  readonly runs?: number | undefined;
  readonly seed?: number | undefined;
  /** Seconds that one step may take. */
  readonly limit: number;
}

/** Runs all checks of a plugin in a process of its own, and goes on in a new one behind a check that does not end. */
export async function runChecks(folder: string, { limit, ...suite }: RunOptions): Promise<CheckReport> {
  const checks: CheckResult[] = [];
  const done: string[] = [];
  let plugin: string | undefined;
  let whyNotRun: string | undefined;
  for (;;) {
    const ended = await runInProcess({ folder, ...suite, done, whyNotRun }, limit);
    plugin ??= ended.plugin;
    checks.push(...ended.results);
    if (ended.broken === undefined) return { plugin, checks };
    const { step, where, input } = ended.broken;
    checks.push(unended(step, where, input));
    if (step === 'manifest') return { plugin, checks };
    if (step === 'factory') whyNotRun = 'it cannot be made';
    done.push(...ended.done, step);
  }
}

interface Ended {
  readonly plugin: string | undefined;
  /** Steps that came to their ends. */
  readonly done: readonly string[];
  readonly results: readonly CheckResult[];
  /** The step that did not come to its end. */
  readonly broken?: { readonly step: string; readonly where: string; readonly input: unknown };
}

function unended(step: string, where: string, input: unknown): CheckResult {
  const promise = 'it comes to an end, and lets the process go on';
  const remedy =
    'Look for a loop or a promise without an end, and for process.exit; --limit gives it more time.';
  const place = input === undefined ? where : `${where}, on the last input`;
  const smallest = input === undefined ? undefined : { value: input };
  return resultOf(step, [{ promise, where: place, smallest, remedy }]);
}

const ENTRY = join(import.meta.dirname, `check-process${MODULE_ENDING}`);

/** What a plugin prints goes to standard error, since standard output has the report. */
function runInProcess(task: CheckTask, limit: number): Promise<Ended> {
  const ended = Promise.withResolvers<Ended>();
  const child = hold(fork(ENTRY, { stdio: ['ignore', 2, 2, 'ipc'] }), ended.reject);
  const results: CheckResult[] = [];
  const begun: string[] = [];
  let plugin: string | undefined;
  let input: unknown;
  let isDone = false;
  let why: string | undefined;
  const late = setTimeout(() => {
    why = `it did not end within ${limit} s`;
    child.kill('SIGKILL');
  }, limit * 1000);
  child.on('message', (event: CheckEvent) => {
    if ('begin' in event) {
      begun.push(event.begin);
      input = undefined;
      late.refresh();
    }
    if ('input' in event) input = event.input;
    if ('plugin' in event) plugin = event.plugin;
    if ('results' in event) results.push(...event.results);
    if ('end' in event) isDone = true;
  });
  child.send(task);
  child.on('close', (code, signal) => {
    clearTimeout(late);
    if (isDone) return ended.resolve({ plugin, done: begun, results });
    const where = why ?? `it ended the process with ${signal ?? `status ${code}`}`;
    const step = begun.at(-1) ?? 'manifest';
    ended.resolve({ plugin, done: begun.slice(0, -1), results, broken: { step, where, input } });
  });
  return ended.promise;
}
