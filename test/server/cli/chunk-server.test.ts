import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { type AddressInfo, createServer as createSocket } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { BY_CHARACTERS, gated, runCli, startCli } from '../../support/cli.ts';
import { pluginsFolder } from '../../support/plugins.ts';
import { startProcess, until } from '../../support/process.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

const KEY = 'a-key-of-these-tests-that-is-long-enough';

t.test('a service chunks as this process does', async (t) => {
  const lines = [
    ...Array.from({ length: 300 }, (_, id) =>
      JSON.stringify({ id: `${id}`, text: `text ${id} `.repeat(id) }),
    ),
    'no JSON',
    '{"id":"wrong","text":1}',
    '{"text":"without an id 😀 漢"}',
  ];
  const cwd = await temporaryFolder(t, {
    'src/a.txt': 'a text',
    'src/b.txt': '',
    'src/c.jsonl': lines.join('\n'),
  });
  await writeFile(join(cwd, 'src/z.bin'), Buffer.from([0, 1, 2]));
  const { url } = await startServer(t);
  const cases = [[], ['--group', 'document'], ['--include', 'id', '--include', 'hash']];
  for (const flags of cases) {
    const args = ['chunk', 'src', ...BY_CHARACTERS(40), ...flags, '--json'];
    const here = await runCli(t, [...args, '--errors', 'here.jsonl', '--manifest', 'here.ids'], { cwd });
    const there = await runCli(
      t,
      [...args, '--errors', 'there.jsonl', '--manifest', 'there.ids', '--server', url],
      { cwd },
    );
    t.equal(here.status, 3);
    t.equal(there.status, 3, there.stderr);
    t.ok(here.stdout.length > 0);
    t.ok(there.stdout === here.stdout, flags.join(' '));
    const { seconds, mb_per_second, ...counts } = here.summary();
    t.match(there.summary(), counts);
    for (const file of ['jsonl', 'ids']) {
      const compared = await runCli(t, [], { cwd, shell: `cmp here.${file} there.${file} #` });
      t.equal(compared.status, 0, compared.stdout);
    }
  }
  const out = ['chunk', 'src', ...BY_CHARACTERS(40), '--out'];
  t.equal((await runCli(t, [...out, 'here'], { cwd })).status, 3);
  t.equal((await runCli(t, [...out, 'there', '--server', url], { cwd })).status, 3);
  const differ = await runCli(t, [], { cwd, shell: 'diff -r -x job.json -x .chunksmith here there #' });
  t.equal(differ.status, 0, differ.stdout);
});

async function freePort(): Promise<string> {
  const server = createSocket();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return String(port);
}

t.test('a service that is killed and started again goes on, and nothing is lost or doubled', async (t) => {
  const cwd = await temporaryFolder(t);
  const env = { PLUGINS_DIR: await pluginsFolder(t, gated(cwd)) };
  const port = await freePort();
  const start = () => startProcess(t, ['--host', '127.0.0.1', '--port', port], { env });
  const texts = Array.from({ length: 2000 }, (_, index) =>
    index === 700 ? 'wait' : `text ${index} `.repeat(20),
  );
  const input = texts.map((text, id) => `${JSON.stringify({ id: `${id}`, text })}\n`).join('');
  const args = ['chunk', '-', '--chunker', 'gated'];
  let server = start();
  await server.listening();
  const run = startCli(t, [...args, '--server', `http://127.0.0.1:${port}`], { cwd, env });
  run.child.stdin?.write(input);
  for (const answered of ['"text":"text 0 ', '"text":"text 600 ']) {
    await until(() => run.stdout().includes(answered));
    server.child.kill('SIGKILL');
    await server.ended();
    if (answered.includes(' 600 ')) await writeFile(join(cwd, 'go'), '');
    server = start();
    await server.listening();
  }
  await until(() => run.stdout().includes('"text":"text 1999 '));
  run.child.stdin?.end('{"id":"last","text":"last"}\n');
  const there = await run.ended();
  t.equal(there.status, 0, there.stderr);
  const here = await runCli(t, args, { cwd, env, input: `${input}{"id":"last","text":"last"}\n` });
  t.ok(there.stdout === here.stdout);
});

t.test('keys, names and addresses that are wrong', async (t) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'abcdef', 'p.json': '{"steps":[]}' });
  const dataDir = await temporaryFolder(t);
  const { url, send } = await startServer(t, { dataDir, apiKeys: KEY });
  const chunk = (env: Record<string, string>, ...args: string[]) =>
    runCli(t, ['chunk', 'a.txt', '--server', url, ...args], { cwd, env });
  const withKey = { CHUNKSMITH_KEY: KEY };
  t.match(await chunk({}, ...BY_CHARACTERS(4)), { status: 1, stderr: /no valid key.*CHUNKSMITH_KEY/ });
  t.match(await chunk(withKey, ...BY_CHARACTERS(4)), { status: 0, stdout: /"abcd"/ });
  t.match(await chunk(withKey, '--chunker', 'nosuch'), { status: 2, stderr: /has no such chunker/ });
  t.match(await chunk(withKey, ...BY_CHARACTERS(4), '--chunk-size', 'x'), {
    status: 1,
    stderr: /chunk_size: expected/,
  });
  const body = JSON.stringify({
    name: 'kept',
    steps: [{ type: 'chunk', chunker: 'token', config: { tokenizer: 'character', chunk_size: 4 } }],
  });
  const headers = { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
  t.equal((await send('/v1/pipelines', { method: 'POST', body, headers })).status, 201);
  t.match(await chunk(withKey, '--pipeline', 'kept'), { status: 0, stdout: /"abcd".*\n.*"ef"/ });
  t.match(await chunk(withKey, '--pipeline', 'none'), { status: 2, stderr: /has no pipeline of this name/ });
  t.match(await chunk(withKey, '--pipeline', 'p.json'), { status: 2, stderr: /store it there first/ });
  const nobody = ['chunk', 'a.txt', '--server', `http://127.0.0.1:${await freePort()}`];
  t.match(await runCli(t, nobody, { cwd }), { status: 1, stderr: /cannot be reached \(ECONNREFUSED\)/ });
  t.match(await runCli(t, ['chunk', 'a.txt', '--server', 'x y'], { cwd }), {
    status: 2,
    stderr: /expected a URL/,
  });
});

t.test('what is no service of this kind is told apart', async (t: Test) => {
  const cwd = await temporaryFolder(t, { 'a.txt': 'a' });
  const server = createServer((_, response) => response.end('<html>')).listen(0, '127.0.0.1');
  t.teardown(() => server.close());
  await until(() => server.listening);
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const args = ['chunk', 'a.txt', '--server', url, ...BY_CHARACTERS(4)];
  t.match(await runCli(t, args, { cwd }), { status: 1, stderr: /is no JSON/ });
});
