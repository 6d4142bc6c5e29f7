import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { mock } from 'node:test';
import t, { type Test } from 'tap';
import type { Log } from '../../../../core/contracts/collaborators.ts';
import { createModelFiles } from '../../../../server/plugins/hub/model-files.ts';
import { quietLog as log } from '../../../../server/testing/collaborators.ts';
import {
  type Answer,
  BIG,
  breakOff,
  CONTENT,
  ETAG,
  HALF,
  holdBack,
  PARTIAL,
  refuse,
  serve,
  startHub,
  startHubServer,
  trickle,
  untilBegun,
  WHOLE,
} from '../../../support/model-hub.ts';
import { until } from '../../../support/until.ts';

const etagOf = (bytes: Uint8Array) => `"${createHash('sha256').update(bytes).digest('hex')}"`;

const REST = `bytes=${HALF}-`;
/** Answers after which a download has failed with its first half, and goes on at the next request. */
const BROKEN = [breakOff(), refuse(503), refuse(503), refuse(503), serve()];
type Hub = Awaited<ReturnType<typeof startHub>>;

/** Holds that the file is there whole, alone, and which ranges of it were asked for. */
async function checkWhole(
  t: Test,
  hub: Hub,
  ranges: readonly (string | undefined)[],
  content: Buffer = CONTENT,
) {
  t.ok(content.equals(await readFile(hub.target)));
  t.same(hub.ranges(), ranges);
  t.same(await hub.left(), WHOLE);
}

t.test('a download that breaks resumes', async (t) => {
  const hub = await startHub(t, [breakOff(), serve()]);
  t.equal(await hub.find(), hub.target);
  await checkWhole(t, hub, [undefined, REST]);
  t.equal(hub.headers[1]?.['if-range'], ETAG);
});

t.test('a download that stays broken resumes after a restart', async (t) => {
  const hub = await startHub(t, [breakOff(), refuse(500), refuse(502), refuse(503), serve()]);
  await t.rejects(hub.find(), /503; try again/);
  t.same(await hub.left(), PARTIAL);
  const again = createModelFiles({ settings: hub.settings, log });
  t.same(await again.names(BIG.name), [], 'a partial download is no model');
  t.equal(await again.find('owner/name', BIG), hub.target);
  await checkWhole(t, hub, [undefined, ...Array(4).fill(REST)]);
});

t.test('a hub that falls silent keeps nobody waiting, and its download resumes later', async (t) => {
  const stall: Answer = (_request, response) => {
    const head = { 'content-length': CONTENT.length, etag: ETAG };
    response.writeHead(200, head).write(CONTENT.subarray(0, HALF));
  };
  const hub = await startHub(t, [stall, serve()]);
  await t.rejects(hub.find(BIG, 300), /silent for longer/);
  t.same(await hub.left(), PARTIAL);
  await hub.find();
  await checkWhole(t, hub, [undefined, REST]);
});

const OTHER = randomBytes(250_000);
/** Answers with bytes that were not asked for, under any range and etag. */
function lie(range: string | undefined, etag = ETAG): Answer {
  const headers = range === undefined ? { etag } : { etag, 'content-range': range };
  return (_request, response) => response.writeHead(206, headers).end(OTHER.subarray(0, HALF));
}
const rest = `bytes ${HALF}-${CONTENT.length - 1}/${CONTENT.length}`;

const whole: Answer = (_, response) => response.end(CONTENT);
const two = '"two"';
/** The answers to the request to resume, and the content in the end. */
const restarts: Record<string, [answers: Answer[], expected: Buffer]> = {
  'that has another file by now': [[serve(OTHER, two)], OTHER],
  'that ignores ranges': [[whole], CONTENT],
  'that answers with another part': [[lie(rest.replace(`${HALF}`, '5')), serve()], CONTENT],
  'that answers with less': [[lie(`bytes ${HALF}-${HALF + 5}/${CONTENT.length}`), serve()], CONTENT],
  'that does not say which part it sends': [[lie(undefined), serve()], CONTENT],
  'that answers in bananas': [[lie('bananas 1-2/3'), serve()], CONTENT],
  'that goes on with another file': [[lie(rest, two), serve(OTHER, two)], OTHER],
  'that has no such part': [[refuse(416), serve()], CONTENT],
};

