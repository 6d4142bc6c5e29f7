import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Manifest, NO_OPTIONS, PLUGIN_CONTRACT_VERSION } from '../../../core/contracts/manifest.ts';
import { reasonOf, ServiceError } from '../../../core/errors.ts';
import { usedPlugins } from '../../../core/hosting/registry.ts';
import { suggest } from '../../engine/validation/suggest.ts';
import { defaultsOf } from '../cases/options.ts';
import { type CheckResult, type Failure, ok, resultOf } from './result.ts';
import type { Subject } from './subject.ts';

/** Checks of a plugin that do not run it. */

/** Whether the plugins that it uses are here, and it is written for this version of the contract. */
export function checkManifest({ entry: { manifest, warning }, others }: Subject): CheckResult {
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

/** Whether each option is described, and its default is valid. */
export function checkOptions({ entry: { manifest }, bench }: Subject): CheckResult {
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
    bench.optionsOf({ ...manifest, options: { ...options, required: [] } }, defaultsOf(manifest));
  } catch (error) {
    const problems = error instanceof ServiceError ? error.problems : [reasonOf(error)];
    const remedy = 'Give a `default` that its own schema allows.';
    for (const where of problems) failures.push({ promise: 'each default fits its option', where, remedy });
  }
  return resultOf('options', failures, schemas.map(([name]) => name).join(', '));
}

/** Whether there is a README that names the plugin and each of its options. */
export function checkReadme({ entry: { manifest }, folder }: Subject): CheckResult {
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

/** What is missing in a plugin's README. */
export function problemsOfReadme({ name, options }: Manifest, text: string): string[] {
  const isTitled = text.split('\n').some((line) => /^# /.test(line) && line.toLowerCase().includes(name));
  const unnamed = Object.keys(options?.properties ?? {}).filter((option) => !text.includes(option));
  return [
    ...(isTitled ? [] : [`no heading "# …" has the name ${name}`]),
    ...unnamed.map((option) => `it does not name the option ${option}`),
  ];
}
