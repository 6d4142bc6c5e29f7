import type { Manifest } from '../contracts/manifest.ts';

/** Checks on the machine what a plugin needs. */
export interface Probe {
  /** Whether a package resolves from the plugin's folder, as its own imports would. */
  hasPackage(name: string): boolean;
  /** Whether an environment variable is set and not empty. */
  hasEnv(name: string): boolean;
  /** Whether a file, relative to the plugin's folder, exists. */
  hasFile(path: string): boolean;
}

/** What a plugin needs and lacks: one sentence each, with the remedy. Empty if it can run. */
export function findMissing(manifest: Manifest, probe: Probe): string[] {
  const { packages = [], env = [], files = [] } = manifest.needs ?? {};
  const missingPackages = packages.filter((name) => !probe.hasPackage(name));
  const missing: string[] = [];
  if (missingPackages.length > 0) missing.push(packageRemedy(missingPackages));
  for (const name of env) {
    if (!probe.hasEnv(name)) missing.push(`set the environment variable ${name} and restart the server`);
  }
  for (const path of files) {
    if (!probe.hasFile(path))
      missing.push(`the file ${path} of the plugin is missing: install the plugin again`);
  }
  return missing;
}

/** Whether a plugin needs a key: it then calls a server on the network, which may cost money. */
export function needsKey({ needs }: Manifest): boolean {
  return (needs?.env ?? []).length > 0;
}

/** Why a file of a plugin could not be imported. */
export interface ImportFailure {
  /** One clause that anyone may read. */
  readonly reason: string;
  /**
   * The error's details, for the operator only: they may contain paths and whatever a plugin writes into its errors.
   */
  readonly message?: string | undefined;
  /** The file in the plugin's folder and the line, such as `index.js:3`. */
  readonly place?: string | undefined;
}

/** Everything known, as one clause for the operator. */
export function describeFailure({ reason, message = reason, place }: ImportFailure): string {
  return place === undefined ? message : `${message} (${place})`;
}

function packageRemedy(names: readonly string[]): string {
  const list = names.join(' ');
  return `${names.length === 1 ? 'a package is' : 'packages are'} not installed: run "npm install ${list}" in the plugin's folder and restart the server`;
}
