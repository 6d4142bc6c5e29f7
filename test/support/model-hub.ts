import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Log, ModelFile, Settings } from '../../core/contracts.ts';
import { createModelFiles } from '../../server/models/model-files.ts';

const silent = () => undefined;
/** A log that nobody reads. */
export const log: Log = { debug: silent, info: silent, warn: silent, error: silent };

/** Serves on loopback, and notes which paths, which tokens and which other headers it was asked with. */
export async function startHubServer(
  t: Test,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
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

/** Settings with empty folders of their own, that may download from nowhere. */
export function settingsFor(t: Test, fields: Partial<Settings> = {}): Settings {
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

/** Everything under a folder; nothing where it is not there. */
export const contents = (folder: string): Promise<string[]> =>
  readdir(folder, { recursive: true }).catch(() => []);

/** A file whose download takes more than one write. */
export const BIG: ModelFile = { name: 'onnx/model.onnx', maxBytes: 1_000_000 };
export const CONTENT = randomBytes(300_000);
export const HALF = CONTENT.length / 2;
export const ETAG = '"one"';

/** @param target where the file of the hub will be on this machine */
export type Answer = (request: IncomingMessage, response: ServerResponse, target: string) => void;

/** Answers as a hub should, ranges too. */
export function serve(content = CONTENT, etag = ETAG): Answer {
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
export function breakOff(etag: string | null = ETAG, bytes = HALF): Answer {
  return async (_request, response, target) => {
    if (etag !== null) response.setHeader('etag', etag);
    response.writeHead(200, { 'content-length': CONTENT.length }).write(CONTENT.subarray(0, bytes));
    await until(async () => (await sizeOf(`${target}.part`)) === bytes);
    response.destroy();
  };
}

export const sizeOf = (path: string): Promise<number> =>
  stat(path).then(
    ({ size }) => size,
    () => 0,
  );

export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await isSo())) await sleep(20);
}

/** Sends everything bit by bit, with so many milliseconds between two of them. */
export function trickle(pause: number): Answer {
  return async (_request, response) => {
    response.writeHead(200, { 'content-length': CONTENT.length });
    for (let from = 0; from < CONTENT.length; from += 50_000) {
      response.write(CONTENT.subarray(from, from + 50_000));
      await sleep(pause);
    }
    response.end();
  };
}

export const refuse =
  (status: number, headers = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end();

/** A hub that gives one answer after another, the last one from then on, and what it is asked with. */
export async function startHub(t: Test, answers: Answer[]) {
  let given = 0;
  const own = settingsFor(t);
  const target = join(own.modelsDir, 'owner', 'name', 'onnx', 'model.onnx');
  const server = await startHubServer(t, (request, response) => {
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

export const PARTS = ['owner/name/onnx/model.onnx.part', 'owner/name/onnx/model.onnx.part.json'];
export const WHOLE = ['owner/name/onnx/model.onnx'];
