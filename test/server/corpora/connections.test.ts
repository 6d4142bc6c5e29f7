import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { openStorage, openStorages } from '../../../server/corpora/jobs/server-locations.ts';
import { readConnections } from '../../../server/corpora/storage/settings.ts';
import type { Storage } from '../../../server/corpora/storage/storage.ts';
import { temporaryFolder } from '../../support/server.ts';
import { startLoopback } from './s3/loopback.ts';

const KEYS = { access_key_id: 'AKEXAMPLE', secret_access_key: 'hidden/+=' };
const GOOD = { endpoint: 'https://s3.example', bucket: 'docs', ...KEYS };

async function fileWith(t: Test, content: unknown): Promise<string> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return join(await temporaryFolder(t, { 'connections.json': text }), 'connections.json');
}

/** What is wrong with a file, without its name. */
async function problemsOf(t: Test, content: unknown, env = {}): Promise<string[]> {
  const file = await fileWith(t, content);
  try {
    readConnections(file, env);
    return [];
  } catch (error) {
    const lines = (error as Error).message.split('\n');
    for (const line of lines) t.notMatch(line, /hidden/, 'no key is shown');
    return lines.map((line) => line.replace(`--bulk-connections ${file}: `, ''));
  }
}

t.test('connections are read, with keys that stand there or in variables', async (t) => {
  const file = await fileWith(t, {
    archive: GOOD,
    aws: { bucket: 'docs', profile: 'work' },
    'r2.eu': {
      endpoint: 'http://minio:9000/s3/',
      bucket: 'Old_bucket',
      region: 'auto',
      prefix: 'a/b c/',
      style: 'host',
      access_key_id: { env: 'ID' },
      secret_access_key: { env: 'SECRET' },
      session_token: { env: 'TOKEN' },
    },
  });
  const read = readConnections(file, { ID: 'id', SECRET: 'secret', TOKEN: 'token' });
  t.same(read.get('archive'), {
    ...{ name: 'archive', endpoint: 'https://s3.example/', bucket: 'docs', region: 'us-east-1' },
    ...{ prefix: '', style: 'path' },
    credentials: { accessKeyId: 'AKEXAMPLE', secretAccessKey: 'hidden/+=' },
  });
  t.same(read.get('r2.eu'), {
    ...{ name: 'r2.eu', endpoint: 'http://minio:9000/s3/', bucket: 'Old_bucket', region: 'auto' },
    ...{ prefix: 'a/b c', style: 'host' },
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: 'token' },
  });
  t.same(read.get('aws'), { name: 'aws', bucket: 'docs', prefix: '', style: 'host', profile: 'work' });
  t.equal(readConnections('', {}).size, 0);
});

t.test('every problem of a file is named, and no key', async (t) => {
  const problems = await problemsOf(
    t,
    {
      a: { ...GOOD, endpoint: 'https://hidden:hidden@s3.example', bucket: 'no bucket', regoin: 'hidden' },
      b: { ...GOOD, secret_access_key: { env: 'NONE' }, access_key_id: { env: 'SPACES' }, prefix: '../x' },
      c: {
        ...{ endpoint: 'ftp://x', style: 'hidden', region: 'A' },
        ...{ secret_access_key: 4_711, session_token: 'hidden\n' },
      },
      '../d': GOOD,
      e: 'hidden',
      f: { ...GOOD, endpoint: 'https://s3.example/?hidden', profile: 'work' },
      g: { bucket: 'docs', access_key_id: 'id' },
    },
    { SPACES: 'hidden key' },
  );
  const url = 'expected a URL such as https://s3.eu-central-1.amazonaws.com, without user, query or fragment';
  const key =
    'expected ASCII letters, digits and punctuation, or {"env": "<NAME>"} for the variable that contains them';
  t.same(problems, [
    'a.regoin: unknown, valid names: endpoint, bucket, region, prefix, style, access_key_id, secret_access_key, session_token, profile',
    `a.endpoint: ${url}`,
    'a.bucket: expected the name of a bucket',
    'b.prefix: expected a folder of the bucket such as kb/, without empty parts, "." or ".."',
    'b.access_key_id: expected the variable SPACES to consist of ASCII letters, digits and punctuation',
    'b.secret_access_key: expected the variable NONE, which is not set',
    `c.endpoint: ${url}`,
    'c.bucket: expected the name of a bucket',
    'c.region: expected a region such as eu-central-1',
    'c.style: expected "path" or "host"',
    `c.access_key_id: ${key}`,
    `c.secret_access_key: ${key}`,
    `c.session_token: ${key}`,
    '"../d": expected a name of at most 64 letters, digits, ".", "_" and "-"',
    'e: expected an object',
    `f.endpoint: ${url}`,
    'f.profile: expected either a profile or keys',
    `g.secret_access_key: ${key}`,
  ]);
  t.notMatch(problems.join('\n'), '4711');
});

