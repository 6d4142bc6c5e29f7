import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, NO_OPTIONS, PLUGIN_CONTRACT_VERSION } from '../../../core/contracts/manifest.ts';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { isLacking } from '../../../core/hosting/plugin-error.ts';
import { usedPlugins } from '../../../core/hosting/registry.ts';
import { suggest } from '../../engine/validation/suggest.ts';
import { importFactory } from '../../plugins/loader/import-factory.ts';
import { defaultsOf } from '../cases/options.ts';
import { findBroken } from '../promises.ts';
import { thrownIn } from '../report.ts';
import { SUITES } from '../suites.ts';
import { checkGrowth } from './growth.ts';
import { type CheckResult, type Failure, leftOut, ok, resultOf } from './result.ts';
import type { Subject } from './subject.ts';

function checkManifest({ entry: { manifest, warning }, others }: Subject): CheckResult {
  const failures: Failure[] = usedPlugins(manifest)
    .filter((id) => !others.includes(id))
    .map((id) => {
      const near = suggest(id, others);
      const meant = near === undefined ? '' : `, did you mean ${near}?`;
      return {
        promise: 'the plugins that it uses are here',
        where: `uses: ${id} does not exist${meant}`,
        remedy:
          'Correct `uses`; or name the folder or package of that plugin in PLUGINS_DIR or PLUGINS_FROM.',
      };
    });
  if (warning !== undefined)
    failures.push({
      promise: 'it is written for this version of the plugin contract',
      where: `engine: ${warning}`,
      remedy: `Let \`engine\` allow ${PLUGIN_CONTRACT_VERSION}, such as "^${PLUGIN_CONTRACT_VERSION}", once it keeps that contract.`,
    });
  return resultOf('manifest', failures);
}

function checkOptions({ entry: { manifest }, harness }: Subject): CheckResult {
  const { options = NO_OPTIONS } = manifest;
  const schemas = Object.entries(options.properties);
  if (schemas.length === 0) return ok('options', 'it has no options');
  const undescribed = schemas.filter(([, schema]) => !('description' in schema)).map(([name]) => name);
  const failures: Failure[] = undescribed.map((name) => ({
    promise: 'each option has a description',
    where: `options.properties.${name}`,
    remedy: 'Add a `description` of one sentence; the documentation and forms show it.',
  }));
  try {
    harness.optionsOf({ ...manifest, options: { ...options, required: [] } }, defaultsOf(manifest));
  } catch (error) {
    const problems = error instanceof ServiceError ? error.problems : [reasonOf(error)];
    const remedy = 'Give a `default` that its own schema allows.';
    for (const where of problems) failures.push({ promise: 'each default fits its option', where, remedy });
  }
  return resultOf('options', failures, schemas.map(([name]) => name).join(', '));
}

function checkReadme({ entry: { manifest }, folder }: Subject): CheckResult {
  const file = join(folder, 'README.md');
  const remedy = 'Write what the plugin does, its options, an example and its limits.';
  if (!existsSync(file))
    return resultOf('README', [{ promise: 'there is a README.md', where: 'README.md is missing', remedy }]);
  const wrong = problemsOfReadme(manifest, readFileSync(file, 'utf8'));
  return resultOf(
    'README',
    wrong.map((where) => ({ promise: 'the README names the plugin and each option', where, remedy })),
  );
}

export function problemsOfReadme({ name, options }: Manifest, text: string): string[] {
  const isTitled = text.split('\n').some((line) => /^# /.test(line) && line.toLowerCase().includes(name));
  const unnamed = Object.keys(options?.properties ?? {}).filter((option) => !text.includes(option));
  return [
    ...(isTitled ? [] : [`no heading "# …" has the name ${name}`]),
    ...unnamed.map((option) => `it does not name the option ${option}`),
  ];
}

/** Checks that the plugin can be imported and created. A sink is created later, with its stand-in. */
async function checkFactory({ entry, folder, harness }: Subject): Promise<CheckResult> {
  const { kind, name } = entry.manifest;
  const failed = (where: string, remedy: string) =>
    resultOf('factory', [{ promise: 'it can be imported and created', where, remedy }]);
  try {
    await importFactory(entry);
  } catch (error) {
    return failed(thrownIn(error, folder), OF_IMPORT);
  }
  try {
    if (kind !== 'sink') await harness.make(kind, name);
    return ok('factory');
  } catch (error) {
    return failed(thrownIn(error, folder), OF_FACTORY);
  }
}

const OF_IMPORT =
  'Let the default export of index be a function that returns the plugin, and import packages inside it.';
const OF_FACTORY =
  'Let the factory return the plugin without an error; plugins/AUTHORS.md lists what it receives.';

async function checkExample({ entry: { manifest }, folder, harness }: Subject): Promise<CheckResult> {
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
    await harness.request(manifest, example);
    return ok('example');
  } catch (error) {
    if (isLacking(error)) return leftOut('example', error.message);
    const remedy = 'Fix the example, or what fails on it.';
    return resultOf('example', [{ promise, where: thrownIn(error, folder), remedy }]);
  }
}

export async function checkContract({ entry, harness, suite: options }: Subject): Promise<CheckResult[]> {
  const suite = SUITES[entry.manifest.kind];
  const groups = Object.entries(suite.promises);
  try {
    const { broken, tried } = await findBroken(suite, harness, entry, options);
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

export interface Step {
  readonly name: string;
  readonly runs: boolean;
  checks(subject: Subject): readonly string[];
  run(subject: Subject): Promise<readonly CheckResult[]>;
}

export const STEPS: readonly Step[] = [
  step('manifest', false, checkManifest),
  step('needs', false, ({ entry: { manifest, missing } }) =>
    missing.length > 0 ? leftOut('needs', missing.join('; ')) : ok('needs', namesIn(manifest.needs)),
  ),
  step('options', false, checkOptions),
  step('README', false, checkReadme),
  step('factory', true, checkFactory),
  step('example', true, checkExample),
  {
    name: 'contract',
    runs: true,
    checks: ({ entry }) => Object.keys(SUITES[entry.manifest.kind].promises),
    run: checkContract,
  },
  step('growth', true, checkGrowth),
];

function step(
  name: string,
  runs: boolean,
  check: (subject: Subject) => CheckResult | Promise<CheckResult>,
): Step {
  return { name, runs, checks: () => [name], run: async (subject) => [await check(subject)] };
}

function namesIn({ packages = [], env = [], files = [] }: Manifest['needs'] = {}): string {
  return [...packages, ...env, ...files].join(', ') || 'nothing';
}

export async function runStep(
  one: Step,
  subject: Subject,
  whyNotRun = subject.whyNotRun,
): Promise<readonly CheckResult[]> {
  if (!one.runs || whyNotRun === undefined) return one.run(subject);
  return one.checks(subject).map((check) => leftOut(check, whyNotRun));
}
