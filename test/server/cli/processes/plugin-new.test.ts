import { spawnSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { KINDS } from '../../../../core/contracts/manifest.ts';
import { writeNewPlugin } from '../../../../server/cli/commands/plugin-new.ts';
import { temporaryFolder } from '../../../support/server.ts';

/** The compiler reads what `chunksmith plugin new` makes, and the examples of the contracts. */

const ROOT = join(import.meta.dirname, '../../../..');

const INCLUDED = ['index', 'manifest', 'stand-in'].map((name) => `plugins/*/${name}.ts`);
const COMPILER = {
  target: 'es2024',
  lib: ['es2025'],
  module: 'nodenext',
  strict: true,
  noEmit: true,
  types: ['node'],
  erasableSyntaxOnly: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  noUncheckedIndexedAccess: true,
  customConditions: ['chunksmith-source'],
};

const EXAMPLES = ['chunker', 'refinery', 'reader', 'embedding'];
const MORE_OF_MANIFEST: Readonly<Record<string, object>> = {
  reader: { formats: { extensions: ['.note'] } },
  embedding: { uses: ['tokenizer/character'] },
};

/** The example in the comment of a contract, as the plugin whose manifest it imports. */
async function writeExample(kind: string, folder: string): Promise<void> {
  const source = await readFile(join(ROOT, 'core/contracts', `${kind}.ts`), 'utf8');
  const [, fenced = ''] = /^ \* ```ts\n([\s\S]*?)^ \* ```$/m.exec(source) ?? [];
  const manifest = { kind, name: 'example', summary: 'An example.', ...MORE_OF_MANIFEST[kind] };
  const typed = `import type { Manifest } from 'chunksmith/kit';\nexport default ${JSON.stringify(manifest)} as const satisfies Manifest;\n`;
  await mkdir(join(folder, 'plugins', `example-${kind}`), { recursive: true });
  await writeFile(join(folder, 'plugins', `example-${kind}`, 'manifest.ts'), typed);
  await writeFile(join(folder, 'plugins', `example-${kind}`, 'index.ts'), fenced.replace(/^ \* ?/gm, ''));
}

t.test('in TypeScript they pass tsc outside of the tree, and a mistake does not', async (t) => {
  const folder = await temporaryFolder(t, {
    'package.json': '{"type": "module"}',
    'tsconfig.json': JSON.stringify({ compilerOptions: COMPILER, include: INCLUDED }),
  });
  await mkdir(join(folder, 'node_modules'));
  await symlink(ROOT, join(folder, 'node_modules/chunksmith'));
  await symlink(join(ROOT, 'node_modules/@types'), join(folder, 'node_modules/@types'));
  for (const kind of KINDS) writeNewPlugin(kind, `my-${kind}`, join(folder, 'plugins'), 'typescript');
  for (const kind of EXAMPLES) await writeExample(kind, folder);
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const check = () => {
    const { status, stdout } = spawnSync(process.execPath, [tsc, '-p', '.'], {
      cwd: folder,
      encoding: 'utf8',
    });
    return { status, stdout };
  };
  t.same(check(), { status: 0, stdout: '' });
  const spoil = async (file: string, from: string, to: string) => {
    const path = join(folder, 'plugins', file);
    await writeFile(path, (await readFile(path, 'utf8')).replace(from, to));
  };
  await spoil('my-chunker/index.ts', 'start: 0, end', 'begin: 0, end');
  await spoil('my-reader/manifest.ts', 'summary', 'sumary');
  for (const kind of EXAMPLES)
    await spoil(`example-${kind}/index.ts`, 'export default', 'const no: number = ""; export default');
  const { stdout: problems } = check();
  t.match(problems, /my-chunker\/index\.ts.*'begin' does not exist/);
  t.match(problems, /my-reader\/manifest\.ts.*sumary/);
  for (const kind of EXAMPLES) t.match(problems, new RegExp(`example-${kind}/index\\.ts.*TS2322`));
});
