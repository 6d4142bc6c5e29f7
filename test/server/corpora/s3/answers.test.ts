import dns from 'node:dns';
import { join } from 'node:path';
import { mock } from 'node:test';
import t from 'tap';
import { createBucket } from '../../../../server/corpora/storage/s3/bucket.ts';
import { storageFailed } from '../../../../server/corpora/storage/s3/failures.ts';
import { temporaryFolder } from '../../../support/server.ts';
import { setVariables } from '../../../support/variables.ts';
import { ACCOUNT, contentOf, failure, listed, type S3Reply, startLoopback } from './loopback.ts';

const page = (contents: string, more = '<IsTruncated>false</IsTruncated>'): S3Reply => ({
  status: 200,
  body: `<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${more}${contents}</ListBucketResult>`,
});
const object = (key: string, etag = 'x') =>
  `<Contents><Key>${key}</Key><ETag>${etag}</ETag><Size>1</Size></Contents>`;
const truncated = '<IsTruncated>true</IsTruncated>';

t.test('an ETag is the same version, however its quotation marks are written', async (t) => {
  for (const mark of ['"', '']) {
    const { storage } = await startLoopback(t, () => page(object('a', `${mark}abc-2${mark}`)));
    t.same(await listed(storage()), [{ name: 'a', size: 1, version: 'abc-2' }], mark);
  }
});

t.test('answers that are none of S3 are refused', async (t) => {
  for (const [answer, expected] of [
    [{ status: 200, body: '<html>Hello</html>' }, /not from S3; check the endpoint/],
    [{ status: 200, body: '{"a":1}' }, /not from S3/],
    [page('<Contents><Key>a</Key></Contents>'), /not from S3/],
    [page(object('a'), truncated), /not from S3/],
    [page(object('%FF'), '<EncodingType>url</EncodingType><IsTruncated>false</IsTruncated>'), /not from S3/],
    [page(object('b') + object('a')), /not list objects in the order/],
    [
      page(object('a'), `${truncated}<NextContinuationToken>x</NextContinuationToken>`),
      /in the order of their keys/,
    ],
  ] as const) {
    const { storage } = await startLoopback(t, () => answer);
    await t.rejects(listed(storage()), { code: 'storage_failed', message: expected }, JSON.stringify(answer));
  }
});

t.test('keys that no path can name, and hidden ones, are listed with the reason', async (t) => {
  const keys = ['./c', '.env', 'a/.git/x', 'a/.x/1', 'a/.x/2', 'a//b', 'a/b', 'a\\b', 'd/../e', 'f/'];
  const { storage } = await startLoopback(t, () => page(keys.map((key) => object(key)).join('')));
  const found = (await listed(storage())).map(({ name, unread }) => [name, unread?.brief]);
  const [hidden, key] = ['have a name that begins with a dot', 'have a key that no path can name'];
  t.same(found, [
    ['./c', key],
    ['.env', hidden],
    ['a/.x', hidden],
    ['a//b', key],
    ['a/b', undefined],
    ['a\\b', undefined],
    ['d/../e', key],
    ['f/', key],
  ]);
});

t.test('keys are those of the connection, else of the machine; it is said if there are none', async (t) => {
  const { connection, storage, requests } = await startLoopback(t, () => failure(404, 'NoSuchKey'));
  await storage({ credentials: { ...ACCOUNT, sessionToken: 'token/+=' } }).find('a');
  t.match(requests[0]?.headers, {
    'x-amz-security-token': 'token/+=',
    authorization: `Credential=${ACCOUNT.accessKeyId}/`,
  });
  const folder = await temporaryFolder(t, {
    config: '[profile work]\naws_access_key_id = ofProfile\naws_secret_access_key = x\n',
  });
  const none = join(folder, 'none');
  const files = { AWS_CONFIG_FILE: join(folder, 'config'), AWS_SHARED_CREDENTIALS_FILE: none };
  setVariables(t, { ...files, AWS_EC2_METADATA_DISABLED: 'true' });
  const { credentials: _, ...machine } = connection();
  await createBucket({ ...machine, profile: 'work' }).find('a');
  t.match(requests.at(-1)?.headers, { authorization: 'Credential=ofProfile/' });
  await t.rejects(createBucket(machine).find('a'), /no key was found: set access_key_id and/);
});

t.test('the bucket may be in the name of the host', async (t) => {
  const { storage, requests, origin } = await startLoopback(t, () => ({ status: 204 }));
  const endpoint = new URL(origin.replace('127.0.0.1', 's3.test'));
  mock.method(dns, 'lookup', (_host: string, _options: object, done: (...found: unknown[]) => void) =>
    done(null, [{ address: '127.0.0.1', family: 4 }]),
  );
  t.teardown(() => mock.restoreAll());
  await storage({ endpoint: endpoint.href, style: 'host' }).remove('a/ü\n+');
  t.match(requests, [
    { method: 'DELETE', url: /^\/a\/%C3%BC%0A%2B/, headers: { host: `docs.${endpoint.host}` } },
  ]);
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
    const said = { name: code || 'Unknown', $metadata: { httpStatusCode: status } };
    const failed = Object.assign(new Error('hidden words of the service'), said);
    const told = storageFailed('s3://archive', failed);
    t.match(told, { code: 'storage_failed', values: { storage: 's3://archive' }, message: reason });
    t.notMatch(told.message, 'hidden');
  }
  const { storage } = await startLoopback(t, () => ({ status: 200 }));
  const closed = storage({ endpoint: 'http://127.0.0.1:1/' });
  await t.rejects(listed(closed), /the connection failed \(ECONNREFUSED\); check the endpoint and the/);
});

t.test('no name leads out of the prefix', async (t) => {
  const { storage: open, requests } = await startLoopback(t, () => ({ status: 200 }));
  const storage = open({ prefix: 'kb' });
  const names = ['../secret', 'a/../../secret', '/secret', '..', '.', './a', '', 'a//b', 'a/', '\ud800'];
  for (const name of names) {
    const refused = { code: /^path_(outside|unusable)$/ };
    for (const work of ['find', 'create', 'remove'] as const)
      await t.rejects(storage[work](name) as Promise<unknown>, refused, `${work} ${name}`);
    await t.rejects(contentOf(storage, { name, size: 4, version: 'x' }), refused, `read ${name}`);
    if (name !== '') await t.rejects(listed(storage, name), refused, `list ${name}`);
  }
  t.same(requests, []);
});
