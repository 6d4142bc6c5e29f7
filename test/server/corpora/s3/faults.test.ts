import { randomBytes } from 'node:crypto';
import t, { type Test } from 'tap';
import { contentOf, failure, is, type S3Reply, type S3Request, startLoopback } from './loopback.ts';

const CONTENT = randomBytes(300_000);
const OTHER = randomBytes(300_000);
const PAGE =
  '<ListBucketResult><IsTruncated>false</IsTruncated><Contents><Key>a</Key><ETag>x</ETag><Size>4</Size></Contents></ListBucketResult>';

/** A bucket that has one object, whatever is asked for. */
async function startOneObject(t: Test, content: Buffer = CONTENT) {
  let stored: Buffer | undefined = content;
  const answer = ({ method, query, headers }: S3Request): S3Reply => {
    if (query.has('list-type')) return { status: 200, body: PAGE };
    if (stored === undefined) return failure(404, 'NoSuchKey');
    const etag = `"${stored.subarray(0, 8).toString('hex')}"`;
    if (method === 'HEAD') return { status: 200, headers: { etag, 'content-length': `${stored.length}` } };
    if (method !== 'GET') return { status: 200, headers: { etag } };
    if (headers['if-match'] !== etag) return failure(412, 'PreconditionFailed');
    const [, from] = /^bytes=(\d+)-/.exec(String(headers.range)) ?? [];
    const range = `bytes ${from}-${stored.length - 1}/${stored.length}`;
    return { status: 206, headers: { etag, 'content-range': range }, body: stored.subarray(Number(from)) };
  };
  const put = (content?: Buffer) => {
    stored = content;
  };
  return { ...(await startLoopback(t, answer)), put };
}

const isFrom = (byte: number) => (request: S3Request) => request.headers.range === `bytes=${byte}-299999`;

t.test('a body that is cut off is asked for again, from the byte that is missing', async (t) => {
  const { storage, requests, fail } = await startOneObject(t);
  const file = await storage().find('a');
  for (const cutAfter of [0, 1, 1000, 70_000, 0, 100_000]) fail(is('GET'), { cutAfter });
  t.ok((await contentOf(storage(), file)).equals(CONTENT));
  const asked = requests.filter(is('GET')).map(({ headers }) => `${headers.range} ${headers['if-match']}`);
  const froms = [0, 0, 1, 1001, 71_001, 71_001, 171_001];
  const expected = froms.map((from) => `bytes=${from}-299999 "${file?.version}"`);
  t.same(asked, expected);
});

t.test('a body that ends again and again without a byte more is given up', async (t) => {
  const { storage, requests, fail } = await startOneObject(t);
  const file = await storage().find('a');
  for (let at = 0; at < 10; at++) fail(is('GET'), { cutAfter: 0 });
  await t.rejects(contentOf(storage(), file), { code: 'storage_failed' });
  t.equal(requests.filter(is('GET')).length, 4, 'the first try and three more');
});

t.test('a file that has changed or gone is not read', async (t) => {
  const { storage, put, fail } = await startOneObject(t);
  const file = await storage().find('a');
  const changed = { code: 'source_changed', values: { source: 'a' } };
  fail(is('GET'), { after: () => put(OTHER) });
  await t.rejects(contentOf(storage(), file), changed, 'before the first byte');
  put(CONTENT);
  fail(is('GET'), { cutAfter: 1000 });
  fail(isFrom(1000), { after: () => put(OTHER) });
  await t.rejects(contentOf(storage(), file), changed, 'in the middle');
  put();
  await t.rejects(contentOf(storage(), file), changed, 'gone');
});

t.test('a service that answers without ranges or with another file is not believed', async (t) => {
  const { storage, fail } = await startOneObject(t);
  const file = await storage().find('a');
  const whole = { reply: { status: 200, headers: { etag: `"${file?.version}"` }, body: CONTENT } };
  fail(is('GET'), whole);
  t.ok((await contentOf(storage(), file)).equals(CONTENT), 'all bytes from the first on');
  fail(is('GET'), { cutAfter: 10 });
  fail(isFrom(10), whole);
  await t.rejects(contentOf(storage(), file), /other bytes than requested/);
  fail(is('GET'), { reply: { status: 200, headers: { etag: '"other"' }, body: CONTENT } });
  await t.rejects(contentOf(storage(), file), { code: 'source_changed' });
});

t.test('an object is read as it is stored, whatever its encoding', async (t) => {
  const { storage, fail } = await startOneObject(t);
  const file = await storage().find('a.jsonl.gz');
  const headers = { 'content-encoding': 'gzip', 'content-range': 'bytes 0-299999/300000' };
  fail(is('GET'), { reply: { status: 206, headers, body: CONTENT } });
  t.ok((await contentOf(storage(), file)).equals(CONTENT));
});

t.test('a service that is silent is asked again', async (t) => {
  const { storage, fail } = await startOneObject(t, Buffer.from('text'));
  fail(is('HEAD'), 'silence');
  t.equal((await storage({}, { silence: 50 }).find('a'))?.size, 4);
  for (let at = 0; at < 4; at++) fail(is('HEAD'), 'silence');
  await t.rejects(storage({}, { silence: 50 }).find('a'), /silent for too long; check the endpoint/);
});
