import { mkdir, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t, { type Test } from 'tap';
import type { ModelFile } from '../../../../core/contracts/collaborators.ts';
import type { HubSettings } from '../../../../server/config/hub-settings.ts';
import { isHubName } from '../../../../server/plugins/hub/local-files.ts';
import { createModelFiles } from '../../../../server/plugins/hub/model-files.ts';
import { quietLog as log } from '../../../../server/testing/collaborators.ts';
import { BIG, contents, settingsFor, startHubServer } from '../../../support/model-hub.ts';

const check = async (path: string) => void JSON.parse(await readFile(path, 'utf8'));
const FILE: ModelFile = { name: 'tokenizer.json', maxBytes: 1000, check };
const TOKEN = 'hf_secret';

type Reply = (request: IncomingMessage, response: ServerResponse) => void;
const EMPTY: Reply = (_request, response) => response.end('{}');
const NONE: Reply = (_request, response) => response.writeHead(404).end();

/** A hub that replies so, and what looks for files there. */
async function openHub(t: Test, reply: Reply, fields: Partial<HubSettings> = {}, more: object = {}) {
  const { asked, origin } = await startHubServer(t, reply);
  const settings = settingsFor(t, { hubEndpoint: origin, ...fields });
  return { asked, settings, hub: createModelFiles({ settings, log, ...more }) };
}

async function put(path: string, content = '{}'): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
}

const WRONG_NAMES = [
  ...'. .. ../x x/.. a/../b a/b/c /etc/passwd /x x/ a//b .x -x a/.b a/-b'.split(' '),
  ...'http://127.0.0.1/x https://example.org file:///x C:\\x a\\b a%2fb ä'.split(' '),
  ...['', 'a b', 'a\0b', 'a\n'],
  ...'gpt2/tokenizer.json.lock tokenizer.json.part/x x/tokenizer.json.part.json'.split(' '),
  ...['a--b', 'x?y', 'x#y', 'x'.repeat(201), 'owner/name@main'],
];

t.test('takes names only', async (t) => {
  for (const name of ['gpt2', 'bert-base-uncased', 'BAAI/bge-m3', 'owner/name_1.5', '_x/1'])
    t.ok(isHubName(name), name);
  const { asked, settings, hub } = await openHub(t, EMPTY);
  await put(join(dirname(settings.modelsDir), 'x', 'tokenizer.json'));
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
  const { asked, hub } = await openHub(t, EMPTY, { allowDownloads: false });
  t.equal(await hub.find('owner/name', FILE), undefined);
  t.same(await hub.names(FILE.name), []);
  t.same(asked, []);
});

t.test('downloads once, and is offline from then on', async (t) => {
  const slowly: Reply = (_request, response) => setTimeout(() => response.end('{"a":1}'), 20);
  const { asked, settings, hub } = await openHub(t, slowly, { hubToken: TOKEN });
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
  const other = await startHubServer(t, EMPTY);
  const moving: Reply = (request, response) => {
    const location = request.url?.startsWith('/moved') ? `${other.origin}/file` : '/moved';
    response.writeHead(307, { location }).end();
  };
  const { asked, hub } = await openHub(t, moving, { hubToken: TOKEN });
  t.ok(await hub.find('owner/name', FILE));
  t.match(asked, [{ token: `Bearer ${TOKEN}` }, { token: `Bearer ${TOKEN}` }]);
  t.same(other.asked, [{ url: '/file', token: undefined }]);
});

const answered = (status: number, headers: object = {}): Reply => {
  return (_, response) => response.writeHead(status, { ...headers }).end();
};
const said = (text: string): Reply => {
  return (_, response) => response.end(text);
};
const raw = (answer: string): Reply => {
  return ({ socket }) => socket.end(`HTTP/1.1 200 OK\r\n${answer}`);
};
const cut = (response: ServerResponse) => response.write('{}', () => response.destroy());

