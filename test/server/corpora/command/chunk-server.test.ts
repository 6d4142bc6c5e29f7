import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { startLoopback } from '../../../support/loopback.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';
import { BY_CHARACTERS, contentOf, lineOf } from '../../cli/cli.ts';
import { checkFailures, runHere } from '../../cli/command.ts';

const KEY = 'a-key-of-these-tests-that-is-long-enough';

t.test('a service chunks as this process does', async (t) => {
  const lines = [
    ...Array.from({ length: 300 }, (_, id) => lineOf(`text ${id} `.repeat(id), `${id}`)),
    'no JSON\n',
    '{"id":"wrong","text":1}\n',
    '{"text":"without an id 😀 漢"}',
  ];
  const files = { 'src/a.txt': 'a text', 'src/b.txt': '', 'src/c.jsonl': lines.join('') };
  const cwd = await temporaryFolder(t, files);
  await writeFile(join(cwd, 'src/z.bin'), Buffer.from([0, 1, 2]));
  const { url } = await startServer(t);
  const run = (place: string, ...flags: string[]) => {
    const there = place === 'there' ? ['--server', url] : [];
    return runHere(t, ['chunk', 'src', ...BY_CHARACTERS(40), ...flags, ...there], { cwd });
  };
  const apart = (place: string) => ['--errors', `${place}.jsonl`, '--manifest', `${place}.ids`];
  for (const flags of [[], ['--group', 'document'], ['--include', 'id', '--include', 'hash']]) {
    const here = await run('here', ...flags, '--progress', 'json', ...apart('here'));
    const there = await run('there', ...flags, '--progress', 'json', ...apart('there'));
    t.equal(here.status, 3);
    t.equal(there.status, 3, there.stderr);
    t.ok(here.stdout.length > 0);
    t.ok(there.stdout === here.stdout, flags.join(' '));
    const { seconds, mb_per_second, ...counts } = here.summary();
    t.match(there.summary(), counts);
    for (const file of ['jsonl', 'ids'])
      t.same(await bytesOf(cwd, `here.${file}`), await bytesOf(cwd, `there.${file}`));
  }
  for (const place of ['here', 'there']) t.equal((await run(place, '--out', place)).status, 3);
  t.same(await contentOf(join(cwd, 'here')), await contentOf(join(cwd, 'there')));
});

const bytesOf = (folder: string, file: string) => readFile(join(folder, file));

t.test('keys, names and addresses that are wrong', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'p.json': '{"steps":[]}' });
  const { url, post } = await startServer(t, { apiKeys: KEY });
  const none = await startLoopback(t, (_, response) => response.end('<html>'));
  const chunk = (env: Record<string, string>, ...args: string[]) =>
    runHere(t, ['chunk', 'a.txt', '--server', url, ...args], { cwd, env });
  const withKey = (...args: string[]) => chunk({ CHUNKSMITH_KEY: KEY }, ...args);
  const config = { tokenizer: 'character', chunk_size: 4 };
  const pipeline = { name: 'kept', steps: [{ type: 'chunk', chunker: 'token', config }] };
  t.equal((await post('/v1/pipelines', pipeline, { authorization: `Bearer ${KEY}` })).status, 201);
  t.match(await withKey(...BY_CHARACTERS(4)), { status: 0, stdout: /"abcd"/ });
  t.match(await withKey('--pipeline', 'kept'), { status: 0, stdout: /"abcd".*\n.*"ef"/ });
  await checkFailures(t, (...args) => chunk({}, ...args), [
    ['--chunker token', /requires a valid key: set the variable CHUNKSMITH_KEY/, 1],
  ]);
  await checkFailures(t, withKey, [
    ['--chunker nosuch', /has no such chunker/],
    ['--chunker token --chunk-size x', /chunk_size: expected/, 1],
    ['--pipeline none', /has no pipeline of this name/],
    ['--pipeline p.json', /store it there first/],
    ['--chunker token --server http://127.0.0.1:65535', /cannot be reached.*ECONNREFUSED/, 1],
    ['--chunker token --server x', /expected a URL/],
    [`--chunker token --server ${none}`, /did not answer with JSON/, 1],
  ]);
});
