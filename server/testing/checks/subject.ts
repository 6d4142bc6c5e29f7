import { dirname } from 'node:path';
import type { PluginId } from '../../../core/contracts/manifest.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { type Environment, readConfig } from '../../config/config.ts';
import { BUILT_IN_PLUGINS, loadOnePlugin } from '../../plugins/loader/loader.ts';
import { type Harness, openHarness } from '../harness.ts';
import type { SuiteOptions } from '../promises.ts';

export interface Subject {
  readonly entry: PluginEntry;
  /** Ids of all other plugins. The checked plugin may use these. */
  readonly others: readonly PluginId[];
  readonly folder: string;
  readonly harness: Harness;
  readonly suite: SuiteOptions;
  /** Why the plugin cannot run here, so that only its files are checked; undefined if it can run. */
  readonly whyNotRun: string | undefined;
}

export interface SubjectOptions extends SuiteOptions {
  /** Environment variables: the server's, such as `PLUGINS_DIR` and `MODELS_DIR`, and the plugin's own. */
  readonly env: Environment;
}

/**
 * Loads a plugin and the plugins that it uses, and creates a harness that runs them.
 *
 * @throws ServiceError as `loadOnePlugin` does, such as `malformed_plugin`; ConfigError
 */
export async function openSubject(folder: string, { env, ...suite }: SubjectOptions): Promise<Subject> {
  const config = readConfig({}, env);
  const folders = [BUILT_IN_PLUGINS, ...config.pluginsDir];
  const packages = config.pluginsFrom;
  const { registry, entry, others } = await loadOnePlugin(folder, { folders, packages, env });
  const harness = await openHarness(config, { registry });
  return { entry, others, folder: dirname(entry.file), harness, suite, whyNotRun: whyNotRun(entry, env) };
}

/** Why a plugin cannot run here; undefined if it can. Variables that a sink needs come from its stand-in. */
export function whyNotRun({ manifest, missing }: PluginEntry, env: Environment): string | undefined {
  const keys = manifest.needs?.env ?? [];
  const unset = manifest.kind === 'sink' ? keys.filter((key) => (env[key] ?? '') === '') : [];
  if (missing.length > unset.length) return missing.join('; ');
  if (manifest.kind === 'sink' || keys.length === 0) return undefined;
  return `with ${keys.join()} it calls a service on the network, which may cost money`;
}
