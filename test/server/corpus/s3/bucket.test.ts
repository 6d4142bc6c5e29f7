import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setDefaultCACertificates } from 'node:tls';
import fc from 'fast-check';
import t from 'tap';
import type { ServiceError } from '../../../../core/errors.ts';
import type { Storage, StoredFile } from '../../../../server/corpus/storage.ts';
import { startS3 } from '../../../support/s3.ts';

const namesOf = async (storage: Storage, folder = ''): Promise<string[]> => {
  const names: string[] = [];
  for await (const { name } of storage.list(folder)) names.push(name);
  return names;
};

async function contentOf(storage: Storage, file: StoredFile, range?: { from: number; to: number }) {
  const pieces: Buffer[] = [];
  for await (const piece of storage.read(file, range)) pieces.push(piece);
  return Buffer.concat(pieces);
}

async function write(storage: Storage, name: string, ...pieces: readonly Uint8Array[]) {
  const writer = await storage.create(name);
  for (const piece of pieces) await writer.write(piece);
  return writer.finish();
}

const found = async (storage: Storage, name: string): Promise<StoredFile> => {
  const file = await storage.find(name);
  if (file === undefined) throw new Error(`there is no ${name}`);
  return file;
};

/** Any text that S3 takes as a key and a storage as a name. */
const part = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 12 })
  .map((text) => text.replaceAll('/', '+'))
  .filter((text) => !text.startsWith('.'));
const name = fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'));

t.test('any name is written, found, listed in order, read and removed', async (t) => {
  const { storage: open, bucket } = await startS3(t);
  const storage = open({ prefix: 'a b/ü+%2F' });
  const names = fc.uniqueArray(name, { minLength: 1, maxLength: 8 });
  await fc.assert(
    fc.asyncProperty(names, fc.uint8Array({ maxLength: 350 }), async (names, content) => {
      for (const one of names) await write(storage, one, content);
      const sorted = names.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      const listed = await namesOf(storage);
      if (JSON.stringify(listed) !== JSON.stringify(sorted)) throw new Error(`listed ${listed}`);
      for (const one of names) {
        if (!bucket.objects.has(`a b/ü+%2F/${one}`)) throw new Error(`no object for ${one}`);
        const file = await found(storage, one);
        if (!(await contentOf(storage, file)).equals(content)) throw new Error(`read of ${one}`);
        await storage.remove(one);
        if ((await storage.find(one)) !== undefined) throw new Error(`${one} is still there`);
      }
    }),
    { numRuns: 60 },
  );
  t.equal(bucket.objects.size, 0);
});

t.test('any ranges of an object are read', async (t) => {
  const { storage, bucket } = await startS3(t);
  const content = randomBytes(500);
  bucket.put('a', content);
  const file = await found(storage(), 'a');
  await fc.assert(
    fc.asyncProperty(fc.nat(600), fc.nat(600), async (from, to) => {
      const read = await contentOf(storage(), file, { from, to });
      if (!read.equals(content.subarray(from, to))) throw new Error(`${read.length} bytes`);
    }),
    { numRuns: 40 },
  );
});

t.test(
  'a list has all pages of a folder, without hidden names and those that stand for folders',
  async (t) => {
    const { storage, bucket, requests } = await startS3(t, { pageSize: 2 });
    for (const key of [
      'kb/a.md',
      'kb/a/b.md',
      'kb/a/.git/x',
      'kb/.x',
      'kb/d/',
      'kb/e//f',
      'kb/g/../h',
      'kbc',
      'k',
    ])
      bucket.put(key, 'text');
    t.same(await namesOf(storage(), 'kb'), ['kb/a.md', 'kb/a/b.md']);
    t.ok(requests.length >= 4, 'of two each');
    t.same(await namesOf(storage({ prefix: 'kb' })), ['a.md', 'a/b.md']);
    t.same(await namesOf(storage({ prefix: 'kb' }), 'a'), ['a/b.md']);
    t.same(await namesOf(storage(), 'none'), []);
  },
);

t.test('a list says the size and the version that a look at the file says', async (t) => {
  const { storage, bucket } = await startS3(t);
  bucket.put('a', 'text');
  for await (const file of storage().list('')) t.same(file, await storage().find('a'));
  t.equal(await storage().find('b'), undefined);
});

t.test('no name leads out of the prefix', async (t) => {
  const { storage: open, bucket, requests } = await startS3(t);
  const storage = open({ prefix: 'kb' });
  bucket.put('secret', 'text');
  const file = { size: 4, version: 'x' };
  for (const name of [
    '../secret',
    'a/../../secret',
    '/secret',
    '..',
    '.',
    './a',
    '',
    'a//b',
    'a/',
    '\ud800',
  ]) {
    const refused = { code: 'path_outside' };
    await t.rejects(storage.find(name), refused, `find ${name}`);
    await t.rejects(storage.create(name), refused, `create ${name}`);
    await t.rejects(storage.remove(name), refused, `remove ${name}`);
    await t.rejects(async () => contentOf(storage, { ...file, name }), refused, `read ${name}`);
    if (name !== '') await t.rejects(namesOf(storage, name), refused, `list ${name}`);
  }
  t.same(requests, []);
});

