import type { Manifest } from '../../../core/contracts/manifest.ts';
import { SUITES } from '../suites.ts';
import { checkManifest, checkOptions, checkReadme } from './files.ts';
import { checkGrowth } from './growth.ts';
import { type CheckResult, leftOut, ok } from './result.ts';
import { checkContract, checkExample, checkFactory } from './running.ts';
import type { Subject } from './subject.ts';

/** A part of what is checked of a plugin, which is run as one. */
export interface Step {
  readonly name: string;
  /** Whether it runs the plugin. */
  readonly runs: boolean;
  /** The names of its results, in order. */
  checks(subject: Subject): readonly string[];
  run(subject: Subject): Promise<readonly CheckResult[]>;
}

/** All that is checked of a plugin whose manifest could be read. */
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

/** Runs a step, or says why each of its checks is left out. */
export async function runStep(
  one: Step,
  subject: Subject,
  whyNotRun = subject.whyNotRun,
): Promise<readonly CheckResult[]> {
  if (!one.runs || whyNotRun === undefined) return one.run(subject);
  return one.checks(subject).map((check) => leftOut(check, whyNotRun));
}
