import { type ChildProcess, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import t, { type Test } from 'tap';
import type { Log, ModelFile, Settings } from '../../core/contracts.ts';
import { createModelFiles, isHubName } from '../../server/models/model-files.ts';

const silent = () => undefined;
const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

const FILE: ModelFile = {
  name: 'tokenizer.json',
  maxBytes: 1000,
  check: async (path) => {
    JSON.parse(await readFile(path, 'utf8'));
  },
};
const TOKEN = 'hf_secret';

/** Serves on loopback, and notes which paths, which tokens and which other headers it was asked with. */
async function startServer(t: Test, answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const asked: { url: string | undefined; token: string | undefined }[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const server = createServer((request, response) => {
    headers.push(request.headers);
    asked.push({ url: request.url, token: request.headers.authorization });
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    server.closeAllConnections();
    server.close();
  });
  return { asked, headers, origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

function settingsFor(t: Test, fields: Partial<Settings> = {}): Settings {
  const root = t.testdir({ cache: {} });
  return {
    modelsDir: join(root, 'models'),
    hubCacheDir: join(root, 'cache'),
    allowDownloads: true,
    hubEndpoint: 'http://127.0.0.1:1',
    hubToken: '',
    hubRevision: 'main',
    memoryBytes: 1e9,
    ...fields,
  };
}

async function put(path: string, content = '{}'): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

/** Everything under a folder; nothing where it is not there. */
const contents = (folder: string): Promise<string[]> => readdir(folder, { recursive: true }).catch(() => []);

const WRONG_NAMES = [
  ...[
    '',
    '.',
    '..',
    '../x',
    'x/..',
    'a/../b',
    'a/b/c',
    '/etc/passwd',
    '/x',
    'x/',
    'a//b',
    '.x',
    '-x',
    'a/.b',
    'a/-b',
  ],
  ...[
    'http://127.0.0.1/x',
    'https://example.org',
    'file:///x',
    'C:\\x',
    'a\\b',
    'a b',
    'a%2fb',
    'a\0b',
    'a\n',
    'ä',
  ],
  ...['gpt2/tokenizer.json.lock', 'tokenizer.json.part/x', 'x/tokenizer.json.part.json'],
  ...['a--b', 'x?y', 'x#y', 'x'.repeat(201), 'owner/name@main'],
];

t.test('takes names only', async (t) => {
  for (const name of ['gpt2', 'bert-base-uncased', 'BAAI/bge-m3', 'owner/name_1.5', '_x/1'])
    t.ok(isHubName(name), name);
  const { asked, origin } = await startServer(t, (_request, response) => response.end('{}'));
  const settings = settingsFor(t, { hubEndpoint: origin });
  await put(join(dirname(settings.modelsDir), 'x', 'tokenizer.json'));
  const hub = createModelFiles({ settings, log });
  for (const name of WRONG_NAMES) {
    t.notOk(isHubName(name), name);
    t.equal(await hub.find(name, FILE), undefined, name);
  }
  t.same(asked, []);
});

t.test('finds files in the models folder, links too', async (t) => {
  const settings = settingsFor(t, { allowDownloads: false });
  await put(join(settings.modelsDir, 'plain', 'tokenizer.json'));
  await put(join(settings.modelsDir, 'owner', 'name', 'tokenizer.json'));
  await symlink(join(settings.modelsDir, 'plain'), join(settings.modelsDir, 'linked'));
  await mkdir(join(settings.modelsDir, 'empty'));
  const hub = createModelFiles({ settings, log });
  t.equal(await hub.find('owner/name', FILE), join(settings.modelsDir, 'owner', 'name', 'tokenizer.json'));
  t.ok(await hub.find('linked', FILE));
  t.equal(await hub.find('empty', FILE), undefined);
  t.same(await hub.names(FILE.name), ['linked', 'owner/name', 'plain']);
});

t.test("finds files in the hub's cache", async (t) => {
  const settings = settingsFor(t, { allowDownloads: false });
  const cached = (folder: string, ...path: string[]) => join(settings.hubCacheDir, folder, ...path);
  await put(cached('models--BAAI--bge-m3', 'refs', 'main'), 'abc123\n');
  await put(cached('models--BAAI--bge-m3', 'blobs', '1'));
  await mkdir(cached('models--BAAI--bge-m3', 'snapshots', 'abc123'), { recursive: true });
  await symlink('../../blobs/1', cached('models--BAAI--bge-m3', 'snapshots', 'abc123', 'tokenizer.json'));
  await put(cached('models--gpt2', 'refs', 'main'), 'f00');
  await put(cached('models--gpt2', 'snapshots', 'f00', 'tokenizer.json'));
  await put(cached('models--evil', 'refs', 'main'), '../../models--gpt2/snapshots/f00');
  await put(cached('datasets--x--y', 'refs', 'main'), 'f00');
  const hub = createModelFiles({ settings, log });
  t.ok(await hub.find('BAAI/bge-m3', FILE));
  t.ok(await hub.find('gpt2', FILE));
  t.equal(await hub.find('evil', FILE), undefined, 'a revision is not a path');
  t.equal(await hub.find('bge-m3', FILE), undefined);
  t.same(await hub.names(FILE.name), ['BAAI/bge-m3', 'gpt2']);
});

t.test('asks nobody when downloads are not allowed', async (t) => {
  const { asked, origin } = await startServer(t, (_request, response) => response.end('{}'));
  const hub = createModelFiles({
    settings: settingsFor(t, { hubEndpoint: origin, allowDownloads: false }),
    log,
  });
  t.equal(await hub.find('owner/name', FILE), undefined);
  t.same(await hub.names(FILE.name), []);
  t.same(asked, []);
});

t.test('downloads once, and is offline from then on', async (t) => {
  const { asked, origin } = await startServer(t, (_request, response) => {
    setTimeout(() => response.end('{"a":1}'), 20);
  });
  const settings = settingsFor(t, { hubEndpoint: `${origin}/`, hubToken: TOKEN });
  const hub = createModelFiles({ settings, log });
  const paths = await Promise.all(Array.from({ length: 5 }, () => hub.find('owner/name', FILE)));
  t.same(new Set(paths), new Set([join(settings.modelsDir, 'owner', 'name', 'tokenizer.json')]));
  t.equal(await readFile(paths[0] as string, 'utf8'), '{"a":1}');
  t.same(asked, [{ url: '/owner/name/resolve/main/tokenizer.json', token: `Bearer ${TOKEN}` }]);
  const offline = createModelFiles({ settings: { ...settings, hubEndpoint: 'http://127.0.0.1:1' }, log });
  t.equal(await offline.find('owner/name', FILE), paths[0]);
  t.same(await offline.names(FILE.name), ['owner/name']);
  t.same(await readdir(dirname(paths[0] as string)), ['tokenizer.json'], 'no temporary file is left');
});

t.test('the token does not follow to another origin', async (t) => {
  const other = await startServer(t, (_request, response) => response.end('{}'));
  const { asked, origin } = await startServer(t, (request, response) => {
    const location = request.url?.startsWith('/moved') ? `${other.origin}/file` : '/moved';
    response.writeHead(307, { location }).end();
  });
  const hub = createModelFiles({ settings: settingsFor(t, { hubEndpoint: origin, hubToken: TOKEN }), log });
  t.ok(await hub.find('owner/name', FILE));
  t.same(
    asked.map(({ token }) => token),
    [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
  );
  t.same(other.asked, [{ url: '/file', token: undefined }]);
});

/** What the hub can do wrong, and what is said then. */
const failures: Record<string, [(request: IncomingMessage, response: ServerResponse) => void, RegExp]> = {
  '401': [(_, response) => response.writeHead(401).end(), /401; set HF_TOKEN/],
  '403': [(_, response) => response.writeHead(403).end(), /403; set HF_TOKEN/],
  '429': [(_, response) => response.writeHead(429).end(), /429, too many requests/],
  '500': [(_, response) => response.writeHead(500).end(), /500; try again/],
  'no JSON': [(_, response) => response.end('<html>'), /JSON/],
  'a broken JSON': [(_, response) => response.end('{"a": '), /JSON/],
  'an empty file': [(_, response) => response.end(''), /JSON/],
  'more than allowed': [(_, response) => response.end(`"${'x'.repeat(2000)}"`), /larger than 1000 bytes/],
  'a broken connection': [
    (_, response) => {
      response.writeHead(200, { 'content-length': 100 });
      response.write('{}', () => response.destroy());
    },
    /connection failed/,
  ],
  'a broken stream': [
    (_, response) => {
      response.write('{}', () => response.destroy());
    },
    /connection failed/,
  ],
  'less than announced': [
    (request) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 50\r\n\r\n{}'),
    /connection failed/,
  ],
  'more than announced': [
    (request) => request.socket.end('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\n{"a":1}'),
    /JSON|connection failed/,
  ],
  'no end': [(_, response) => response.write('{'), /silent for longer than 0.3 s/],
  'no answer': [() => undefined, /silent for longer than 0.3 s/],
  'a circle': [
    (request, response) => response.writeHead(302, { location: request.url }).end(),
    /redirects too often/,
  ],
  'another protocol': [
    (_, response) => response.writeHead(302, { location: 'file:///etc/passwd' }).end(),
    /no https/,
  ],
};

for (const [name, [answer, expected]] of Object.entries(failures)) {
  t.test(`a hub with ${name} leaves nothing behind`, async (t) => {
    let isBroken = true;
    const { origin } = await startServer(t, (request, response) => {
      if (isBroken) answer(request, response);
      else response.end('{}');
    });
    const settings = settingsFor(t, { hubEndpoint: origin, hubToken: TOKEN });
    const timeout = String(expected).includes('silent') ? 300 : 5000;
    const hub = createModelFiles({ settings, log, timeout, backoff: 10 });
    const error = await hub.find('owner/name', FILE).then(
      () => undefined,
      (error: Error) => error,
    );
    t.match(error?.message, expected);
    t.match(error?.message, '"owner/name"');
    t.notMatch(error?.message, TOKEN);
    t.notMatch(error?.message, settings.modelsDir);
    t.same(
      (await contents(settings.modelsDir)).filter((path) => path.includes('.')),
      [],
    );
    t.same(await hub.names(FILE.name), []);
    isBroken = false;
    t.ok(await createModelFiles({ settings, log }).find('owner/name', FILE), 'and the next time it works');
  });
}

t.test('a slow hub may take its time, as long as it goes on', async (t) => {
  const { origin } = await startServer(t, async (_request, response) => {
    for (const part of ['{', '"a"', ':', '"b"', '}']) {
      response.write(part);
      await new Promise((resolve) => setTimeout(resolve, 150));
    }
    response.end();
  });
  const settings = settingsFor(t, { hubEndpoint: origin });
  t.ok(await createModelFiles({ settings, log, timeout: 600 }).find('owner/name', FILE));
});

t.test('404 is no such name', async (t) => {
  const { origin } = await startServer(t, (_request, response) => response.writeHead(404).end());
  const settings = settingsFor(t, { hubEndpoint: origin });
  t.equal(await createModelFiles({ settings, log }).find('owner/name', FILE), undefined);
  t.same(await contents(settings.modelsDir), []);
});

t.test('nobody listens, or the folder cannot be written', async (t) => {
  const settings = settingsFor(t, { hubToken: TOKEN });
  await t.rejects(
    createModelFiles({ settings, log }).find('gpt2', FILE),
    /connection failed .* check HF_ENDPOINT/,
  );
  const { origin } = await startServer(t, (_request, response) => response.end('{}'));
  await writeFile(settings.modelsDir, 'a file');
  const hub = createModelFiles({ settings: { ...settings, hubEndpoint: origin }, log });
  const error = await hub.find('gpt2', FILE).catch((error: Error) => error);
  t.match(error, { message: /models folder cannot be written/ });
  t.notMatch((error as Error).message, settings.modelsDir);
});

t.test('a hub that does not have a file is not asked for it again for a while', async (t) => {
  const { asked, origin } = await startServer(t, (_request, response) => response.writeHead(404).end());
  const hub = createModelFiles({ settings: settingsFor(t, { hubEndpoint: origin }), log, memory: 200 });
  const ask = () => hub.find('owner/name', FILE);
  t.same([await ask(), await ask(), await ask()], [undefined, undefined, undefined]);
  t.equal(asked.length, 1);
  await hub.find('owner/name', BIG);
  await hub.find('owner/other', FILE);
  t.equal(asked.length, 3, 'it is remembered by name and file');
  await sleep(250);
  await ask();
  t.equal(asked.length, 4);
});

t.test('a revision is asked for, and found in the cache', async (t) => {
  const { asked, origin } = await startServer(t, (_request, response) => response.writeHead(404).end());
  const commit = 'c0ffee'.padEnd(40, '0');
  const settings = settingsFor(t, { hubEndpoint: origin });
  const folder = join(settings.hubCacheDir, 'models--gpt2');
  await put(join(folder, 'refs', 'v1.0'), 'abc123');
  await put(join(folder, 'snapshots', 'abc123', FILE.name));
  await put(join(folder, 'snapshots', commit, FILE.name));
  const find = (hubRevision: string) =>
    createModelFiles({ settings: { ...settings, hubRevision }, log }).find('gpt2', FILE);
  t.equal(await find('v1.0'), join(folder, 'snapshots', 'abc123', FILE.name));
  t.equal(await find(commit), join(folder, 'snapshots', commit, FILE.name));
  t.equal(await find('v2'), undefined);
  t.same(
    asked.map(({ url }) => url),
    [`/gpt2/resolve/v2/${FILE.name}`],
  );
});

const BIG: ModelFile = { name: 'onnx/model.onnx', maxBytes: 1_000_000 };
const CONTENT = randomBytes(300_000);
const HALF = CONTENT.length / 2;
const ETAG = '"one"';
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** @param target where the file of the hub will be on this machine */
type Answer = (request: IncomingMessage, response: ServerResponse, target: string) => void;

/** Answers as a hub should, ranges too. */
function serve(content = CONTENT, etag = ETAG): Answer {
  return ({ headers }, response) => {
    const from = Number(/^bytes=(\d+)-$/.exec(headers.range ?? '')?.[1] ?? 0);
    const isPart = from > 0 && headers['if-range'] === etag;
    response.setHeader('etag', etag);
    if (isPart) response.setHeader('content-range', `bytes ${from}-${content.length - 1}/${content.length}`);
    response.setHeader('content-length', content.length - (isPart ? from : 0));
    response.writeHead(isPart ? 206 : 200).end(isPart ? content.subarray(from) : content);
  };
}

/** Promises everything and breaks off in the middle, when all until there has arrived. */
function breakOff(etag: string | null = ETAG, bytes = HALF): Answer {
  return async (_request, response, target) => {
    if (etag !== null) response.setHeader('etag', etag);
    response.writeHead(200, { 'content-length': CONTENT.length }).write(CONTENT.subarray(0, bytes));
    await until(async () => (await sizeOf(`${target}.part`)) === bytes);
    response.destroy();
  };
}

const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

const refuse =
  (status: number, headers = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end();

/** A hub that gives one answer after another, the last one from then on, and what it is asked with. */
async function startHub(t: Test, answers: Answer[]) {
  let given = 0;
  const own = settingsFor(t);
  const target = join(own.modelsDir, 'owner', 'name', 'onnx', 'model.onnx');
  const server = await startServer(t, (request, response) => {
    answers[Math.min(given++, answers.length - 1)]?.(request, response, target);
  });
  const settings = { ...own, hubEndpoint: server.origin };
  const find = (file = BIG, timeout = 5000) =>
    createModelFiles({ settings, log, timeout, backoff: 10 }).find('owner/name', file);
  const ranges = () => server.headers.map(({ range }) => range);
  const left = async () =>
    (await contents(settings.modelsDir)).filter((path) => /model\.onnx/.test(path)).sort();
  return { ...server, settings, target, find, ranges, left };
}

const PARTS = ['owner/name/onnx/model.onnx.part', 'owner/name/onnx/model.onnx.part.json'];
const WHOLE = ['owner/name/onnx/model.onnx'];

t.test('a download that breaks is gone on with', async (t) => {
  const hub = await startHub(t, [breakOff(), serve()]);
  t.equal(await hub.find(), hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, `bytes=${HALF}-`]);
  t.equal(hub.headers[1]?.['if-range'], ETAG);
  t.same(await hub.left(), WHOLE);
});

t.test('a download that stays broken is gone on with after a restart', async (t) => {
  const hub = await startHub(t, [breakOff(), refuse(500), refuse(502), refuse(503), serve()]);
  await t.rejects(hub.find(), /503; try again/);
  t.same(await hub.left(), PARTS);
  const again = createModelFiles({ settings: hub.settings, log });
  t.same(await again.names(BIG.name), [], 'a part is no model');
  t.equal(await again.find('owner/name', BIG), hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, ...Array(4).fill(`bytes=${HALF}-`)]);
  t.same(await hub.left(), WHOLE);
});

t.test('a hub that falls silent keeps nobody waiting, and is gone on with later', async (t) => {
  const stall: Answer = (_request, response) => {
    response
      .writeHead(200, { 'content-length': CONTENT.length, etag: ETAG })
      .write(CONTENT.subarray(0, HALF));
  };
  const hub = await startHub(t, [stall, serve()]);
  await t.rejects(hub.find(BIG, 300), /silent for longer/);
  t.same(await hub.left(), PARTS);
  await hub.find();
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, `bytes=${HALF}-`]);
});

const OTHER = randomBytes(250_000);
/** A range that is not the one that was asked for, of what was asked for or of something else. */
const lie = (contentRange: string | undefined, etag = ETAG): Answer => {
  return (_request, response) => {
    const headers = contentRange === undefined ? {} : { 'content-range': contentRange };
    response.writeHead(206, { etag, ...headers }).end(OTHER.subarray(0, HALF));
  };
};
const rest = `bytes ${HALF}-${CONTENT.length - 1}/${CONTENT.length}`;

/** What a hub answers to the request to go on, how often it is asked in all, and what there is then. */
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
  t.test(`a hub ${name} is asked for everything`, async (t) => {
    const hub = await startHub(t, [breakOff(), ...answers]);
    await hub.find();
    t.ok(expected.equals(await readFile(hub.target)));
    t.same(hub.ranges(), [undefined, `bytes=${HALF}-`, undefined].slice(0, requests));
    t.same(await hub.left(), WHOLE);
  });
}

t.test('a part is not gone on with where nobody can tell whether it is of the same file', async (t) => {
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
    'the old etag is not the one of a new part',
  );
  const hub = await startHub(t, [breakOff(), refuse(503), refuse(503), refuse(503), serve()]);
  await t.rejects(hub.find());
  const settings = { ...hub.settings, hubRevision: 'v2' };
  await createModelFiles({ settings, log }).find('owner/name', BIG);
  t.equal(hub.ranges().at(-1), undefined, 'of another revision');
});

