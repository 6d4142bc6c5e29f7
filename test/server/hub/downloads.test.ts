import { createHash, randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import type { Log } from '../../../core/contracts/collaborators.ts';
import { createModelFiles } from '../../../server/hub/model-files.ts';
import { quietLog as log } from '../../../server/testing/collaborators.ts';
import {
  type Answer,
  BIG,
  breakOff,
  CONTENT,
  ETAG,
  HALF,
  PARTIAL,
  refuse,
  serve,
  startHub,
  startHubServer,
  trickle,
  WHOLE,
} from '../../support/model-hub.ts';

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

t.test('a download that breaks resumes', async (t) => {
  const hub = await startHub(t, [breakOff(), serve()]);
  t.equal(await hub.find(), hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, `bytes=${HALF}-`]);
  t.equal(hub.headers[1]?.['if-range'], ETAG);
  t.same(await hub.left(), WHOLE);
});

t.test('a download that stays broken resumes after a restart', async (t) => {
  const hub = await startHub(t, [breakOff(), refuse(500), refuse(502), refuse(503), serve()]);
  await t.rejects(hub.find(), /503; try again/);
  t.same(await hub.left(), PARTIAL);
  const again = createModelFiles({ settings: hub.settings, log });
  t.same(await again.names(BIG.name), [], 'a partial download is no model');
  t.equal(await again.find('owner/name', BIG), hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, ...Array(4).fill(`bytes=${HALF}-`)]);
  t.same(await hub.left(), WHOLE);
});

t.test('a hub that falls silent keeps nobody waiting, and its download resumes later', async (t) => {
  const stall: Answer = (_request, response) => {
    response
      .writeHead(200, { 'content-length': CONTENT.length, etag: ETAG })
      .write(CONTENT.subarray(0, HALF));
  };
  const hub = await startHub(t, [stall, serve()]);
  await t.rejects(hub.find(BIG, 300), /silent for longer/);
  t.same(await hub.left(), PARTIAL);
  await hub.find();
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, `bytes=${HALF}-`]);
});

const OTHER = randomBytes(250_000);
/** Answers with bytes that were not asked for, under any range and etag. */
const lie = (contentRange: string | undefined, etag = ETAG): Answer => {
  return (_request, response) => {
    const headers = contentRange === undefined ? {} : { 'content-range': contentRange };
    response.writeHead(206, { etag, ...headers }).end(OTHER.subarray(0, HALF));
  };
};
const rest = `bytes ${HALF}-${CONTENT.length - 1}/${CONTENT.length}`;

/** The answers to the request to resume, the number of requests in all, and the content in the end. */
const restarts: Record<string, [answers: Answer[], requests: number, expected: Buffer]> = {
  'that has another file by now': [[serve(OTHER, '"two"')], 2, OTHER],
  'that ignores ranges': [[(_, response) => response.end(CONTENT)], 2, CONTENT],
  'that answers with another part': [
    [lie(`bytes 5-${CONTENT.length - 1}/${CONTENT.length}`), serve()],
    3,
    CONTENT,
  ],
  'that answers with less': [[lie(`bytes ${HALF}-${HALF + 5}/${CONTENT.length}`), serve()], 3, CONTENT],
  'that does not say which part it sends': [[lie(undefined), serve()], 3, CONTENT],
  'that answers in bananas': [[lie('bananas 1-2/3'), serve()], 3, CONTENT],
  'that goes on with another file': [[lie(rest, '"two"'), serve(OTHER, '"two"')], 3, OTHER],
  'that has no such part': [[refuse(416), serve()], 3, CONTENT],
};

for (const [name, [answers, requests, expected]] of Object.entries(restarts)) {
  t.test(`a hub ${name} is asked for the whole file`, async (t) => {
    const hub = await startHub(t, [breakOff(), ...answers]);
    await hub.find();
    t.ok(expected.equals(await readFile(hub.target)));
    t.same(hub.ranges(), [undefined, `bytes=${HALF}-`, undefined].slice(0, requests));
    t.same(await hub.left(), WHOLE);
  });
}

t.test('a download does not resume if nobody can tell whether the file is the same', async (t) => {
  for (const etag of [null, 'W/"one"', 'one', '""']) {
    const hub = await startHub(t, [breakOff(etag), refuse(401), serve()]);
    await t.rejects(hub.find(), /401/);
    t.same(hub.ranges(), [undefined, undefined], String(etag));
  }
  const mixed = await startHub(t, [breakOff(), breakOff(null, HALF + 1), serve()]);
  await mixed.find();
  t.same(
    mixed.ranges(),
    [undefined, `bytes=${HALF}-`, undefined],
    'the old etag is not the one of a new partial download',
  );
  const hub = await startHub(t, [breakOff(), refuse(503), refuse(503), refuse(503), serve()]);
  await t.rejects(hub.find());
  const settings = { ...hub.settings, hubRevision: 'v2' };
  await createModelFiles({ settings, log }).find('owner/name', BIG);
  t.equal(hub.ranges().at(-1), undefined, 'of another revision');
});

