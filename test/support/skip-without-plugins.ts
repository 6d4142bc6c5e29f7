import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { importsOf } from '../../server/cli/import-scanner.ts';

/**
 * Loaded before each test file (see .taprc): a file is skipped if a plugin that it needs is not in this checkout, because
 * its folder was deleted or trimmed. A file needs the plugins that it imports, or that its support files do, and
 * those of a line such as `// Needs chunker/code, refinery/overlap.`, which it has if it asks for them by name.
 */

const ROOT = join(import.meta.dirname, '../..');
const NEEDS = /^\/\/ Needs ((?:[a-z]+\/[a-z0-9-]+(?:, )?)+)\.$/gm;

/** The folder of a plugin that a test file needs and does not find, as a path in the checkout. */
function findMissing(file: string, root: string = ROOT): string | undefined {
  const files = new Set([resolve(root, file)]);
  // A loop over a set also visits what is added on the way.
  for (const one of files) {
    const source = readFileSync(one, 'utf8');
    const imported = importedBy(one, source).map((path) => relative(root, path));
    const folders = [...imported.flatMap(pluginFolder), ...namedIn(source)];
    const missing = folders.find((folder) => !existsSync(join(root, folder)));
    if (missing !== undefined) return missing;
    for (const path of imported) {
      if (path.startsWith('test/') && path.endsWith('.ts')) files.add(join(root, path));
    }
  }
  return undefined;
}

function importedBy(file: string, source: string): string[] {
  const imports = importsOf(source).filter(
    ({ kind, specifier }) => kind !== 'type' && specifier.startsWith('.'),
  );
  return imports.map(({ specifier }) => resolve(dirname(file), specifier));
}

/** The folder of the plugin that a file belongs to, if it belongs to one. */
function pluginFolder(path: string): string[] {
  const [top, kind = '', name] = path.split('/');
  return top === 'plugins' && name !== undefined ? [join(top, kind, name)] : [];
}

/** The folders of the plugins that a comment names. */
function namedIn(source: string): string[] {
  const ids = [...source.matchAll(NEEDS)].flatMap(([, list = '']) => list.split(', '));
  return ids.map((id) => {
    const [kind = '', name = ''] = id.split('/');
    return join('plugins', kind === 'refinery' ? 'refineries' : `${kind}s`, name);
  });
}

const [, file] = process.argv;
const missing = file?.endsWith('.test.ts') ? findMissing(file) : undefined;
if (missing !== undefined) {
  console.log(`TAP version 14\n1..0 # SKIP ${missing} is not in this checkout`);
  process.exit(0);
}