t.test('a file that is none is named, without what stands in it', async (t) => {
  for (const [content, problem] of [
    ['{\n"a": {"secret_access_key": "hidden" "b"}}', 'the file is not valid JSON (line 2 column 37)'],
    ['hidden', 'the file is not valid JSON'],
    [['hidden'], 'expected an object of connections by name'],
  ])
    t.same(await problemsOf(t, content), [problem]);
  t.throws(() => readConnections('/none/connections.json', {}), {
    message: '--bulk-connections /none/connections.json: the file cannot be read (ENOENT)',
  });
});

t.test('a path leads below the root or into a bucket', async (t) => {
  const headers = { etag: '"x"', 'content-length': '4' };
  const { connection, requests } = await startLoopback(t, () => ({ status: 200, headers }));
  const given = new Map([['archive', connection({ prefix: 'kb' })]]);
  const { connections } = await openStorages({ root: undefined, connections: given });
  const root = connections.get('archive') as Storage;
  const open = (path: string) => openStorage(path, { root, rootPaths: ['/data/corpus'], connections });
  for (const [path, name] of [
    ['s3://archive/x y/ü?#%41.md', 'x y/ü?#%41.md'],
    ['s3://archive/x/', 'x'],
    ['S3://archive/', ''],
    ['s3://archive', ''],
    ['folder/file.md', 'folder/file.md'],
    ['folder/', 'folder'],
    ['', ''],
    ['./a//b/./c', 'a/b/c'],
    ['./', ''],
    ['.', ''],
    ['a\\b', 'a\\b'],
    ['/data/corpus/a.md', 'a.md'],
    ['/data//corpus/./', ''],
    ['/data/corpus-2/a.md', '/data/corpus-2/a.md'],
  ] as const) {
    t.match(open(path), { storage: { label: 's3://archive' }, name }, path);
  }
  const { storage, name } = open('s3://archive/x y/ü?#%41.md');
  t.equal((await storage.find(name))?.size, 4);
  t.match(requests, [{ method: 'HEAD', key: 'kb/x y/ü?#%41.md' }]);
  await t.rejects(async () => storage.find(open('s3://archive/../secret').name), { code: 'path_outside' });
  await t.rejects(async () => storage.find(open('s3://archive//x').name), {
    code: 'path_unusable',
  });
});

t.test('a path that leads nowhere is refused, and says what there is', async (t) => {
  const { connection } = await startLoopback(t, () => ({ status: 404 }));
  const given = new Map([['archive', connection()]]);
  const { connections } = await openStorages({ root: undefined, connections: given });
  const none = new Map();
  const open = (path: string, storages = connections) => {
    return () => openStorage(path, { connections: storages });
  };
  t.throws(open('s3://other/x'), {
    code: 'unknown_connection',
    message: 'There is no connection other; available: archive.',
  });
  t.throws(open('s3://archive.evil.example/x'), { code: 'unknown_connection' });
  t.throws(open('s3://other/x', none), /available: none: start the server with --bulk-connections <file>\.$/);
  const others = 'file:///etc/passwd http://a/b https://a/b gs://a/b FILE:x data:,x s3:archive/x';
  for (const path of others.split(' '))
    t.throws(open(path), { status: 400, message: `${path}: expected s3://<connection>/<path>.` }, path);
  t.throws(open('folder/x'), {
    status: 400,
    message:
      'folder/x: no folder is configured for jobs: start the server with --bulk-root <folder>, or use s3://<connection>/<path>.',
  });
  t.throws(open('folder/x', none), /jobs: start the server with --bulk-root <folder>\.$/);
});

t.test('the documented file can be used, and the table has all fields', async (t) => {
  const page = await readFile(join(import.meta.dirname, '../../../server/CORPORA.md'), 'utf8');
  const [, example = ''] = /^## Buckets\n[\s\S]*?^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
  const env = { ARCHIVE_KEY_ID: 'id', ARCHIVE_SECRET: 'secret', MINIO_SECRET: 'secret' };
  const read = readConnections(await fileWith(t, example), env);
  t.same([...read.keys()], ['archive', 'results']);
  const [problem = ''] = await problemsOf(t, { a: { ...GOOD, x: 1 } });
  const known = problem.replace(/.*valid names: /, '').split(', ');
  const cells = [...page.matchAll(/^\| (`[a-z_`, ]+`) \|/gm)];
  const documented = cells.flatMap(([, cell = '']) => cell.split(', '));
  for (const field of known) t.ok(documented.includes(`\`${field}\``), field);
});
