import { resolve } from 'node:path';
import { reasonOf } from '../../core/errors.ts';
import { type CheckResult, inWords } from './checks/result.ts';
import { STEPS, type Step } from './checks/steps.ts';
import { openSubject, type Subject } from './checks/subject.ts';
import type { SuiteOptions } from './promises.ts';
import { SUITES } from './suites.ts';

/** The function `test` of a test runner such as node:test, vitest or tap. */
export type RegisterTest = (
  name: string,
  options: { readonly timeout: number; readonly skip: boolean },
  test: () => Promise<void>,
) => unknown;

export interface TestPluginOptions extends Omit<SuiteOptions, 'onCase'> {
  readonly test: RegisterTest;
}

/** Maximum milliseconds per test. */
const TIMEOUT = 120_000;

/**
 * Registers tests of a plugin: its manifest, options, README and example, the contract of its kind with
 * generated texts, and the growth of its work. Other plugins are found through `PLUGINS_DIR`, as in a server.
 *
 * ```js
 * // my-plugins/section/section.test.js
 * import { test } from 'node:test'; // or from 'vitest', or from 'tap'
 * import { testPlugin } from 'chunksmith/testing';
 *
 * await testPlugin(import.meta.dirname, { test });
 * ```
 *
 * @param folder the plugin's folder, with its manifest and index
 */
export async function testPlugin(folder: string, { test, ...suite }: TestPluginOptions): Promise<void> {
  const subject = await openSubject(resolve(folder), { env: process.env, ...suite }).catch(
    (error: unknown) => new Error(reasonOf(error)),
  );
  if (subject instanceof Error)
    return void test('manifest', { timeout: TIMEOUT, skip: false }, () => Promise.reject(subject));
  for (const step of STEPS) registerStep(step, subject, test);
}

/** Registers the tests of a step. The first test runs the step, and the others use its results. */
function registerStep(step: Step, subject: Subject, test: RegisterTest): void {
  const { entry, whyNotRun } = subject;
  const omitted = step.runs ? SUITES[entry.manifest.kind].leftOut?.(entry.manifest) : undefined;
  let results: Promise<readonly CheckResult[]> | undefined;
  for (const check of step.checks(subject)) {
    const reason = step.runs ? (whyNotRun ?? omitted?.[check]) : undefined;
    const name = `${entry.id}: ${check}${reason === undefined ? '' : ` (left out: ${reason})`}`;
    test(name, { timeout: TIMEOUT, skip: reason !== undefined }, async () => {
      results ??= step.run(subject);
      const { failures } = (await results).find((one) => one.check === check) ?? { failures: [] };
      if (failures.length > 0) throw new Error(failures.map(inWords).join('\n\n'));
    });
  }
}
