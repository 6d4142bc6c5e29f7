import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t, { type Test } from 'tap';
import { CLIENT, openPackages, PYTHON } from '../../../servers/python.ts';
import { needs } from '../../../support/here.ts';
import { startJobServer } from '../../../support/jobs.ts';
import { startLoopback } from '../../../support/loopback.ts';
import { startProcess } from '../../../support/process.ts';
import { startServer, temporaryFolder } from '../../../support/server.ts';
import { pass, startRefusingProxy } from '../refusing-proxy.ts';

/** The Python client does what all clients do, and what its README says. `PYTHON` names another interpreter. */

const TESTS = join(import.meta.dirname, '../python');
const { folder: PACKAGES, missing } = await openPackages();
const options = { skip: missing };
const env = {
  PATH: process.env.PATH,
  PYTHONPATH: [CLIENT, TESTS, PACKAGES].join(':'),
  PYTHONDONTWRITEBYTECODE: '1',
  PYTHONUTF8: '1',
};

t.test('what pip installs of it can be imported, and is typed', options, async (t) => {
  const program = 'import chunksmith; print(chunksmith.__file__)';
  const installed = { ...env, PYTHONPATH: PACKAGES };
  const { stdout } = await promisify(execFile)(PYTHON, ['-c', program], { cwd: PACKAGES, env: installed });
  t.equal(stdout, `${join(PACKAGES, 'chunksmith/__init__.py')}\n`);
  const files = [
    'chunksmith/py.typed',
    'chunksmith_langchain/__init__.py',
    'chunksmith_llamaindex/__init__.py',
  ];
  for (const file of files) t.ok(existsSync(join(PACKAGES, file)), file);
});

/** What a test of unittest became, a line of its `--verbose`. */
const RESULT = /^(test.*?) \(.*\) \.\.\. (?:.* )?(ok|FAIL|ERROR|skipped ['"](.*)['"])$/gm;

t.test('both clients and the adapters pass their tests', options, async (t) => {
  const server = await startJobServer(t);
  const proxy = await startRefusingProxy(t, server.url);
  const local = '--port 0 --host 127.0.0.1 --store memory --workers 1';
  const victims = ['CHUNKSMITH_VICTIM', 'CHUNKSMITH_REPLICA'].map(async (name) => {
    const victim = startProcess(t, local.split(' '));
    const { url } = await victim.listening();
    return [name, `${url} ${victim.child.pid}`];
  });
  const modules = 'test_cases test_answers test_batches test_processes test_client test_adapters';
  const args = ['-m', 'unittest', '--verbose', ...modules.split(' ')];
  const run = execFile(PYTHON, args, {
    cwd: TESTS,
    env: {
      ...env,
      CHUNKSMITH_SERVER: server.url,
      CHUNKSMITH_PROXY: new URL(proxy.url('', '')).origin,
      ...Object.fromEntries(await Promise.all(victims)),
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
  const cwd = await temporaryFolder(t);
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert';
  const subject = '-days 1 -subj /CN=test -addext subjectAltName=IP:127.0.0.1';
  execFileSync('openssl', `req -x509 ${key} ${subject}`.split(' '), { cwd, stdio: 'ignore' });
  const [own, cert] = ['key', 'cert'].map((name) => readFileSync(join(cwd, name)));
  const proxy = createServer({ key: own, cert }, (incoming, answer) => {
    pass(incoming, answer, `${upstream}${incoming.url}`);
  });
  const secure = (await startLoopback(t, proxy)).replace('http:', 'https:');
  return { CHUNKSMITH_SECURE: secure, SSL_CERT_FILE: join(cwd, 'cert') };
}

const EXAMPLE = /^```python\n([\s\S]*?)^```\n\n```console\n\$ python3 (\S+)\n([\s\S]*?)^```$/gm;
/** What examples import that may not be here, and what then stands in for it. */
const FRAMEWORKS: Readonly<Record<string, readonly [name: string, standIn?: string]>> = {
  'with_langchain.py': ['langchain_text_splitters'],
  'with_llamaindex.py': ['llama_index.core', 'import llama_index_stand_in\nllama_index_stand_in.install()\n'],
};
const isMissing = (name: string) => spawnSync(PYTHON, ['-c', `import ${name}`]).status !== 0;
const OF_README = missing === false ? needs('chunker/sentence', 'tokenizer/word') : options;

t.test('its README prints what it says', OF_README, async (t) => {
  const { url } = await startServer(t);
  const examples = [...readFileSync(join(CLIENT, 'README.md'), 'utf8').matchAll(EXAMPLE)];
  t.equal(examples.length, 8);
  for (const [, source = '', name = '', shown] of examples) {
    const [imported, standIn] = FRAMEWORKS[name] ?? [];
    const without = imported !== undefined && isMissing(imported);
    if (without && standIn === undefined) {
      t.pass(name, { skip: 'its package is not installed' });
      continue;
    }
    const program = (without ? standIn : '') + source.replaceAll('http://localhost:8000', url);
    const cwd = await temporaryFolder(t, { [name]: program });
    t.equal((await promisify(execFile)(PYTHON, [name], { cwd, env })).stdout, shown, name);
  }
});
