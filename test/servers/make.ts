import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { FAILURE, OWNER, reasonOf, recentFailure, SERVERS } from './environment.ts';

/**
 * `node make.ts` makes the folder of the servers: the files of Debian packages, which run in a chroot, and npm
 * packages. No script of a package is run. Its caller holds a lock.
 */

const SUITE = 'trixie';
const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const PACKAGES = [
  ...['base-files', 'coreutils', 'dash', 'libc-bin', 'libstdc++6', 'util-linux', 'ca-certificates'],
  ...['postgresql-17', 'postgresql-17-pgvector', 'pgbouncer'],
  ...['python3-moto', 'python3-flask', 'python3-flask-cors', 'python3-psycopg'],
];
/** Needed by scripts of packages, and for compiling queries. */
const NOT_NEEDED = /^(libllvm|libz3|perl|libperl|locales|libc-l10n|debconf|adduser|dpkg|ucf|ssl-cert)/;
const NO_FILES = ['doc', 'man', 'locale', 'info'].map((name) => `--exclude=./usr/share/${name}`);
const DEVICES = { null: 3, zero: 5, urandom: 9 };

const run = promisify(execFile);

if (!existsSync(SERVERS)) await makeOnce();

/** Whoever waited for one that failed learns of its failure. */
async function makeOnce(): Promise<void> {
  const failed = await recentFailure();
  const reason = failed ?? (await makeServers().then(() => undefined, reasonOf));
  if (reason === undefined) return;
  console.error(reason);
  process.exitCode = 1;
  if (failed === undefined) await writeFile(FAILURE, reason);
}

async function makeServers(): Promise<void> {
  const work = await mkdtemp(`${SERVERS}.`);
  const root = join(work, 'root');
  try {
    await mkdir(root);
    await Promise.all([extractPackages(join(work, 'apt'), root), installNpm(join(work, 'npm'))]);
    await addSystemFiles(root);
    await mkdir(join(root, 'srv'), { recursive: true });
    await rename(join(work, 'npm'), join(root, 'srv/npm'));
    await copyFile(process.execPath, join(root, 'usr/bin/node'));
    await initPostgres(root);
    await rename(root, SERVERS);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}

async function extractPackages(apt: string, root: string): Promise<void> {
  const archives = join(apt, 'cache/archives');
  await mkdir(join(archives, 'partial'), { recursive: true });
  await mkdir(join(apt, 'state/lists/partial'), { recursive: true });
  await writeFile(join(apt, 'status'), '');
  await writeFile(join(apt, 'sources.list'), `deb [signed-by=${KEYRING}] ${await mirror()} ${SUITE} main\n`);
  const options = {
    'Dir::State': join(apt, 'state'),
    'Dir::State::status': join(apt, 'status'),
    'Dir::Cache': join(apt, 'cache'),
    'Dir::Etc::sourcelist': join(apt, 'sources.list'),
    'Dir::Etc::sourceparts': '/dev/null',
    'Dir::Etc::preferencesparts': '/dev/null',
    'APT::Install-Recommends': 'false',
    'APT::Sandbox::User': 'root',
    'APT::Update::Error-Mode': 'any',
    'Acquire::Languages': 'none',
  };
  const given = Object.entries(options).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
  await run('apt-get', [...given, '-q', 'update']);
  await run('apt-get', [...given, '-qy', 'install', '--download-only', ...PACKAGES], { maxBuffer: 2 ** 26 });
  const files = (await readdir(archives)).filter((name) => name.endsWith('.deb') && !NOT_NEEDED.test(name));
  // It has the links from /bin and /lib, which all others need.
  files.sort((a, b) => Number(b.startsWith('base-files_')) - Number(a.startsWith('base-files_')));
  const extract = `dpkg-deb --fsys-tarfile "$1" | tar -x --keep-directory-symlink -C "$0" ${NO_FILES.join(' ')}`;
  for (const file of files) await run('sh', ['-c', extract, root, join(archives, file)]);
}

/** The address that this machine has Debian packages from. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(REPO_URI)']);
  const found = stdout.split('\n').find((url) => /\bdebian\/?$/.test(url));
  if (found === undefined) throw new Error('no Debian mirror is among the sources of apt');
  return found;
}

async function installNpm(folder: string): Promise<void> {
  await mkdir(folder);
  for (const name of ['package.json', 'package-lock.json'])
    await copyFile(join(import.meta.dirname, name), join(folder, name));
  const options = [
    '--ignore-scripts',
    '--omit=peer',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--fetch-retries=1',
  ];
  await run('npm', ['ci', ...options], { cwd: folder });
}

/** What scripts of packages would have made. */
async function addSystemFiles(root: string): Promise<void> {
  const user = `tests:x:${OWNER}:${OWNER}::/tmp:/bin/sh`;
  await writeFile(join(root, 'etc/passwd'), `root:x:0:0::/root:/bin/sh\n${user}\n`);
  await writeFile(join(root, 'etc/group'), `root:x:0:\ntests:x:${OWNER}:\n`);
  await writeFile(join(root, 'etc/hosts'), '127.0.0.1 localhost\n');
  const certificates = 'cat usr/share/ca-certificates/mozilla/*.crt >etc/ssl/certs/ca-certificates.crt';
  await run('sh', ['-c', certificates], { cwd: root });
  await run('chroot', [root, 'ldconfig'], { cwd: '/' });
  await mkdir(join(root, 'dev/shm'));
  for (const [name, minor] of Object.entries(DEVICES))
    await run('mknod', ['-m', '666', join(root, 'dev', name), 'c', '1', String(minor)]);
  await run('chmod', ['1777', join(root, 'tmp'), join(root, 'dev/shm')]);
}

/** A database server that was never started, which tests copy. It also compiles the modules of moto. */
async function initPostgres(root: string): Promise<void> {
  await run('install', ['-d', '-o', String(OWNER), '-g', String(OWNER), join(root, 'srv/postgres')]);
  const settings = ['-U', 'chunksmith', '-A', 'trust', '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync'];
  const initdb = ['/usr/lib/postgresql/17/bin/initdb', '-D', '/srv/postgres', ...settings];
  await run('chroot', [`--userspec=${OWNER}:${OWNER}`, root, ...initdb], { cwd: '/' });
  await run('chroot', [root, 'python3', '-c', 'import moto.server, moto.s3.responses'], { cwd: '/' });
}