/** What the hub can do wrong, and the message for it. */
const failures: Record<string, [Reply, RegExp]> = {
  '401': [answered(401), /401; set HF_TOKEN/],
  '403': [answered(403), /403; set HF_TOKEN/],
  '429': [answered(429), /429, too many requests/],
  '500': [answered(500), /500; try again/],
  'no JSON': [said('<html>'), /JSON/],
  'a broken JSON': [said('{"a": '), /JSON/],
  'an empty file': [said(''), /JSON/],
  'more than allowed': [said(`"${'x'.repeat(2000)}"`), /larger than 1000 bytes/],
  'a broken connection': [(_, to) => cut(to.writeHead(200, { 'content-length': 100 })), /connection failed/],
  'a broken stream': [(_, to) => cut(to), /connection failed/],
  'less than announced': [raw('content-length: 50\r\n\r\n{}'), /connection failed/],
  'more than announced': [raw('content-length: 3\r\n\r\n{"a":1}'), /JSON|connection failed/],
  'no end': [(_, response) => response.write('{'), /silent for longer than 0.3 s/],
  'no answer': [() => undefined, /silent for longer than 0.3 s/],
  'a circle': [(from, to) => answered(302, { location: from.url })(from, to), /redirects too often/],
  'another protocol': [answered(302, { location: 'file:///etc/passwd' }), /not https/],
};

for (const [name, [answer, expected]] of Object.entries(failures)) {
  t.test(`a hub with ${name} leaves nothing behind`, async (t) => {
    let isBroken = true;
    const reply: Reply = (...both) => (isBroken ? answer : EMPTY)(...both);
    const timeout = String(expected).includes('silent') ? 300 : 5000;
    const { settings, hub } = await openHub(t, reply, { hubToken: TOKEN }, { timeout, backoff: 10 });
    const message = await hub.find('owner/name', FILE).catch((error: Error) => error.message);
    t.match(message, expected);
    t.match(message, '"owner/name"');
    t.notMatch(message, TOKEN);
    t.notMatch(message, settings.modelsDir);
    const files = (await contents(settings.modelsDir)).filter((path) => path.includes('.'));
    t.same(files, []);
    t.same(await hub.names(FILE.name), []);
    isBroken = false;
    t.ok(await createModelFiles({ settings, log }).find('owner/name', FILE), 'and the next time it works');
  });
}

t.test('a slow hub may take its time, as long as it keeps sending', async (t) => {
  const slowly: Reply = async (_request, response) => {
    for (const part of ['{', '"a"', ':', '"b"', '}']) {
      response.write(part);
      await sleep(150);
    }
    response.end();
  };
  const { hub } = await openHub(t, slowly, {}, { timeout: 600 });
  t.ok(await hub.find('owner/name', FILE));
});

t.test('nobody listens, or the folder cannot be written', async (t) => {
  const settings = settingsFor(t, { hubToken: TOKEN });
  const unreachable = createModelFiles({ settings, log }).find('gpt2', FILE);
  await t.rejects(unreachable, /connection failed .* check HF_ENDPOINT/);
  const { hub } = await openHub(t, EMPTY, { modelsDir: settings.modelsDir });
  await writeFile(settings.modelsDir, 'a file');
  const message = await hub.find('gpt2', FILE).catch((error: Error) => error.message);
  t.match(message, /models folder cannot be written/);
  t.notMatch(message, settings.modelsDir);
});

t.test('404 is no such name, and not asked for again for a while', async (t) => {
  const { asked, settings, hub } = await openHub(t, NONE, {}, { memory: 200 });
  const ask = () => hub.find('owner/name', FILE);
  t.same([await ask(), await ask(), await ask()], [undefined, undefined, undefined]);
  t.equal(asked.length, 1);
  t.same(await contents(settings.modelsDir), []);
  await hub.find('owner/name', BIG);
  await hub.find('owner/other', FILE);
  t.equal(asked.length, 3, 'it is remembered by name and file');
  await sleep(250);
  await ask();
  t.equal(asked.length, 4);
});

t.test('a revision is asked for, and found in the cache', async (t) => {
  const { asked, settings } = await openHub(t, NONE);
  const commit = 'c0ffee'.padEnd(40, '0');
  const folder = join(settings.hubCacheDir, 'models--gpt2');
  await put(join(folder, 'refs', 'v1.0'), 'abc123');
  await put(join(folder, 'snapshots', 'abc123', FILE.name));
  await put(join(folder, 'snapshots', commit, FILE.name));
  const find = (hubRevision: string) =>
    createModelFiles({ settings: { ...settings, hubRevision }, log }).find('gpt2', FILE);
  t.equal(await find('v1.0'), join(folder, 'snapshots', 'abc123', FILE.name));
  t.equal(await find(commit), join(folder, 'snapshots', commit, FILE.name));
  t.equal(await find('v2'), undefined);
  const urls = asked.map(({ url }) => url);
  t.same(urls, [`/gpt2/resolve/v2/${FILE.name}`]);
});