t.test('what was written is whole, and says its length and its hash', async (t) => {
  const { storage, bucket, requests } = await startS3(t);
  for (const size of [0, 1, 100, 101, 350]) {
    const content = randomBytes(size);
    const written = await write(storage(), `part-${size}`, content.subarray(0, 30), content.subarray(30));
    const sha256 = createHash('sha256').update(content).digest('hex');
    t.same(written, { name: `part-${size}`, bytes: size, sha256 });
    t.same(bucket.objects.get(`part-${size}`)?.content, content);
  }
  t.equal(bucket.uploads.size, 0);
  const whole = requests.filter(({ method, query }) => method === 'PUT' && query.size === 0);
  t.same(
    whole.map(({ key }) => key),
    ['part-0', 'part-1', 'part-100'],
    'small ones are sent in one request',
  );
  t.equal(await storage().settle('part-1', 'part'), 'part-1', 'a bucket renames nothing');
});

t.test('parts grow, so that an object may have as many bytes as are needed', async (t) => {
  const { storage, requests } = await startS3(t);
  await write(storage({}, { partBytes: 100 }), 'a', randomBytes(100 * 1000 + 450));
  const sizes = requests.filter(({ query }) => query.has('partNumber')).map(({ body }) => body.length);
  t.equal(sizes.length, 1003);
  t.same([...new Set(sizes)], [100, 200, 150]);
});

t.test('the bucket may stand in the name of the host', async (t) => {
  const { storage, requests, origin } = await startS3(t);
  const endpoint = new URL(origin.replace('127.0.0.1', 's3.test'));
  const hosts: string[] = [];
  const lookup = (host: string, _options: object, done: (...found: unknown[]) => void) => {
    hosts.push(host);
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  await write(storage({ endpoint, style: 'host' }, { lookup: lookup as never }), 'a/ü', Buffer.from('text'));
  t.equal(requests[0]?.headers.host, `docs.${endpoint.host}`);
  t.same([...new Set(hosts)], ['docs.s3.test']);
});

t.test('a session token is sent and signed', async (t) => {
  const { storage } = await startS3(t, { sessionToken: 'token/+=' });
  t.equal(await storage().find('a'), undefined);
  await t.rejects(storage({ sessionToken: 'other' }).find('a'), /check the keys of the connection/);
});

t.test('a storage says what is wrong with its connection, and none of its keys', async (t) => {
  const { storage } = await startS3(t);
  for (const [fields, reason] of [
    [{ secretAccessKey: 'hidden-1' }, '403 SignatureDoesNotMatch; check secret_access_key'],
    [{ accessKeyId: 'hidden-2' }, '403 InvalidAccessKeyId; check access_key_id'],
    [{ region: 'mars' }, '403 AuthorizationHeaderMalformed; check region'],
    [{ bucket: 'other' }, '404 NoSuchBucket; check bucket'],
    [
      { endpoint: new URL('http://127.0.0.1:1') },
      'the connection failed (ECONNREFUSED); check the endpoint and the',
    ],
  ] as const) {
    const error = await namesOf(storage(fields)).catch((error: ServiceError) => error);
    t.match(error, { code: 'storage_failed', values: { storage: 's3://archive' } });
    t.match(String(error), reason);
    t.notMatch(String(error), 'hidden');
  }
});

const noOpenssl = spawnSync('openssl', ['version']).status === 0 ? false : 'there is no openssl';

t.test('over TLS bodies are sent unsigned, and a certificate is checked', { skip: noOpenssl }, async (t) => {
  const cwd = t.testdir();
  const key = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert';
  const subject = '-days 1 -subj /CN=test -addext subjectAltName=IP:127.0.0.1';
  const args = ['req', '-x509', ...key.split(' '), ...subject.split(' ')];
  execFileSync('openssl', args, { cwd, stdio: 'ignore' });
  const [own = '', cert = ''] = ['key', 'cert'].map((name) => readFileSync(join(cwd, name), 'utf8'));
  const { storage, bucket, requests } = await startS3(t, { tls: { key: own, cert } });
  await t.rejects(storage().find('a'), /the connection failed \(DEPTH_ZERO_SELF_SIGNED_CERT\)/);
  setDefaultCACertificates([cert]);
  const content = randomBytes(350);
  await write(storage(), 'a', content);
  t.same(await contentOf(storage(), await found(storage(), 'a')), content);
  t.same(bucket.objects.get('a')?.content, content);
  const hashes = requests
    .filter(({ body }) => body.length > 0)
    .map(({ headers }) => headers['x-amz-content-sha256']);
  t.same([...new Set(hashes)], ['UNSIGNED-PAYLOAD']);
});
