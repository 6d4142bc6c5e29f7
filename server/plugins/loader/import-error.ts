import { execFile } from 'node:child_process';
import { existsSync, globSync, readFileSync, realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import { promisify } from 'node:util';
import { reasonOf } from '../../../core/errors.ts';
import type { ImportFailure } from '../../../core/hosting/plugin-error.ts';

/** Finds out why a file of a plugin could not be imported, and in which line. */
export async function explainImport(error: unknown, folder: string): Promise<ImportFailure> {
  const root = existsSync(folder) ? realpathSync(folder) : folder;
  const place = placeIn(stackOf(error), root) ?? importIn(error, root) ?? (await syntaxErrorIn(error, root));
  return { reason: `its import fails with ${nameOf(error)}`, message: reasonOf(error), place };
}

/** The first line of a stack that is in a folder, relative to it: `lib/parse.js:12`. */
export function placeIn(stack: string, folder: string): string | undefined {
  const [, ...behind] = stack.replaceAll(encodeURI(folder), folder).split(`${folder}/`);
  return behind.map((rest) => /^[^\n():'"]+:\d+/.exec(rest)?.[0]).find((place) => place !== undefined);
}

/** The code or the name of an error. */
function nameOf(error: unknown): string {
  const { code, name } = (error ?? {}) as { code?: unknown; name?: unknown };
  const known = [code, name].find((one) => typeof one === 'string' && /^[A-Z]\w{1,60}$/i.test(one));
  return (known as string | undefined) ?? 'an error';
}

function stackOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? '') : '';
}

const NOT_FOUND = /^Cannot find (?:package|module) '([^']+)' imported from (.+)$/;

/** Where the failed import is; its stack has only Node's own files. */
function importIn(error: unknown, folder: string): string | undefined {
  const [, missing = '', importer = ''] = NOT_FOUND.exec(reasonOf(error)) ?? [];
  if (!importer.startsWith(`${folder}/`) || !existsSync(importer)) return undefined;
  const name = missing.split('/').at(-1) as string;
  const line = readFileSync(importer, 'utf8')
    .split('\n')
    .findIndex((line) => line.includes(name));
  const file = relative(folder, importer);
  return line === -1 ? file : `${file}:${line + 1}`;
}

const MAX_FILES = 100;
const run = promisify(execFile);

/**
 * Where JavaScript in a folder has a syntax error: an import reports only that it has one, `node --check` reports
 * where.
 */
async function syntaxErrorIn(error: unknown, folder: string): Promise<string | undefined> {
  if (!(error instanceof SyntaxError)) return undefined;
  const files = globSync('**/*.{js,mjs}', { cwd: folder, exclude: ['**/node_modules/**'] });
  for (const file of files.sort().slice(0, MAX_FILES)) {
    const failure = await run(process.execPath, ['--check', join(folder, file)]).then(
      () => undefined,
      (error: { stderr: string }) => placeIn(error.stderr, folder),
    );
    if (failure !== undefined) return failure;
  }
  return undefined;
}
