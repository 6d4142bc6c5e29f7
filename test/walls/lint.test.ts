import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import t from 'tap';
import { ROOT } from './sources.ts';

const FETCH = 'export const answer = fetch("http://localhost");\n';
const PROCESS = 'export const id = process.pid;\n';
const ENVIRONMENT = 'export const home = process.env.HOME;\n';
const DEVELOPMENT = "import { test } from 'vitest';\nexport const run = test;\n";
const UNDECLARED = "export const x = await import('no-such-package');\n";
const LONG_FUNCTION = `export function f(x: number[]): void {\n${'  x.push(1);\n'.repeat(61)}}\n`;
const LONG_FILE = Array.from({ length: 501 }, (_, index) => `export const x${index} = ${index};\n`).join('');

/** Sources that break a rule of biome.jsonc, by their paths. */
const BREACHING: [file: string, source: string, rule: string][] = [
  ['core/engine/calls.ts', FETCH, 'noRestrictedGlobals'],
  ['core/engine/reads.ts', PROCESS, 'noRestrictedGlobals'],
  ['plugins/chunkers/a/inner/calls.ts', FETCH, 'noRestrictedGlobals'],
  ['plugins/chunkers/a/reads.ts', PROCESS, 'noRestrictedGlobals'],
  ['server/engine/environment.ts', ENVIRONMENT, 'noProcessEnv'],
  ['server/engine/undeclared.ts', UNDECLARED, 'noUndeclaredDependencies'],
  ['server/engine/development.ts', DEVELOPMENT, 'noUndeclaredDependencies'],
  ['test/undeclared.ts', UNDECLARED, 'noUndeclaredDependencies'],
  ['server/engine/run/camelCase.ts', 'export const x = 1;\n', 'useFilenamingConvention'],
  ['server/engine/run/function.ts', LONG_FUNCTION, 'noExcessiveLinesPerFunction'],
  ['plugins/chunkers/a/file.ts', LONG_FILE, 'noExcessiveLinesPerFile'],
  ['test/support/file.ts', LONG_FILE, 'noExcessiveLinesPerFile'],
  ['server/store/egg.ts', "import type { X } from './hen.ts';\nexport type Y = X | 1;\n", 'noImportCycles'],
  ['server/store/hen.ts', "import type { Y } from './egg.ts';\nexport type X = Y | 2;\n", 'noImportCycles'],
];

/** Sources that stand where the rule makes an exception. */
const ALLOWED: [file: string, source: string][] = [
  ['server/main.ts', ENVIRONMENT],
  ['server/plugins/hub/calls.ts', FETCH],
  ['test/support/environment.ts', ENVIRONMENT],
  ['test/support/development.ts', DEVELOPMENT],
  ['test/core/function.test.ts', LONG_FUNCTION],
];

type Diagnostic = { readonly category: string; readonly location: { readonly path: string } };

t.test('the linter sees a breach of each of our conventions, and its exceptions', async (t) => {
  const folder = t.testdir();
  for (const file of ['biome.jsonc', 'package.json']) copyFileSync(join(ROOT, file), join(folder, file));
  for (const [file, source] of [...BREACHING, ...ALLOWED]) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), source);
  }
  const biome = join(ROOT, 'node_modules', '.bin', 'biome');
  const options = ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none'];
  const { stdout } = spawnSync(biome, options, { cwd: folder, encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: Diagnostic[] };
  const found = diagnostics.map(
    ({ category, location: { path } }) => `${path}: ${category.split('/').at(-1)}`,
  );
  const foreseen = BREACHING.map(([file, , rule]) => `${file}: ${rule}`);
  t.same([...new Set(found)].sort(), foreseen.sort());
});