for (const [name, [answers, expected]] of Object.entries(restarts)) {
  t.test(`a hub ${name} is asked for the whole file`, async (t) => {
    const hub = await startHub(t, [breakOff(), ...answers]);
    await hub.find();
    await checkWhole(t, hub, [undefined, REST, undefined].slice(0, answers.length + 1), expected);
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
  t.same(mixed.ranges(), [undefined, REST, undefined], 'the old etag is not that of a new partial download');
  const hub = await startHub(t, BROKEN);
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
    const hub = await startHub(t, BROKEN);
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
  const [right, wrong] = [etagOf(CONTENT), etagOf(OTHER)];
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
    else await t.rejects(hub.find(), /its SHA-256 differs from the one that the hub announced/);
    t.same(await hub.left(), isRight ? WHOLE : []);
  }
});

/** What is logged while a file is found. */
async function logOf(hub: Hub): Promise<object[]> {
  const lines: object[] = [];
  const note = (details: object, message: string) => lines.push({ ...details, message });
  const listening: Log = { ...log, info: note, warn: note };
  await createModelFiles({ settings: hub.settings, log: listening, backoff: 10 }).find('owner/name', BIG);
  return lines;
}

t.test('a busy hub is asked again after the time that it names', async (t) => {
  const hub = await startHub(t, [refuse(500), refuse(429, { 'retry-after': '1' }), serve()]);
  const lines = await logOf(hub);
  t.match(lines[1], { milliseconds: 1000, message: 'retrying' });
  t.equal(hub.asked.length, 3);
  const always = await startHub(t, [refuse(429)]);
  await t.rejects(always.find(), /429, too many requests/);
  t.equal(always.asked.length, 4, 'three retries');
  const never = await startHub(t, [refuse(400)]);
  await t.rejects(never.find(), /400/);
  t.equal(never.asked.length, 1);
});

t.test('a download that takes long reports its progress', async (t) => {
  const hub = await startHub(t, [trickle(100)]);
  const now = performance.now.bind(performance);
  const fast = mock.method(performance, 'now', () => 15 * now());
  t.teardown(() => fast.mock.restore());
  const lines = await logOf(hub);
  const common = { name: 'owner/name', file: BIG.name };
  t.match(lines[0], { ...common, bytes: Number, total: CONTENT.length, message: 'downloading' });
  t.match(lines.at(-1), { ...common, message: 'downloaded from the hub' });
});

t.test('one that stood still for too long, and was taken for dead, waits for the next one', async (t) => {
  const { answer, release } = holdBack();
  t.teardown(release);
  const hub = await startHub(t, [answer, serve()]);
  const looking = { ...BIG, check: async (path: string) => void (await readFile(path)) };
  const found = createModelFiles({ settings: hub.settings, log }).find('owner/name', looking);
  const begun = await untilBegun(hub.target, HALF);
  const past = Date.now() / 1000 - 60;
  await utimes(begun, past, past);
  const other = hub.find();
  await until(() => !existsSync(begun));
  release();
  t.same(await Promise.all([found, other]), [hub.target, hub.target]);
  await checkWhole(t, hub, [undefined, REST]);
});

t.test('of many at once one downloads, and goes on where one that was killed had come to', async (t) => {
  const hub = await startHub(t, [breakOff(), refuse(401), serve()]);
  await t.rejects(hub.find(), /401/);
  const killed = `${hub.target}.0a`;
  const url = `${hub.settings.hubEndpoint}/owner/name/resolve/main/${BIG.name}`;
  await mkdir(dirname(hub.target), { recursive: true });
  await writeFile(`${killed}.part.json`, JSON.stringify({ url, etag: ETAG }));
  await writeFile(`${killed}.part`, CONTENT.subarray(0, HALF));
  const past = Date.now() / 1000 - 60;
  await utimes(`${killed}.part`, past, past);
  const finds = Array.from({ length: 12 }, () => createModelFiles({ settings: hub.settings, log }));
  const found = await Promise.all(finds.map((one) => one.find('owner/name', BIG)));
  t.same(found, Array(12).fill(hub.target));
  await checkWhole(t, hub, [undefined, REST, REST]);
});