t.test('a partial download is not kept if the hub says that there is nothing to resume', async (t) => {
  for (const status of [401, 403, 404, 416]) {
    const hub = await startHub(t, [breakOff(), refuse(status)]);
    if (status === 404) t.equal(await hub.find(), undefined);
    else await t.rejects(hub.find(), new RegExp(`answered ${status}`));
    t.same(await hub.left(), [], String(status));
  }
});

t.test('a file that is too large, or the wrong one, is not kept', async (t) => {
  const wrong = { ...BIG, check: () => Promise.reject(new Error('it is no model')) };
  for (const [file, expected] of [
    [{ ...BIG, maxBytes: HALF + 5 }, /larger than 150005 bytes/],
    [wrong, /no model/],
  ] as const) {
    const hub = await startHub(t, [breakOff(), refuse(503), refuse(503), refuse(503), serve()]);
    await t.rejects(hub.find());
    t.same(await hub.left(), PARTIAL);
    await t.rejects(hub.find(file), expected);
    t.same(await hub.left(), []);
  }
  const chunked: Answer = (_request, response) => void response.write(CONTENT, () => response.end());
  const hub = await startHub(t, [chunked]);
  await t.rejects(hub.find({ ...BIG, maxBytes: 1000 }), /larger than 1000 bytes/);
  const short: Answer = (request, response, target) => {
    if (request.headers.range === undefined) return breakOff()(request, response, target);
    response.writeHead(206, { 'content-range': rest }).end('too short');
  };
  await t.rejects((await startHub(t, [short])).find(), /not as long as announced/);
});

t.test('the SHA-256 that the hub says is checked, also of a file that came in parts', async (t) => {
  const right = `"${sha256(CONTENT)}"`;
  const wrong = `"${sha256(OTHER)}"`;
  const store = await startHubServer(t, (request, response) => serve(CONTENT, wrong)(request, response, ''));
  const moved = (linked: string): Answer =>
    refuse(302, { location: `${store.origin}/file`, 'x-linked-etag': linked, etag: ETAG });
  for (const [answers, isRight] of [
    [[serve(CONTENT, right)], true],
    [[serve(CONTENT, wrong)], false],
    [[breakOff(right), serve(CONTENT, right)], true],
    [[breakOff(wrong), serve(CONTENT, wrong)], false],
    [[moved(right)], true],
    [[moved(right.toUpperCase())], true],
    [[moved(wrong)], false],
    [[moved('"abc"')], true],
    [[refuse(302, { location: '/store' }), serve(CONTENT, wrong)], true],
  ] as const) {
    const hub = await startHub(t, [...answers]);
    if (isRight) t.equal(await hub.find(), hub.target);
    else await t.rejects(hub.find(), /its SHA-256 is not the one that the hub announced/);
    t.same(await hub.left(), isRight ? WHOLE : []);
  }
});

t.test('a busy hub is asked again after the time that it names', async (t) => {
  const hub = await startHub(t, [refuse(500), refuse(429, { 'retry-after': '1' }), serve()]);
  const start = performance.now();
  await hub.find();
  t.ok(performance.now() - start > 950, 'it waited for a second');
  t.equal(hub.asked.length, 3);
  const always = await startHub(t, [refuse(429)]);
  await t.rejects(always.find(), /429, too many requests/);
  t.equal(always.asked.length, 4, 'three retries');
  const never = await startHub(t, [refuse(400)]);
  await t.rejects(never.find(), /400/);
  t.equal(never.asked.length, 1);
});

t.test('a download that takes long reports its progress', async (t) => {
  const lines: object[] = [];
  const listening: Log = { ...log, info: (details, message) => lines.push({ ...details, message }) };
  const hub = await startHub(t, [trickle(1100)]);
  await createModelFiles({ settings: hub.settings, log: listening }).find('owner/name', BIG);
  const common = { name: 'owner/name', file: BIG.name };
  t.match(lines, [
    { ...common, bytes: CONTENT.length, total: CONTENT.length, message: 'downloading' },
    { ...common, message: 'downloaded from the hub' },
  ]);
});