t.test('a part is not kept where the hub says that there is nothing to go on with', async (t) => {
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
    t.same(await hub.left(), PARTS);
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
  const store = await startServer(t, (request, response) => serve(CONTENT, wrong)(request, response, ''));
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

t.test('a busy hub is asked again, when it wants to be', async (t) => {
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

t.test('a download that takes long says how far it is', async (t) => {
  const lines: object[] = [];
  const listening: Log = { ...log, info: (details, message) => lines.push({ ...details, message }) };
  const slow: Answer = async (_request, response) => {
    response.writeHead(200, { 'content-length': CONTENT.length });
    for (let from = 0; from < CONTENT.length; from += 50_000) {
      response.write(CONTENT.subarray(from, from + 50_000));
      await sleep(1100);
    }
    response.end();
  };
  const hub = await startHub(t, [slow]);
  await createModelFiles({ settings: hub.settings, log: listening }).find('owner/name', BIG);
  const common = { name: 'owner/name', file: BIG.name };
  t.match(lines, [
    { ...common, bytes: CONTENT.length, total: CONTENT.length, message: 'downloading' },
    { ...common, message: 'downloaded from the hub' },
  ]);
});

/** Looks for the file in a thread or a process of its own, and prints what is logged meanwhile. */
const FINDER = `
  const print = (details) => console.log(JSON.stringify(details));
  process.once('SIGTERM', () => setTimeout(() => process.exit(7), 200));
  import(process.env.MODULE).then(({ createModelFiles }) => {
    const log = { info: print, warn: print };
    const settings = JSON.parse(process.env.SETTINGS);
    return createModelFiles({ settings, log, timeout: 1500 }).find('owner/name', JSON.parse(process.env.FILE));
  });
`;

const environment = (settings: Settings) => ({
  ...process.env,
  MODULE: new URL('../../server/models/model-files.ts', import.meta.url).href,
  SETTINGS: JSON.stringify(settings),
  FILE: JSON.stringify(BIG),
});

function startProcess(t: Test, settings: Settings): ChildProcess {
  // What tap preloads in every process of Node listens for signals itself.
  const child = spawn('env', ['-u', 'NODE_OPTIONS', process.execPath, '-e', FINDER], {
    env: environment(settings),
  });
  t.teardown(() => child.kill('SIGKILL'));
  return child;
}

const startThread = (settings: Settings) =>
  new Worker(FINDER, { eval: true, env: environment(settings), stdout: true });

/** Sends something at once, and the rest when it is told to. */
function holdBack() {
  const { promise, resolve: release } = Promise.withResolvers<void>();
  const answer: Answer = async (_request, response) => {
    response
      .writeHead(200, { 'content-length': CONTENT.length, etag: ETAG })
      .write(CONTENT.subarray(0, HALF));
    await promise;
    response.end(CONTENT.subarray(HALF));
  };
  return { answer, release };
}

t.test('threads and processes that ask at once make one request in all', async (t) => {
  const trickle: Answer = async (_request, response) => {
    response.writeHead(200, { 'content-length': CONTENT.length });
    for (let from = 0; from < CONTENT.length; from += 50_000) {
      response.write(CONTENT.subarray(from, from + 50_000));
      await sleep(350);
    }
    response.end();
  };
  const hub = await startHub(t, [trickle]);
  const threads = [startThread(hub.settings), startThread(hub.settings)];
  const processes = [startProcess(t, hub.settings), startProcess(t, hub.settings)];
  const codes = await Promise.all([...threads, ...processes].map((one) => once(one, 'exit')));
  t.same(
    codes.map(([code]) => code),
    [0, 0, 0, 0],
    'all find it, and waiting for longer than the hub may be silent is no silence',
  );
  t.equal(hub.asked.length, 1);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(await hub.left(), WHOLE, 'no lock is left');
});

t.test('one that is killed leaves its part to the next', async (t) => {
  const hub = await startHub(t, [holdBack().answer, serve()]);
  const child = startProcess(t, hub.settings);
  await until(async () => (await sizeOf(`${hub.target}.part`)) === HALF);
  child.kill('SIGKILL');
  await once(child, 'exit');
  const lock = `${hub.target}.lock`;
  t.ok(existsSync(lock));
  const eightSecondsAgo = Date.now() / 1000 - 8;
  await utimes(lock, eightSecondsAgo, eightSecondsAgo);
  t.equal(await hub.find(), hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(hub.ranges(), [undefined, `bytes=${HALF}-`]);
  t.same(await hub.left(), WHOLE);
});

t.test('one that stood still for too long gives way to the next', async (t) => {
  const { answer, release } = holdBack();
  t.teardown(release);
  const hub = await startHub(t, [answer, serve()]);
  const found = createModelFiles({ settings: hub.settings, log }).find('owner/name', BIG);
  await until(() => existsSync(`${hub.target}.part`));
  await rm(`${hub.target}.lock`, { recursive: true });
  const [, other] = await Promise.all([found, hub.find()]);
  t.equal(other, hub.target);
  t.ok(CONTENT.equals(await readFile(hub.target)));
  t.same(await hub.left(), WHOLE);
});

t.test('a download leaves the signals of the process to whoever listens', async (t) => {
  const hub = await startHub(t, [holdBack().answer]);
  const child = startProcess(t, hub.settings);
  await until(() => existsSync(`${hub.target}.part`));
  child.kill('SIGTERM');
  t.same(await once(child, 'exit'), [7, null]);
});

t.test('a hub that wants to be left alone for long is asked after half a minute', async (t) => {
  const hub = await startHub(t, [refuse(429, { 'retry-after': '3600' })]);
  const child = startProcess(t, hub.settings);
  const [line] = await once(child.stdout as Readable, 'data');
  t.match(JSON.parse(String(line)), { milliseconds: 30_000, reason: /429/ });
});
