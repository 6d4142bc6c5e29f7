import { randomBytes } from 'node:crypto';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import t from 'tap';
import type { Storage, StoredFile } from '../../../../server/corpus/storage.ts';
import { startS3 } from '../../../support/s3.ts';
import { failure, type S3Request } from '../../../support/s3-objects.ts';

const CONTENT = randomBytes(300_000);
const OTHER = randomBytes(300_000);

async function contentOf(storage: Storage, file: StoredFile | undefined): Promise<Buffer> {
  const pieces: Buffer[] = [];
  if (file !== undefined) for await (const piece of storage.read(file)) pieces.push(piece);
  return Buffer.concat(pieces);
}

const listed = async (storage: Storage): Promise<StoredFile[]> => {
  const files: StoredFile[] = [];
  for await (const file of storage.list('')) files.push(file);
  return files;
};

const is =
  (method: string, ...names: readonly string[]) =>
  (request: S3Request): boolean =>
    request.method === method && names.every((name) => request.query.has(name));
const isWhole = ({ method, query }: S3Request) => method === 'PUT' && query.size === 0;

t.test('a body that is cut off is asked for again, from the byte that is missing', async (t) => {
  const { storage, bucket, requests, fail } = await startS3(t);
  bucket.put('a', CONTENT);
  const file = await storage().find('a');
  for (const cutAfter of [0, 1, 1000, 70_000, 0, 100_000]) fail(is('GET'), { cutAfter });
  t.ok((await contentOf(storage(), file)).equals(CONTENT));
  const asked = requests.filter(is('GET')).map(({ headers }) => [headers.range, headers['if-match']]);
  const etag = `"${file?.version}"`;
  t.same(
    asked,
    [0, 0, 1, 1001, 71_001, 71_001, 171_001].map((from) => [`bytes=${from}-299999`, etag]),
  );
});

t.test('a body that ends again and again without a byte more is given up', async (t) => {
  const { storage, bucket, requests, fail } = await startS3(t);
  bucket.put('a', CONTENT);
  const file = await storage().find('a');
  for (let at = 0; at < 10; at++) fail(is('GET'), { cutAfter: 0 });
  await t.rejects(contentOf(storage(), file), { code: 'storage_failed' });
  t.equal(requests.filter(is('GET')).length, 4, 'the first try and three more');
});

t.test('a file that has changed or gone is not read', async (t) => {
  const { storage, bucket, fail } = await startS3(t);
  bucket.put('a', CONTENT);
  const file = await storage().find('a');
  const changed = { code: 'source_changed', values: { source: 'a' } };
  fail(is('GET'), { after: () => bucket.put('a', 'other') });
  await t.rejects(contentOf(storage(), file), changed, 'before the first byte');
  bucket.put('a', CONTENT);
  fail(is('GET'), { cutAfter: 1000 });
  fail(({ headers }) => headers.range === 'bytes=1000-299999', { after: () => bucket.put('a', OTHER) });
  await t.rejects(contentOf(storage(), file), changed, 'in the middle');
  bucket.objects.delete('a');
  await t.rejects(contentOf(storage(), file), changed, 'gone');
});

t.test('a service that answers without ranges or with another file is not believed', async (t) => {
  const { storage, bucket, fail } = await startS3(t);
  bucket.put('a', CONTENT);
  const file = await storage().find('a');
  const etag = `"${file?.version}"`;
  fail(is('GET'), { reply: { status: 200, headers: { etag }, body: CONTENT } });
  t.ok((await contentOf(storage(), file)).equals(CONTENT), 'all bytes from the first on');
  fail(is('GET'), { cutAfter: 10 });
  fail((request) => request.headers.range === 'bytes=10-299999', {
    reply: { status: 200, headers: { etag }, body: CONTENT },
  });
  await t.rejects(contentOf(storage(), file), /other bytes than were asked for/);
  fail(is('GET'), { reply: { status: 200, headers: { etag: '"other"' }, body: CONTENT } });
  await t.rejects(contentOf(storage(), file), { code: 'source_changed' });
});

