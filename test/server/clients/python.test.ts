import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { needs } from '../../support/here.ts';
import { startJobServer } from '../../support/jobs.ts';
import { startProcess } from '../../support/process.ts';
import { startRefusingProxy } from '../../support/refusing-proxy.ts';
import { startServer, temporaryFolder } from '../../support/server.ts';

/** The Python client does what all clients do, and what its README says. `PYTHON` names another interpreter. */

const PYTHON = process.env.PYTHON ?? 'python3';
const CLIENT = join(import.meta.dirname, '../../../server/clients/python');
const TESTS = join(import.meta.dirname, 'python');
const isThere = spawnSync(PYTHON, ['-c', 'import sys; sys.exit(sys.version_info < (3, 10))']).status === 0;
const options = { skip: isThere ? false : `${PYTHON} is not there, or is older than 3.10` };
const env = {
  PATH: process.env.PATH,
  PYTHONPATH: [CLIENT, TESTS].join(':'),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1',
};

/** What a test of unittest became, a line of its `--verbose`. */
const RESULT = /^(test.*?) \(.*\) \.\.\. (?:.* )?(ok|FAIL|ERROR|skipped ['"](.*)['"])$/gm;

t.test('both clients and the adapters pass their tests', options, async (t) => {
  const server = await startJobServer(t);
  const proxy = await startRefusingProxy(t, server.url);
  const victim = startProcess(t, [
    '--port',
    '0',
    '--host',
    '127.0.0.1',
    '--store',
    'memory',
    '--workers',
    '1',
  ]);
  const { url } = await victim.listening();
  const args = ['-m', 'unittest', '--verbose', 'test_cases', 'test_answers', 'test_client', 'test_adapters'];
  const run = execFile(PYTHON, args, {
    cwd: TESTS,
    env: {
      ...env,
      CHUNKSMITH_SERVER: server.url,
      CHUNKSMITH_PROXY: new URL(proxy.url('', '')).origin,
      CHUNKSMITH_VICTIM: `${url} ${victim.child.pid}`,
      ...(await startSecureProxy(t, server.url)),
    },
  });
  let printed = '';
  run.stderr?.on('data', (text: string) => {
    printed += text;
  });
  const [status] = await once(run, 'close');
  const results = [...printed.matchAll(RESULT)];
  t.ok(results.length > 150, `${results.length} tests`);
  for (const [, name = '', result, reason] of results) {
    if (reason !== undefined) t.pass(name, { skip: reason });
    else if (result !== 'ok') t.fail(name);
  }
  t.equal(status, 0, printed);
  t.notMatch(printed, /ResourceWarning|never (awaited|retrieved)/);
});

/** Starts the same service behind TLS; the variables that tell of it, none without openssl. */
async function startSecureProxy(t: Test, upstream: string): Promise<Record<string, string>> {
  if (spawnSync('openssl', ['version']).status !== 0) return {};
  const cwd = t.testdir();
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert';
  const subject = '-days 1 -subj /CN=test -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', ['req', '-x509', ...key.split(' '), ...subject.split(' ')], {
    cwd,
    stdio: 'ignore',
  });
  const [own, cert] = ['key', 'cert'].map((name) => readFileSync(join(cwd, name)));
  const proxy = createServer({ key: own, cert }, (incoming, answer) => {
    const { method, headers } = incoming;
    const onward = request(`${upstream}${incoming.url}`, { method, headers }, (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(answer);
    });
    incoming.pipe(onward);
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  t.teardown(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const { port } = proxy.address() as AddressInfo;
  return { CHUNKSMITH_SECURE: `https://127.0.0.1:${port}`, SSL_CERT_FILE: join(cwd, 'cert') };
}

const EXAMPLE = /^```python\n([\s\S]*?)^```\n\n```console\n\$ python3 (\S+)\n([\s\S]*?)^```$/gm;
/** What examples import that may not be here, and what then stands in for it. */
const PACKAGES: Readonly<Record<string, string | undefined>> = {
  'with_langchain.py': undefined,
  'with_llamaindex.py': 'import llama_index_stand_in\nllama_index_stand_in.install()\n',
};
const canImport = (name: string) => spawnSync(PYTHON, ['-c', `import ${name}`]).status === 0;

t.test(
  'its README prints what it says',
  isThere ? needs('chunker/sentence', 'tokenizer/word') : options,
  async (t) => {
    const { url } = await startServer(t);
    const examples = [...readFileSync(join(CLIENT, 'README.md'), 'utf8').matchAll(EXAMPLE)];
    t.equal(examples.length, 6);
    const isMissing = {
      'with_langchain.py': !canImport('langchain_text_splitters'),
      'with_llamaindex.py': !canImport('llama_index.core'),
    };
    for (const [, source = '', name = '', shown] of examples) {
      const without = isMissing[name as keyof typeof isMissing] === true;
      if (without && PACKAGES[name] === undefined) {
        t.pass(name, { skip: 'its package is not installed' });
        continue;
      }
      const program = (without ? PACKAGES[name] : '') + source.replaceAll('http://localhost:8000', url);
      const cwd = await temporaryFolder(t, { [name]: program });
      const { stdout } = await promisify(execFile)(PYTHON, [name], { cwd, env });
      t.equal(stdout, shown, name);
    }
  },
);

t.test('its README leads to files', async (t) => {
  for (const [, link = ''] of readFileSync(join(CLIENT, 'README.md'), 'utf8').matchAll(
    /\]\(([^)#]+)[^)]*\)/g,
  ))
    t.ok(existsSync(join(CLIENT, link)), link);
});

t.test('its version is that of the service', async (t) => {
  const file = join(CLIENT, '../../../package.json');
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
  t.match(readFileSync(join(CLIENT, 'pyproject.toml'), 'utf8'), `\nversion = "${version}"\n`);
});
