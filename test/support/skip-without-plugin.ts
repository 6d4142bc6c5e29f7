import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Manifest } from '../../core/contracts/manifest.ts';
import { isHere } from './here.ts';

/**
 * Loaded before each test file (see .taprc): the tests of a plugin, in `test/plugins/`, are skipped if its folder was
 * deleted, or that of one that it cannot do without.
 */

const ROOT = join(import.meta.dirname, '../..');
const [, file = ''] = process.argv;
const [test, plugins, kinds, name] = relative(ROOT, file).split('/');
const missing =
  test === 'test' && plugins === 'plugins' ? await findMissing(`plugins/${kinds}/${name}`) : undefined;
if (missing !== undefined) {
  console.log(`TAP version 14\n1..0 # SKIP ${missing} is not in this checkout`);
  process.exit(0);
}

async function findMissing(folder: string): Promise<string | undefined> {
  if (!existsSync(join(ROOT, folder))) return folder;
  const { default: manifest } = (await import(join(ROOT, folder, 'manifest.ts'))) as { default: Manifest };
  return (manifest.uses ?? []).find((use) => use.includes('/') && !isHere(use));
}
