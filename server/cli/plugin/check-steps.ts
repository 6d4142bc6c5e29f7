import { reasonOf } from '../../../core/errors.ts';
import type { Environment } from '../../config/config.ts';
import { type CheckResult, resultOf } from '../../testing/checks/result.ts';
import { runStep, STEPS } from '../../testing/checks/steps.ts';
import { openSubject, type Subject } from '../../testing/checks/subject.ts';
import { thrownIn } from '../../testing/report.ts';

export interface CheckTask {
  readonly folder: string;
  readonly runs?: number | undefined;
  readonly seed?: number | undefined;
  /** Steps to skip: an earlier process has run them, successfully or not. */
  readonly done: readonly string[];
  /** Why steps that run the plugin are skipped; undefined if they are run. */
  readonly whyNotRun?: string | undefined;
}

export type CheckEvent =
  | { readonly begin: string }
  | { readonly input: unknown }
  | { readonly plugin: string }
  | { readonly results: readonly CheckResult[] }
  | { readonly end: true };

type Send = (event: CheckEvent) => void;

/**
 * Runs the remaining steps in this process.
 *
 * @param env the environment variables, as for a server
 * @param send called for each event
 */
export async function checkPlugin(task: CheckTask, env: Environment, send: Send): Promise<void> {
  const subject = await open(task, env, send);
  if (subject !== undefined) await runSteps(task, subject, send);
  send({ end: true });
}

async function open(
  { folder, runs, seed }: CheckTask,
  env: Environment,
  send: Send,
): Promise<Subject | undefined> {
  send({ begin: 'manifest' });
  try {
    const onCase = (input: unknown) => send({ input });
    const subject = await openSubject(folder, { env, runs, seed, onCase });
    send({ plugin: subject.entry.id });
    return subject;
  } catch (error) {
    const remedy = 'Fix the manifest; plugins/AUTHORS.md lists its fields.';
    const promise = 'the manifest can be read, and is valid';
    send({ results: [resultOf('manifest', [{ promise, where: reasonOf(error), remedy }])] });
    return undefined;
  }
}

async function runSteps({ done, whyNotRun }: CheckTask, subject: Subject, send: Send): Promise<void> {
  let reason = whyNotRun ?? subject.whyNotRun;
  for (const step of STEPS.filter(({ name }) => !done.includes(name))) {
    send({ begin: step.name });
    const results = await runStep(step, subject, reason).catch((error: unknown) => {
      const where = thrownIn(error, subject.folder);
      return [resultOf(step.name, [{ promise: 'the check finishes', where, remedy: '' }])];
    });
    if (step.name === 'factory' && results.some(({ state }) => state === 'failed'))
      reason = 'it cannot be created';
    send({ results });
  }
}
