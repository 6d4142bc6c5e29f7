import { execFile, spawnSync } from 'node:child_process';
import { promisify } from 'node:util';
import t from 'tap';
import { needs } from '../../support/here.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';
import {
  blocksOf,
  PAGES,
  page,
  programBefore,
  programOf,
  RECIPES,
  SHOWN,
  shownAfter,
  startCutting,
} from '../programs.ts';

/** Programs of the README and its pages in Python, and its pipes to curl. */

const clients = page('server/CLIENTS.md');
const client = await startServer(t);
const has = (command: string) => spawnSync(command, ['--version']).status === 0;
const noPython = !has('python3') && 'there is no Python';

/** Runs a program of a page, with lines of the test's own after it. */
async function run(program: string, more = '', url = client.url): Promise<string> {
  const source = program.replace('http://localhost:8000', url) + more;
  const cwd = await temporaryFolder(t, { 'program.py': source });
  const env = { PATH: process.env.PATH, PYTHONUTF8: '1' };
  const { stdout, stderr } = await promisify(execFile)('python3', ['program.py'], { cwd, env });
  return stdout + stderr;
}

/** What a program prints that ends with the error of a call. */
const failing = (program: string, call: string) =>
  run(program, `try:\n    ${call}\nexcept ValueError as error:\n    print(error)\n`);

/** Why a test of programs in Python is skipped. */
const inPython = (...plugins: Parameters<typeof needs>) => ({ skip: noPython || needs(...plugins).skip });

const OF_FILES = inPython('chunker/auto', 'chunker/markdown', 'chunker/table', 'reader/text');
t.test('its clients of files print what it says', OF_FILES, async (t) => {
  const program = programBefore(clients, 'python3 files.py');
  t.equal(await run(program), shownAfter(clients, 'python3 files.py'));
});

t.test('its clients print what it says, and show the detail of an error', inPython(...SHOWN), async (t) => {
  const program = programOf(clients, 'python');
  t.equal(await run(program), shownAfter(clients, 'python3 client.py'));
  const said = await failing(program, "chunk('a', chunk_sise=1)");
  t.match(said, /chunk_sise: unknown parameter, did you mean/);
});

const STREAMS = 'its clients of streams print what it says, and throw what is wrong with the whole';
t.test(STREAMS, inPython('chunker/sentence', 'chunker/recursive'), async (t) => {
  const program = programBefore(clients, 'python3 stream.py');
  t.equal(await run(program), shownAfter(clients, 'python3 stream.py'));
  t.match(await failing(program, 'list(stream([], chunk_sise=1))'), /chunk_sise: unknown parameter/);
  t.match(await run(program, '', await startCutting(t)).catch(String), /IncompleteRead/);
});

t.test('commands that are not run can be read by a shell', async (t) => {
  for (const file of [...PAGES, ...RECIPES, 'server/CORPORA.md', 'server/FIRST-INDEX.md']) {
    const input = blocksOf(page(file), 'sh').join('');
    t.equal(spawnSync('/bin/sh', ['-n'], { input, encoding: 'utf8' }).stderr, '', file);
  }
});

const STREAMED =
  /^\$ (printf '%s\\n' .* \| curl -sN )localhost:8000(\/\S+ -H 'Content-Type: application\/x-ndjson' -X POST -T -)\n([\s\S]*?)^```$/gm;

t.test('its streams print what it says', { skip: has('curl') ? false : 'there is no curl' }, async (t) => {
  const shown = PAGES.flatMap((file) => [...page(file).matchAll(STREAMED)]);
  t.ok(shown.length >= 2);
  for (const [, before, after, lines] of shown) {
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', before + client.url + after]);
    t.equal(stdout, lines);
  }
});

t.test('its recipe of hashes and ids gives those of the server', { skip: noPython }, async (t) => {
  const id = 'kb/é😀\ud800';
  const namespace = '漢\udc00';
  const texts = ['a\n', '\ud800', 'é😀', 'a\n', '\udc00\ud800 ', 'a\n'];
  const document = { id, text: texts.join('') };
  const request = { documents: [document], namespace, chunk_size: 2, include: ['id', 'hash'] };
  type Chunks = readonly { readonly text: string; readonly id: string; readonly hash: string }[];
  const [chunks = []] = (await client.post('/v1/chunk/token', request)).json<Chunks[]>();
  t.ok(chunks.length > new Set(chunks.map(({ hash }) => hash)).size, 'some stand twice');
  const given = JSON.stringify(JSON.stringify({ id, namespace, texts: chunks.map(({ text }) => text) }));
  const more = `
import json
given = json.loads(${given})
hashes = [sha256(text).hex() for text in given["texts"]]
print(json.dumps([hashes, list(chunk_ids(given["namespace"], given["id"], hashes))]))
`;
  const printed = await run(programOf(page('server/DOCUMENTS.md'), 'python', 'def chunk_ids('), more);
  t.same(JSON.parse(printed), [chunks.map(({ hash }) => hash), chunks.map(({ id }) => id)]);
});
