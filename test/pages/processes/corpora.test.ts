import { execFile, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { type Client, startServer, temporaryFolder } from '../../support/server.ts';
import { blocksOf, page } from '../programs.ts';

/** What server/CORPORA.md says is true: its commands are run, and its recipes too, as far as they need no cluster. */

const ROOT = join(import.meta.dirname, '../../..');
const corpora = page('server/CORPORA.md');

/** Options of a test that runs commands of a shell, and the chunker of the page. */
function having(...commands: string[]): { readonly skip: string | false } {
  const missing = commands.find((command) => spawnSync(command, ['--version']).status !== 0) ?? false;
  return { skip: needs('chunker/recursive').skip || missing };
}

/** The code of a language below a heading of the page, block by block. */
function codeBelow(heading: string, language: string): string[] {
  const [, rest = ''] = corpora.split(`\n## ${heading}\n`);
  const [section = ''] = rest.split('\n## ');
  return blocksOf(section, language);
}

/** Runs a script of a shell in a folder; gives all that it prints. */
async function sh(script: string, cwd: string): Promise<string> {
  const { PATH = '' } = process.env;
  const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `exec 2>&1\n${script}`], {
    cwd,
    env: { PATH },
  });
  return stdout;
}

const MARK = '-- the next command --';
const TIMES = /in [\d.]+ s \([\d.]+ MB\/s\)/g;

const OF_PRESET = needs('chunker/auto', 'chunker/markdown', 'refinery/context', 'tokenizer/tiktoken');
const OF_TOUR = { skip: having('curl', 'jq').skip || OF_PRESET.skip };
t.test('its tour prints what it says, command by command', OF_TOUR, async (t) => {
  const cwd = await temporaryFolder(t);
  const { url } = await startServer(t, { bulkRoot: cwd, workers: 1 });
  const blocks = ['The command line', 'Jobs on one server'].flatMap((name) => codeBelow(name, 'console'));
  const steps = blocks.flatMap((block) => block.split(/^(?=\$ )/m)).map((step) => step.slice(2));
  t.ok(steps.length >= 14, `${steps.length} commands`);
  const commands = steps.map((step) => step.slice(0, step.indexOf('\n')));
  const alias = `chunksmith() { "${process.execPath}" "${join(ROOT, 'server/cli/main.ts')}" "$@"; }\n`;
  const script = commands.map((command) => `${command}\necho '${MARK}'\n`).join('');
  const printed = await sh(alias + script.replaceAll('localhost:8000', url), cwd);
  const answers = printed.split(`${MARK}\n`);
  for (const [place, step] of steps.entries()) {
    const shown = step.slice(step.indexOf('\n') + 1);
    t.equal((answers[place] ?? '').replace(TIMES, ''), shown.replace(TIMES, ''), commands[place] as string);
  }
});

t.test('its other commands can be read by a shell', async (t) => {
  for (const block of blocksOf(corpora, 'sh')) {
    const { status, stderr } = spawnSync('/bin/sh', ['-n'], { input: block, encoding: 'utf8' });
    t.equal(status, 0, stderr);
  }
});

const OF_XARGS = having('curl', 'xargs');
t.test('its recipe for xargs streams to two servers, and goes on where it stopped', OF_XARGS, async (t) => {
  const [recipe = ''] = codeBelow('Recipes', 'sh');
  const names = ['a.jsonl', 'b c.jsonl', 'd.jsonl'];
  const files = names.map((name) => [`corpus/${name}`, lineOf(`in ${name}`)]);
  const cwd = await temporaryFolder(t, Object.fromEntries(files));
  const servers = [await startServer(t), await startServer(t)] as const;
  const run = (second: string) =>
    sh(recipe.replace('http://localhost:8000', servers[0].url).replace('http://localhost:8001', second), cwd);
  // The first server has every second file, beginning with the second.
  t.match(await run('http://127.0.0.1:1').catch(({ stdout }) => stdout), /curl: \(7\)/);
  t.same(readdirSync(join(cwd, 'corpus')), [...names, 'b c.jsonl.chunks'].sort());
  t.equal(await run(servers[1].url), '');
  t.same(await Promise.all(servers.map(streamsOf)), [2, 1]);
  for (const name of names) {
    const [line = ''] = readFileSync(join(cwd, 'corpus', `${name}.chunks`), 'utf8').split('\n');
    t.equal(JSON.parse(line).chunks[0].text, `in ${name}`);
  }
});

const lineOf = (text: string): string => `${JSON.stringify({ id: text, text })}\n`;

async function streamsOf({ get }: Client): Promise<number> {
  const text = (await get('/metrics')).bytes.toString();
  const counts = [...text.matchAll(/^chunksmith_streams_total\{.*\} (\d+)$/gm)];
  return counts.reduce((sum, [, count]) => sum + Number(count), 0);
}

t.test('its programs in Python can be compiled', having('python3'), async (t) => {
  const blocks = blocksOf(corpora, 'python');
  t.equal(blocks.length, 1);
  for (const input of blocks) {
    const compile = ['-c', 'import sys; compile(sys.stdin.read(), "page", "exec")'];
    t.equal(spawnSync('python3', compile, { input, encoding: 'utf8' }).stderr, '');
  }
});
