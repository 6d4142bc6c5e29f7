import { spawnSync } from 'node:child_process';
import { cpSync, globSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
const PROJECT = join(import.meta.dirname, 'tsconfig.build.json');

/**
 * What the program reads besides its modules, and licences, whose names have no dot; files of the page and of new
 * plugins are copied unchanged.
 */
const ASSETS = '{core,plugins,server}/**';
const AS_THEY_ARE = /^server\/(clients\/playground|cli\/templates)\//;
/** What has a package of its own, or works only in a checkout. */
const LEFT_OUT = ['server/clients/python/**', 'server/deploy/**', '**/tsconfig*.json'];
/** The only file served from a package that contains many more. */
const REDOC = 'redoc/bundles/redoc.standalone.js';

/** Writes the program as JavaScript with types to a folder, in the layout of the sources. */
function build(folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  const { status } = spawnSync(process.execPath, [compiler(), '-p', PROJECT, '--outDir', folder], {
    stdio: 'inherit',
  });
  if (status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    process.exit(1);
  }
  for (const path of globSync(ASSETS, { cwd: ROOT, exclude: LEFT_OUT })) {
    if (statSync(join(ROOT, path)).isDirectory()) continue;
    if (AS_THEY_ARE.test(path) || !path.endsWith('.ts')) cpSync(join(ROOT, path), join(folder, path));
  }
  copyRedoc(folder);
}

/** The TypeScript compiler, as npm has linked it. */
function compiler(): string {
  const folder = dirname(createRequire(import.meta.url).resolve('typescript/package.json'));
  return join(folder, 'bin', 'tsc');
}

function copyRedoc(folder: string): void {
  const script = createRequire(import.meta.url).resolve(REDOC);
  for (const file of [script, `${script}.LICENSE.txt`])
    cpSync(file, join(folder, 'server/http/docs', basename(file)));
}

/** `npm run build` writes to `build/`; an argument names another folder. */
build(resolve(process.argv[2] ?? join(ROOT, 'build')));
