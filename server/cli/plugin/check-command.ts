import { fork } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { Command, InvalidArgumentError } from 'commander';
import { hold } from '../../../core/hold.ts';
import { type Environment, readConfig } from '../../config/config.ts';
import { MODULE_ENDING } from '../../config/module-ending.ts';
import { suggest } from '../../engine/validation/suggest.ts';
import { findModule } from '../../plugins/loader/plugin-folders.ts';
import { type CheckResult, inWords, resultOf } from '../../testing/checks/result.ts';
import { table } from '../commands/remote.ts';
import { CommandError, UsageError } from '../errors.ts';
import type { CheckEvent, CheckTask } from './check-steps.ts';

interface CheckFlags extends Pick<CheckTask, 'runs' | 'seed'> {
  readonly json?: true;
  /** Maximum seconds per step. */
  readonly limit: number;
}

/** Default maximum seconds per step. */
const LIMIT = 120;

export function pluginCheckCommand(env: Environment): Command {
  return new Command('check')
    .description(
      'Check a plugin: manifest, options, README, example, the contract of its kind on generated texts, and growth of work',
    )
    .argument('<folder>', "the plugin's folder, with its manifest and index")
    .option('--json', 'print the results as JSON')
    .option('--runs <number>', 'number of generated inputs; by default some hundreds', countOf)
    .option('--seed <number>', 'the same seed generates the same inputs', integerOf)
    .option('--limit <seconds>', 'time limit of each check', countOf, LIMIT)
    .addHelpText(
      'after',
      '\nExits with 0 if all promises are kept, 1 if one is broken, 2 if there is no plugin.',
    )
    .action(async (given: string, { json, limit, ...suite }: CheckFlags) => {
      // Reports invalid variables of the server now; otherwise they would look like faults of the plugin.
      readConfig({}, env);
      const folder = pluginFolder(given);
      const results = await runChecks(folder, { ...suite, limit });
      const failed = failedIn(results);
      console.log(
        json === true ? JSON.stringify({ folder, ...results }, undefined, 2) : inLines(given, results),
      );
      if (failed > 0) throw new CommandError(`${failed} of ${results.checks.length} checks failed`);
    });
}

function integerOf(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function countOf(text: string): number {
  const count = integerOf(text);
  if (count < 1) throw new InvalidArgumentError('expected 1 or more');
  return count;
}

const MAX_SHOWN = 8;
const PLUGINS = '{*,*/*}/manifest.{ts,js,mjs}';

/** The absolute path of a plugin's folder. @throws UsageError with a suggestion if it has no plugin */
function pluginFolder(given: string): string {
  const folder = resolve(given);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new UsageError(notThere(given, folder));
  if (findModule(folder, 'manifest') !== undefined) return folder;
  const manifests = globSync(PLUGINS, { cwd: folder });
  const within = [...new Set(manifests.map((manifest) => join(given, dirname(manifest))))].sort();
  const shown = within.slice(0, MAX_SHOWN).join(', ');
  throw new UsageError(
    within.length > 0
      ? `${given} is not a plugin itself: choose one inside it, ${shown}`
      : `${given} is not a plugin: it has no manifest.ts, manifest.js or manifest.mjs`,
  );
}

function notThere(given: string, folder: string): string {
  const neighbours = globSync('*', { cwd: dirname(folder) });
  const near = suggest(basename(folder), neighbours);
  const hint = near === undefined ? '' : `, did you mean ${join(dirname(given), near)}?`;
  return `${given}: there is no such folder${hint}`;
}

/** Runs all checks of a plugin in a child process. After a check that does not end, starts a new process. */
async function runChecks(
  folder: string,
  { limit, ...suite }: Pick<CheckFlags, 'runs' | 'seed' | 'limit'>,
): Promise<CheckReport> {
  const events: CheckEvent[] = [];
  const done: string[] = [];
  for (let whyNotRun: string | undefined; ; ) {
    const { sent, end } = await runInProcess({ folder, ...suite, done, whyNotRun }, limit);
    events.push(...sent);
    if (sent.some((event) => 'end' in event)) return reportOf(events);
    const begun = sent.flatMap((event) => ('begin' in event ? [event.begin] : []));
    const step = begun.at(-1) ?? 'manifest';
    const last = sent.findLast((event) => 'input' in event || 'begin' in event) ?? {};
    events.push({ results: [unended(step, end, 'input' in last ? last.input : undefined)] });
    if (step === 'manifest') return reportOf(events);
    if (step === 'factory') whyNotRun = 'it cannot be created';
    done.push(...begun);
  }
}

function unended(step: string, where: string, input: unknown): CheckResult {
  const promise = 'it ends, and leaves the process running';
  const remedy =
    'Look for an endless loop, a promise that never settles, or process.exit; --limit gives it more time.';
  const place = input === undefined ? where : `${where}, on the last input`;
  const smallest = input === undefined ? undefined : { value: input };
  return resultOf(step, [{ promise, where: place, smallest, remedy }]);
}

const ENTRY = join(import.meta.dirname, `check-process${MODULE_ENDING}`);

interface Ended {
  readonly sent: readonly CheckEvent[];
  readonly end: string;
}

/** Runs checks in a child process. Plugins print to standard error; standard output is for the report. */
function runInProcess(task: CheckTask, limit: number): Promise<Ended> {
  const ended = Promise.withResolvers<Ended>();
  const child = hold(fork(ENTRY, { stdio: ['ignore', 2, 2, 'ipc'] }), ended.reject);
  const sent: CheckEvent[] = [];
  let why: string | undefined;
  const late = setTimeout(() => {
    why = `it did not end within ${limit} s`;
    child.kill('SIGKILL');
  }, limit * 1000);
  child.on('message', (event: CheckEvent) => {
    sent.push(event);
    if ('begin' in event) late.refresh();
  });
  child.send(task);
  child.on('close', (code, signal) => {
    clearTimeout(late);
    ended.resolve({ sent, end: why ?? `it ended the process with ${signal ?? `status ${code}`}` });
  });
  return ended.promise;
}

export interface CheckReport {
  /** The plugin's id, such as `chunker/section`; undefined if the manifest cannot be read. */
  readonly plugin?: string | undefined;
  readonly checks: readonly CheckResult[];
}

export function reportOf(events: readonly CheckEvent[]): CheckReport {
  const [plugin] = events.flatMap((event) => ('plugin' in event ? [event.plugin] : []));
  return { plugin, checks: events.flatMap((event) => ('results' in event ? event.results : [])) };
}

export function failedIn({ checks }: CheckReport): number {
  return checks.filter(({ state }) => state === 'failed').length;
}

export function inLines(given: string, { plugin, checks }: CheckReport): string {
  const rows = table(checks.map(({ state, check, detail = '' }) => [state, check, detail])).split('\n');
  const lines = checks.flatMap(({ failures }, at) => [
    rows[at] ?? '',
    ...failures.flatMap((failure) =>
      inWords(failure)
        .split('\n')
        .map((line) => `    ${line}`),
    ),
  ]);
  const counted = Object.entries(Object.groupBy(checks, ({ state }) => state));
  const summary = counted.map(([state, group]) => `${group?.length ?? 0} ${state}`).join(', ');
  return [plugin === undefined ? given : `${plugin} in ${given}`, ...lines, summary].join('\n');
}
