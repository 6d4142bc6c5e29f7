import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { temporaryFolder } from '../../support/server.ts';
import { page } from '../programs.ts';
import { SYSTEM_PATH, sh } from '../run-page.ts';

const ROOT = join(import.meta.dirname, '../../..');

/** What `npm ci` prints in a folder whose package wants a Node that nobody has. */
async function printedByInstall(t: Parameters<typeof temporaryFolder>[0], npmrc: string): Promise<string> {
  const own = { name: 'a', version: '1.0.0', engines: { node: '>=1000' } };
  const lock = { name: 'a', version: '1.0.0', lockfileVersion: 3, packages: { '': own } };
  const cwd = await temporaryFolder(t, {
    '.npmrc': npmrc,
    'package.json': JSON.stringify(own),
    'package-lock.json': JSON.stringify(lock),
  });
  const { PATH, HOME } = process.env;
  const { status, stdout, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline'], {
    cwd,
    env: { PATH, HOME },
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(stderr);
  return stdout + stderr;
}

t.test('npm ci says nothing of the Node that runs npm, since the service brings its own', async (t) => {
  t.match(await printedByInstall(t, ''), /EBADENGINE/, 'by default it does');
  t.notMatch(await printedByInstall(t, readFileSync(join(ROOT, '.npmrc'), 'utf8')), /EBADENGINE|warn/);
});

t.test('a checkout has the command on the Node of the system, in the folder of the caller', async (t) => {
  t.match(page('server/CORPORA.md'), '`npm run -s chunksmith --`');
  const cwd = await temporaryFolder(t, { 'a b.txt': 'Boil water.' });
  const command = `npm --prefix '${ROOT}' run -s chunksmith --`;
  const chunked = `${command} chunk 'a b.txt' --chunker token --tokenizer character --progress none`;
  t.match(JSON.parse(await sh(chunked, { cwd })), { text: 'Boil water.', document_id: 'a b.txt' });
  t.equal(await sh(`${command} chunk none --progress none; echo $?`, { cwd }).then(lastLine), '2');
  t.notMatch(SYSTEM_PATH, /node_modules/);
});

t.test('the next steps of a new plugin run on the Node of the system', async (t) => {
  const cwd = await temporaryFolder(t);
  const made = await sh(`npm --prefix '${ROOT}' run -s chunksmith -- plugin new tokenizer mine`, { cwd });
  const stepOf = (title: string) => made.split(`${title}\n  `)[1]?.split('\n')[0] ?? '';
  t.match(await sh(`${stepOf('Check it:')} --runs 20`, { cwd }), /^ok {8}manifest$/m);
  const [node = ''] = /\S+(?= --conditions)/.exec(stepOf('Run its test:')) ?? [];
  t.equal(await sh(`${node} --version`, { cwd }), `${process.version}\n`);
});

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1);
