import type { Manifest } from '../contracts/manifest.ts';

/** Looks up on the machine what a plugin needs. */
export interface Probe {
  /** Whether a package can be imported from the plugin's folder. */
  hasPackage(name: string): boolean;
  /** Whether an environment variable is set and not empty. */
  hasEnv(name: string): boolean;
  /** Whether a file, relative to the plugin's folder, is there. */
  hasFile(path: string): boolean;
}

/** What a plugin needs and does not find: one sentence each, with the remedy. Empty if it can run. */
export function findMissing(manifest: Manifest, probe: Probe): string[] {
  const { packages = [], env = [], files = [] } = manifest.needs ?? {};
  const missingPackages = packages.filter((name) => !probe.hasPackage(name));
  const missing: string[] = [];
  if (missingPackages.length > 0) missing.push(packageRemedy(missingPackages));
  for (const name of env) {
    if (!probe.hasEnv(name)) missing.push(`set the environment variable ${name} and start the server again`);
  }
  for (const path of files) {
    if (!probe.hasFile(path))
      missing.push(`the file ${path} of the plugin is missing: install the plugin again`);
  }
  return missing;
}

function packageRemedy(names: readonly string[]): string {
  const list = names.join(' ');
  return `${names.length === 1 ? 'a package is' : 'packages are'} not installed: run "npm install ${list}" and start the server again`;
}