t.test('an object is read as it is stored, whatever its encoding', async (t) => {
  const { storage, bucket } = await startS3(t);
  bucket.put('a.jsonl.gz', CONTENT);
  t.ok((await contentOf(storage(), await storage().find('a.jsonl.gz'))).equals(CONTENT));
});

t.test('what is not read is not sent', async (t) => {
  const { storage, bucket } = await startS3(t);
  const large = randomBytes(50_000_000);
  bucket.put('a', large);
  const before = process.memoryUsage().arrayBuffers;
  const pieces = storage()
    .read((await storage().find('a')) as StoredFile)
    [Symbol.asyncIterator]();
  const first = await pieces.next();
  await sleep(100);
  t.ok((first.value as Buffer).length <= 1_048_576);
  const held = process.memoryUsage().arrayBuffers - before;
  t.ok(held < 10_000_000, `${held} bytes are held`);
  await pieces.return?.();
});

t.test('calls that fail for a while are repeated', async (t) => {
  const { storage, bucket, fail, requests } = await startS3(t);
  bucket.put('a', 'text');
  for (const fault of [
    { reply: failure(503, 'SlowDown') },
    { reply: failure(500, 'InternalError') },
    { reply: { status: 429, headers: { 'retry-after': '0' } } },
    'lost',
  ] as const) {
    for (const method of ['HEAD', 'GET', 'DELETE']) fail(is(method), fault);
    fail(isWhole, fault);
    t.equal((await storage().find('a'))?.size, 4);
    for await (const { name } of storage().list('')) t.equal(name, 'a');
    const writer = await storage().create('b');
    await writer.write(Buffer.from('more'));
    await writer.finish();
    await storage().remove('b');
  }
  t.equal(requests.filter(is('HEAD')).length, 8);
  fail(is('GET'), { reply: failure(400, 'RequestTimeout') });
  t.equal((await listed(storage())).length, 1);
  fail(is('HEAD'), { reply: { status: 403 } });
  await t.rejects(storage().find('a'), /403; check the keys of the connection and their rights/);
  t.equal(requests.filter(is('HEAD')).length, 9, 'a refusal is not');
});

t.test('a service that is silent is asked again', async (t) => {
  const { storage, bucket, fail } = await startS3(t);
  bucket.put('a', 'text');
  fail(is('HEAD'), 'silence');
  t.equal((await storage({}, { silence: 50 }).find('a'))?.size, 4);
  for (let at = 0; at < 4; at++) fail(is('HEAD'), 'silence');
  await t.rejects(storage({}, { silence: 50 }).find('a'), /silent for longer than 0.05 s/);
});

t.test('answers that are none of S3 are refused', async (t) => {
  const page = (key: string) =>
    `<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>${key}</Key><ETag>x</ETag><Size>1</Size></Contents></ListBucketResult>`;
  const double = page('b').replace(
    '</ListBucketResult>',
    '<Contents><Key>a</Key><ETag>x</ETag><Size>1</Size></Contents></ListBucketResult>',
  );
  for (const [body, expected] of [
    ['<html>Hello</html>', /none of S3; check the endpoint/],
    ['{"a":1}', /none of S3/],
    ['<ListBucketResult><IsTruncated>true</IsTruncated></ListBucketResult>', /none of S3/],
    [page('a').replace('<Size>1', '<Size>-1'), /none of S3/],
    ['x'.repeat(9_000_000), /longer than/],
    [double, /not list objects in the order/],
  ] as const) {
    const { bucket, storage, fail } = await startS3(t);
    bucket.put('a', 'text');
    for (let at = 0; at < 4; at++) fail(is('GET'), { reply: { status: 200, body } });
    const failed = listed(storage());
    await t.rejects(failed, { code: 'storage_failed' });
    await t.rejects(failed, expected);
  }
});

