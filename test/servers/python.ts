import { execFile, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** The interpreter of tests in Python; `PYTHON` names another one. */
export const PYTHON = process.env.PYTHON ?? 'python3';
/** The Python client. */
export const CLIENT = join(import.meta.dirname, '../../server/clients/python');

const CACHE = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'chunksmith-tests');
const VERSION = 'import sys; print(sys.version); sys.exit(sys.version_info < (3, 10))';

/**
 * Has `pip` install the client and what it needs into a folder, once for this machine and each list of its files; `missing`
 * is for `skip`: why there is none, or false.
 *
 * @param more packages, as `pip` names them
 */
export async function openPackages(
  ...more: string[]
): Promise<{ readonly folder: string; readonly missing: string | false }> {
  const { status, stdout } = spawnSync(PYTHON, ['-c', VERSION], { encoding: 'utf8' });
  if (status !== 0) return { folder: '', missing: `${PYTHON} is not there, or is older than 3.10` };
  const folder = join(CACHE, `python-${recipe([stdout, ...more].join(' '))}`);
  if (existsSync(folder)) return { folder, missing: false };
  await mkdir(CACHE, { recursive: true });
  const work = await mkdtemp(`${folder}.`);
  try {
    await install(work, more);
    // Users of a chroot read it too.
    await chmod(work, 0o755);
    // Another test may have been faster.
    await rename(work, folder).catch(() => undefined);
    return { folder, missing: false };
  } catch (error) {
    return {
      folder: '',
      missing: `pip cannot install ${['the client', ...more].join(' and ')}: ${reasonOf(error)}`,
    };
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

function recipe(version: string): string {
  const files = globSync('**/*.{py,typed}', { cwd: CLIENT }).toSorted();
  const hash = createHash('sha256').update(version).update(files.join());
  return hash
    .update(readFileSync(join(CLIENT, 'pyproject.toml')))
    .digest('hex')
    .slice(0, 16);
}

async function install(folder: string, more: readonly string[]): Promise<void> {
  const options = ['--quiet', '--disable-pip-version-check', '--retries', '1', '--timeout', '15'];
  await promisify(execFile)(PYTHON, [
    '-m',
    'pip',
    'install',
    ...options,
    '--target',
    folder,
    CLIENT,
    ...more,
  ]);
}

/** One line of what a command said. */
function reasonOf(error: unknown): string {
  const { stderr = '', message } = error as Error & { readonly stderr?: string };
  return (/^ERROR:.*|.*No module named pip.*/m.exec(stderr)?.[0] ?? message).slice(0, 200);
}
