import { mock } from 'node:test';
import t from 'tap';
import { readError, readPage, readUploadId } from '../../../../server/corpus/s3/answers.ts';
import { isPassing, S3Failure, storageFailed } from '../../../../server/corpus/s3/failures.ts';
import { createSign } from '../../../../server/corpus/s3/send.ts';
import { contentOf, failure, listed, type S3Request, startLoopback, write } from './loopback.ts';

const page = (contents: string, more = '<IsTruncated>false</IsTruncated>') =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${contents}</ListBucketResult>`;
const object = (key: string, etag = 'x', size = '1') =>
  `<Contents><Key>${key}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>${etag}</ETag><Size>${size}</Size></Contents>`;

const truncated = '<IsTruncated>true</IsTruncated>';
const begun = (id: string) =>
  `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`;

t.test('an ETag is the same version, however its quotation marks are written', async (t) => {
  for (const mark of ['"', '&quot;', '&#34;', '&#x22;', '']) {
    const { objects } = readPage(page(object('a', `${mark}abc-2${mark}`)));
    t.same(objects, [{ key: 'a', size: 1, version: 'abc-2' }], mark);
  }
});

t.test('keys of lists are decoded once', async (t) => {
  const encoded = '<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>';
  const keyOf = (xml: string) => readPage(xml).objects[0]?.key;
  t.equal(keyOf(page(object('a+b%2B%C3%BC%2525/c'), encoded)), 'a b+ü%25/c');
  t.equal(keyOf(page(object('a+b%2B &amp;amp; &#38;lt; '))), 'a+b%2B &amp; &lt; ');
  t.throws(() => keyOf(page(object('%FF'), encoded)), /none of S3/);
});

t.test('a list says the next page, and an upload its id', async (t) => {
  const more = `${truncated}<NextContinuationToken>a+/=&amp;</NextContinuationToken>`;
  t.equal(readPage(page('', more)).next, 'a+/=&');
  t.throws(() => readPage(page('', truncated)), /none of S3/);
  t.equal(readUploadId(begun('u+/é')), 'u+/é');
  t.throws(() => readUploadId('<html/>'), /none of S3/);
  t.equal(readError('<html>an <Error> of nobody'), undefined);
  const told = '<Error>\n<Code>A</Code><Message>&#34;b&#34;</Message></Error>';
  t.same(readError(told), { code: 'A', message: '"b"' });
});

t.test('answers that are none of S3 are refused', async (t) => {
  for (const [body, expected] of [
    ['<html>Hello</html>', /none of S3; check the endpoint/],
    ['{"a":1}', /none of S3/],
    [page(object('a', 'x', '-1')), /none of S3/],
    ['x'.repeat(9_000_000), /longer than/],
    [page(object('b') + object('a')), /not list objects in the order/],
    [
      page(object('a'), `${truncated}<NextContinuationToken>x</NextContinuationToken>`),
      /in the order of their keys/,
    ],
  ] as const) {
    const { storage } = await startLoopback(t, () => ({ status: 200, body }));
    const failed = listed(storage());
    await t.rejects(failed, { code: 'storage_failed' });
    await t.rejects(failed, expected);
  }
});

/** From "Authenticating Requests: Using the Authorization Header", in the API reference of Amazon S3. */
const AWS = {
  ...{ accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' },
  region: 'us-east-1',
};
const ADDRESS = 'https://examplebucket.s3.amazonaws.com';

t.test('requests are signed as the examples of AWS are', async (t) => {
  mock.timers.enable({ apis: ['Date'], now: Date.UTC(2013, 4, 24) });
  t.teardown(() => mock.timers.reset());
  const sign = createSign(AWS, false);
  const put = {
    headers: { date: 'Fri, 24 May 2013 00:00:00 GMT', 'x-amz-storage-class': 'REDUCED_REDUNDANCY' },
    body: Buffer.from('Welcome to Amazon S3.'),
  };
  for (const [method, path, more, signature] of [
    ['PUT', '/test%24file.text', put, '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd'],
    ['GET', '/?lifecycle=', {}, 'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543'],
    ['GET', '/?max-keys=2&prefix=J', {}, '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7'],
  ] as const) {
    const headers = await sign(new URL(ADDRESS + path), { method, ...more });
    t.match(headers.authorization, new RegExp(`Signature=${signature}$`), path);
  }
});

t.test('a session token is sent and signed', async (t) => {
  const { storage, requests } = await startLoopback(t, () => failure(404, 'NoSuchKey'));
  t.equal(await storage({ sessionToken: 'token/+=' }).find('a'), undefined);
  t.match(requests[0]?.headers, {
    'x-amz-security-token': 'token/+=',
    authorization: /SignedHeaders=[a-z0-9;-]*x-amz-security-token/,
  });
});

t.test('bodies are signed over HTTP, and over TLS they are not', async (t) => {
  const call = { method: 'PUT', body: Buffer.from('text') } as const;
  for (const [isTls, hash] of [
    [true, 'UNSIGNED-PAYLOAD'],
    [false, '982d9e3eb996f559e633f4d194def3761d909f5a3b647d1a851fead67c32c9d1'],
  ] as const) {
    const sign = createSign(AWS, isTls);
    t.match(await sign(new URL(ADDRESS), call), { 'x-amz-content-sha256': hash });
  }
});

t.test('the bucket may be in the name of the host', async (t) => {
  const { storage, requests, origin } = await startLoopback(t, () => ({ status: 200 }));
  const endpoint = new URL(origin.replace('127.0.0.1', 's3.test'));
  const hosts: string[] = [];
  const lookup = (host: string, _options: object, done: (...found: unknown[]) => void) => {
    hosts.push(host);
    done(null, [{ address: '127.0.0.1', family: 4 }]);
  };
  await storage({ endpoint, style: 'host' }, { lookup: lookup as never }).remove('a/ü\n+');
  t.match(requests, [
    { method: 'DELETE', url: '/a/%C3%BC%0A%2B', headers: { host: `docs.${endpoint.host}` } },
  ]);
  t.same([...new Set(hosts)], ['docs.s3.test']);
});

t.test('parts grow, so that an object may have as many bytes as are needed', async (t) => {
  const body = ({ query }: S3Request) => (query.has('uploads') ? begun('u+/é=') : '');
  const answer = (request: S3Request) => ({ status: 200, headers: { etag: '"x"' }, body: body(request) });
  const { storage, requests } = await startLoopback(t, answer);
  await write(storage(), 'a', Buffer.alloc(100 * 1000 + 450));
  const sent = requests.filter(({ query }) => query.has('partNumber'));
  t.equal(sent.length, 1003);
  t.same([...new Set(sent.map(({ body }) => body.length))], [100, 200, 150]);
  t.same([...new Set(requests.slice(1).map(({ query }) => query.get('uploadId')))], ['u+/é=']);
});

t.test('a failure says what is wrong with the connection, and none of its keys', async (t) => {
  for (const [status, code, reason] of [
    [403, 'SignatureDoesNotMatch', '403 SignatureDoesNotMatch; check secret_access_key'],
    [403, 'InvalidAccessKeyId', '403 InvalidAccessKeyId; check access_key_id'],
    [400, 'AuthorizationHeaderMalformed', '400 AuthorizationHeaderMalformed; check region'],
    [404, 'NoSuchBucket', '404 NoSuchBucket; check bucket'],
    [403, '', '403; check the keys of the connection and their rights'],
    [418, '', '418.'],
  ] as const) {
    const failed = new S3Failure(status, code, 'hidden words of the service');
    t.notOk(isPassing(failed));
    const told = storageFailed('s3://archive', failed);
    t.match(told, { code: 'storage_failed', values: { storage: 's3://archive' }, message: reason });
    t.notMatch(told.message, 'hidden');
  }
  const { storage } = await startLoopback(t, () => ({ status: 200 }));
  const closed = storage({ endpoint: new URL('http://127.0.0.1:1') });
  await t.rejects(listed(closed), /the connection failed \(ECONNREFUSED\); check the endpoint and the/);
});

t.test('no name leads out of the prefix', async (t) => {
  const { storage: open, requests } = await startLoopback(t, () => ({ status: 200 }));
  const storage = open({ prefix: 'kb' });
  const names = ['../secret', 'a/../../secret', '/secret', '..', '.', './a', '', 'a//b', 'a/', '\ud800'];
  for (const name of names) {
    const refused = { code: 'path_outside' };
    for (const work of ['find', 'create', 'remove'] as const)
      await t.rejects(storage[work](name) as Promise<unknown>, refused, `${work} ${name}`);
    await t.rejects(contentOf(storage, { name, size: 4, version: 'x' }), refused, `read ${name}`);
    if (name !== '') await t.rejects(listed(storage, name), refused, `list ${name}`);
  }
  t.same(requests, []);
});