t.test('an upload is completed, whatever answers say and which are lost', async (t) => {
  const { storage, bucket, fail } = await startS3(t);
  const write = async (name: string) => {
    const writer = await storage().create(name);
    await writer.write(CONTENT.subarray(0, 450));
    await writer.finish();
    return bucket.objects.get(name)?.content.equals(CONTENT.subarray(0, 450));
  };
  const complete = is('POST', 'uploadId');
  fail(complete, { reply: { ...failure(500, 'InternalError'), status: 200 } });
  t.ok(await write('error with 200'));
  fail(complete, 'lost');
  t.ok(await write('answer lost'), 'the upload is over, and the object there');
  fail(is('PUT', 'partNumber'), 'lost');
  fail(is('PUT', 'partNumber'), { reply: failure(503, 'SlowDown') });
  t.ok(await write('parts lost'));
  fail(complete, { reply: failure(404, 'NoSuchUpload') });
  await t.rejects(write('gone'), /does not know the upload any more/);
  bucket.put('older', CONTENT.subarray(0, 450));
  fail(complete, { reply: failure(404, 'NoSuchUpload') });
  await t.rejects(write('older'), /does not know the upload any more/, 'another object has this name');
});

t.test('what is discarded leaves nothing', async (t) => {
  const { storage, bucket, fail, requests } = await startS3(t);
  const small = await storage().create('small');
  await small.write(Buffer.from('text'));
  await small.discard();
  const large = await storage().create('large');
  await large.write(CONTENT.subarray(0, 1000));
  await large.discard();
  const failed = await storage().create('failed');
  for (let at = 0; at < 4; at++) fail(is('PUT', 'partNumber'), { reply: failure(503, 'SlowDown') });
  await t.rejects(failed.write(CONTENT.subarray(0, 1000)), { code: 'storage_failed' });
  await t.rejects(failed.finish(), { code: 'storage_failed' });
  await failed.discard();
  await failed.discard();
  t.same([bucket.objects.size, bucket.uploads.size], [0, 0]);
  const kept = await storage().create('kept');
  await kept.write(CONTENT.subarray(0, 1000));
  await kept.finish();
  const before = requests.length;
  await kept.discard();
  t.equal(requests.length, before);
  t.ok(bucket.objects.has('kept'), 'what is finished stays');
});

t.test('one part is on its way, and the next one is filled: more is not in memory', async (t) => {
  const { storage, bucket, fail, requests } = await startS3(t);
  const gate = Promise.withResolvers<void>();
  fail(is('PUT', 'partNumber'), { after: () => gate.promise });
  const writer = await storage().create('a');
  await writer.write(CONTENT.subarray(0, 200));
  let isTaken = false;
  const third = writer.write(CONTENT.subarray(200, 201)).then(() => {
    isTaken = true;
  });
  while (!requests.some(is('PUT', 'partNumber'))) await turn();
  for (let at = 0; at < 20; at++) await turn();
  t.notOk(isTaken);
  t.equal(requests.filter(is('PUT', 'partNumber')).length, 1);
  gate.resolve();
  await third;
  await writer.finish();
  t.ok(bucket.objects.get('a')?.content.equals(CONTENT.subarray(0, 201)));
});

t.test('a part that is on its way when all is discarded does not come back', async (t) => {
  const { storage, bucket, fail, requests } = await startS3(t);
  const gate = Promise.withResolvers<void>();
  fail(is('PUT', 'partNumber'), { after: () => gate.promise });
  const writer = await storage().create('a');
  await writer.write(CONTENT.subarray(0, 150));
  while (!requests.some(is('PUT', 'partNumber'))) await turn();
  await writer.discard();
  t.equal(requests.filter(is('PUT', 'partNumber')).length, 1, 'it is not waited for');
  gate.resolve();
  await turn();
  t.same([bucket.objects.size, bucket.uploads.size], [0, 0]);
});

t.test('a bucket that lists nothing but pages to come is not listed for ever', async (t) => {
  const { storage, bucket, fail } = await startS3(t);
  bucket.put('a', 'text');
  const again =
    '<ListBucketResult><IsTruncated>true</IsTruncated><NextContinuationToken>x</NextContinuationToken><Contents><Key>a</Key><ETag>x</ETag><Size>1</Size></Contents></ListBucketResult>';
  for (let at = 0; at < 5; at++) fail(is('GET'), { reply: { status: 200, body: again } });
  await t.rejects(listed(storage()), /in the order of their keys/);
});
