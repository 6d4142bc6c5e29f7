import { isLacking } from '../../../core/hosting/plugin-error.ts';
import { importFactory } from '../../plugins/loader/import-factory.ts';
import { findBroken } from '../promises.ts';
import { thrownIn } from '../report.ts';
import { SUITES } from '../suites.ts';
import { type CheckResult, type Failure, leftOut, ok, resultOf } from './result.ts';
import type { Subject } from './subject.ts';

/** Checks of a plugin that run it. */

/** Whether the plugin can be imported and created. A sink is created only with its stand-in. */
export async function checkFactory({ entry, folder, bench }: Subject): Promise<CheckResult> {
  const { kind, name } = entry.manifest;
  const failed = (where: string, remedy: string) =>
    resultOf('factory', [{ promise: 'it can be imported and created', where, remedy }]);
  try {
    await importFactory(entry);
  } catch (error) {
    return failed(thrownIn(error, folder), OF_IMPORT);
  }
  try {
    if (kind !== 'sink') await bench.make(kind, name);
    return ok('factory');
  } catch (error) {
    return failed(thrownIn(error, folder), OF_FACTORY);
  }
}

const OF_IMPORT =
  'Let the default export of index be a function that returns the plugin, and import packages inside it.';
const OF_FACTORY =
  'Let the factory return the plugin without an error; plugins/AUTHORS.md lists what it receives.';

/** Whether the example of the manifest works as a request. */
export async function checkExample({ entry: { manifest }, folder, bench }: Subject): Promise<CheckResult> {
  const { kind, example } = manifest;
  if (kind === 'sink' && example !== undefined) return ok('example', 'it is valid for the options');
  if (kind !== 'chunker' && kind !== 'refinery')
    return leftOut('example', 'a plugin of this kind needs none');
  const promise = 'the example of the manifest works as a request';
  if (example === undefined) {
    const remedy = 'Add `example` to the manifest: the body of a request that works when pasted.';
    return resultOf('example', [{ promise, where: 'it has no example', remedy }]);
  }
  try {
    await bench.request(manifest, example);
    return ok('example');
  } catch (error) {
    if (isLacking(error)) return leftOut('example', error.message);
    const remedy = 'Fix the example, or what fails on it.';
    return resultOf('example', [{ promise, where: thrownIn(error, folder), remedy }]);
  }
}

/** Checks the plugin against its kind and its manifest: a result for each group of promises. */
export async function checkContract({ entry, bench, suite: options }: Subject): Promise<CheckResult[]> {
  const suite = SUITES[entry.manifest.kind];
  const groups = Object.entries(suite.promises);
  try {
    const { broken, tried } = await findBroken(suite, bench, entry, options);
    const omitted = suite.leftOut?.(entry.manifest) ?? {};
    const isUnanswered = broken.some((error) => error.broken.some((one) => one.isUnanswered));
    const unanswered = isUnanswered ? 'there is no answer to some of the inputs' : undefined;
    return groups.map(([group, promises]) => {
      const failures = broken.flatMap(({ broken: all, smallest }) =>
        all.flatMap(({ promise, where }): Failure[] => {
          const remedy = promises[promise];
          return remedy === undefined ? [] : [{ promise, where, smallest, remedy }];
        }),
      );
      const reason = failures.length > 0 ? undefined : (omitted[group] ?? unanswered);
      return reason === undefined ? resultOf(group, failures, tried) : leftOut(group, reason);
    });
  } catch (error) {
    if (!isLacking(error)) throw error;
    return groups.map(([group]) => leftOut(group, error.message));
  }
}
