import { randomBytes } from 'node:crypto';
import { readdir, stat } from 'node:fs/promises';
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Test } from 'tap';
import type { ModelFile } from '../../core/contracts/collaborators.ts';
import type { HubSettings } from '../../server/config/hub-settings.ts';
import { createModelFiles } from '../../server/plugins/hub/model-files.ts';
import { quietLog } from '../../server/testing/collaborators.ts';
import { startLoopback } from './loopback.ts';
import { until } from './until.ts';

/** A server on loopback that records the path, the token and the headers of each request. */
export async function startHubServer(
  t: Test,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const asked: { url: string | undefined; token: string | undefined }[] = [];
  const headers: IncomingHttpHeaders[] = [];
  const origin = await startLoopback(t, (request, response) => {
    headers.push(request.headers);
    asked.push({ url: request.url, token: request.headers.authorization });
    answer(request, response);
  });
  return { asked, headers, origin };
}

/** Settings with empty folders and with a hub that does not answer. */
export function settingsFor(t: Test, fields: Partial<HubSettings> = {}): HubSettings {
  return settingsIn(t.testdir({ cache: {} }), fields);
}

/** Settings with folders in `root` and with a hub that does not answer. */
export function settingsIn(root: string, fields: Partial<HubSettings> = {}): HubSettings {
  return {
    modelsDir: join(root, 'models'),
    hubCacheDir: join(root, 'cache'),
    allowDownloads: true,
    hubEndpoint: 'http://127.0.0.1:1',
    hubToken: '',
    hubRevision: 'main',
    ...fields,
  };
}

/** All paths under a folder; none if there is no such folder. */
export const contents = (folder: string): Promise<string[]> =>
  readdir(folder, { recursive: true }).catch(() => []);

/** A file that does not fit into one write. */
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

/** Announces the whole file, and breaks the connection when its first half is on disk. */
export function breakOff(etag: string | null = ETAG, bytes = HALF): Answer {
  return async (_request, response, target) => {
    if (etag !== null) response.setHeader('etag', etag);
    response.writeHead(200, { 'content-length': CONTENT.length }).write(CONTENT.subarray(0, bytes));
    await untilBegun(target, bytes);
    response.destroy();
  };
}

/** Waits until so many bytes of a file have arrived. @returns where they are */
export const untilBegun = (target: string, bytes: number): Promise<string> =>
  until(async () => {
    const names = await readdir(dirname(target)).catch(() => []);
    const begun = names.filter((name) => name.endsWith('.part')).map((name) => join(dirname(target), name));
    const sizes = await Promise.all(begun.map((path) => stat(path).catch(() => undefined)));
    return begun.find((_, index) => sizes[index]?.size === bytes);
  });

/** Sends the file in pieces, with a pause in milliseconds between them. */
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

/** Sends the first half at once, and the rest after `release`. */
export function holdBack() {
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

export const refuse =
  (status: number, headers = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end();

/** A hub that gives one answer after another and then repeats the last; `ranges` shows what it was asked for. */
export async function startHub(t: Test, answers: Answer[]) {
  let given = 0;
  const own = settingsFor(t);
  const target = join(own.modelsDir, 'owner', 'name', 'onnx', 'model.onnx');
  const server = await startHubServer(t, (request, response) => {
    answers[Math.min(given++, answers.length - 1)]?.(request, response, target);
  });
  const settings = { ...own, hubEndpoint: server.origin };
  const find = (file = BIG, timeout = 5000) =>
    createModelFiles({ settings, log: quietLog, timeout, backoff: 10 }).find('owner/name', file);
  const ranges = () => server.headers.map(({ range }) => range);
  const left = async () =>
    (await contents(settings.modelsDir)).filter((path) => /model\.onnx/.test(path)).sort();
  return { ...server, settings, target, find, ranges, left };
}

export const PARTIAL = ['owner/name/onnx/model.onnx.part', 'owner/name/onnx/model.onnx.part.json'];
export const WHOLE = ['owner/name/onnx/model.onnx'];
