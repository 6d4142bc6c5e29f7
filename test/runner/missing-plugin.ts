import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest } from '../../core/contracts/manifest.ts';
import { isHere } from '../support/here.ts';

const ROOT = join(import.meta.dirname, '../..');

/**
 * The plugin that a test file cannot do without and that this checkout lacks: tests of a plugin, in
 * `test/plugins/<kind>/<name>/`, need its folder and the plugins that its manifest uses.
 */
export async function missingPluginOf(file: string): Promise<string | undefined> {
  const [, plugins, kind, name] = file.split('/');
  if (plugins !== 'plugins' || kind === 'toolkit') return undefined;
  const folder = `plugins/${kind}/${name}`;
  if (!existsSync(join(ROOT, folder))) return folder;
  const { default: manifest } = (await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest };
  return (manifest.uses ?? []).find((use) => use.includes('/') && !isHere(use));
}
