import { createWriteStream } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Log, ModelFile, ModelFiles, Settings } from '../../core/contracts.ts';
import { exposedError } from '../../core/errors.ts';
import { watchSilence } from './silence.ts';

export interface HubCollaborators {
  readonly settings: Settings;
  readonly log: Log;
  /** Folders in which plugins bring models of their own: `<folder>/<name>/<file>`. */
  readonly ownFolders?: readonly string[];
  readonly fetch?: typeof fetch;
  /** How long the hub may be silent during a download, in milliseconds. */
  readonly timeout?: number;
}

const MAX_REDIRECTS = 5;
/** Milliseconds between two reports of progress. */
const PROGRESS_MS = 5000;
const SEGMENT = /^[A-Za-z0-9_][A-Za-z0-9._-]*$/;

/** Whether a name can be one of the hub's: never a path, never a URL. */
export function isHubName(name: string): boolean {
  const segments = name.split('/');
  return (
    name.length <= 200 &&
    segments.length <= 2 &&
    !name.includes('..') &&
    !name.includes('--') &&
    segments.every((segment) => SEGMENT.test(segment))
  );
}

/** Finds the files of models on this machine and, where it may, on the hub. */
export function createModelFiles({
  settings,
  log,
  ownFolders = [],
  fetch = globalThis.fetch,
  timeout = 60_000,
}: HubCollaborators): ModelFiles {
  const { modelsDir, hubCacheDir, allowDownloads, hubEndpoint, hubToken } = settings;
  const folders = [...ownFolders, modelsDir];
  const downloads = new Map<string, Promise<string | undefined>>();

  async function findInFolders(name: string, file: string): Promise<string | undefined> {
    for (const folder of folders) {
      const path = await existing(join(folder, name, file));
      if (path !== undefined) return path;
    }
    return undefined;
  }

  async function findInCache(name: string, file: string): Promise<string | undefined> {
    const folder = join(hubCacheDir, `models--${name.replace('/', '--')}`);
    const revision = await readFile(join(folder, 'refs', 'main'), 'utf8').then(
      (text) => text.trim(),
      () => '',
    );
    if (!/^[0-9A-Za-z]{1,64}$/.test(revision)) return undefined;
    return existing(join(folder, 'snapshots', revision, file));
  }

  /** Downloads the file of a repository once, however many ask for it meanwhile. */
  function download(name: string, file: ModelFile): Promise<string | undefined> {
    const key = `${name}/${file.name}`;
    const started = downloads.get(key) ?? fetchFile(name, file).finally(() => downloads.delete(key));
    downloads.set(key, started);
    return started;
  }

  async function fetchFile(name: string, file: ModelFile): Promise<string | undefined> {
    const url = new URL(`${hubEndpoint.replace(/\/+$/, '')}/${name}/resolve/main/${file.name}`);
    const silence = watchSilence(timeout);
    try {
      const response = await request(url, silence.signal);
      if (response.status === 404) return undefined;
      if (!response.ok || response.body === null) throw new Error(refusal(response.status));
      const target = join(modelsDir, name, file.name);
      let said = performance.now();
      await store(response, target, file, (bytes) => {
        silence.broken();
        if (performance.now() - said < PROGRESS_MS) return;
        said = performance.now();
        log.info({ name, file: file.name, bytes }, 'downloading');
      });
      log.info({ name, file: file.name }, 'downloaded from the hub');
      return target;
    } catch (cause) {
      const reason = silence.signal.aborted
        ? `it was silent for longer than ${timeout / 1000} s`
        : reasonOf(cause);
      throw exposedError(`could not download ${file.name} of "${name}" from the hub: ${reason}`, cause);
    } finally {
      silence.end();
    }
  }

  /** Follows redirects itself, because the token must never reach another origin. */
  async function request(url: URL, signal: AbortSignal): Promise<Response> {
    const home = url.origin;
    let place = url;
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      const headers: Record<string, string> = { 'accept-encoding': 'identity' };
      if (hubToken !== '' && place.origin === home) headers.authorization = `Bearer ${hubToken}`;
      const response = await fetch(place, { headers, redirect: 'manual', signal });
      const location = response.headers.get('location');
      if (response.status < 300 || response.status >= 400 || location === null) return response;
      await response.body?.cancel();
      place = new URL(location, place);
      if (place.protocol !== 'https:' && place.protocol !== url.protocol)
        throw new Error('it redirects to no https address');
    }
    throw new Error('it redirects too often');
  }

  return {
    async find(name, file) {
      if (!isHubName(name)) return undefined;
      const local = (await findInFolders(name, file.name)) ?? (await findInCache(name, file.name));
      return local ?? (allowDownloads ? download(name, file) : undefined);
    },
    async names(file) {
      const names = new Set<string>();
      for (const name of (await Promise.all(folders.map(namesIn))).flat()) {
        if (isHubName(name) && (await findInFolders(name, file))) names.add(name);
      }
      for (const folder of await list(hubCacheDir)) {
        const name = folder.replace(/^models--/, '').replace('--', '/');
        if (folder.startsWith('models--') && isHubName(name) && (await findInCache(name, file)))
          names.add(name);
      }
      return [...names].sort();
    },
  };
}

/** Writes a response beside its place and moves it there when it is whole and in order. */
async function store(
  response: Response,
  target: string,
  file: ModelFile,
  heard: (bytes: number) => void,
): Promise<void> {
  const folder = dirname(target);
  const temporary = `${target}.${crypto.randomUUID()}.part`;
  const created = await mkdir(folder, { recursive: true });
  try {
    const promised = response.headers.get('content-encoding') ? null : response.headers.get('content-length');
    const written = await write(response, temporary, file.maxBytes, heard);
    if (promised !== null && Number(promised) !== written) throw new Error('it is not as long as announced');
    await file.check?.(temporary);
    await rename(temporary, target);
  } catch (cause) {
    await rm(temporary, { force: true });
    if (created) await removeEmpty(folder, created);
    throw cause;
  }
}

async function write(
  response: Response,
  path: string,
  maxBytes: number,
  heard: (bytes: number) => void,
): Promise<number> {
  let written = 0;
  const limit = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      written += chunk.byteLength;
      heard(written);
      done(written > maxBytes ? new Error(`it is larger than ${maxBytes} bytes`) : null, chunk);
    },
  });
  const body = Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]);
  await pipeline(body, limit, createWriteStream(path, { flags: 'wx' }));
  const handle = await open(path, 'r+');
  await handle.sync().finally(() => handle.close());
  return written;
}

/** Removes the folders that were made for a download, where nothing else has come to be in them. */
async function removeEmpty(folder: string, created: string): Promise<void> {
  for (let path = folder; path.length >= created.length; path = dirname(path)) {
    await rmdir(path).catch(() => undefined);
  }
}

async function existing(path: string): Promise<string | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? path : undefined;
}

const list = (folder: string): Promise<string[]> => readdir(folder).catch(() => []);

function refusal(status: number): string {
  if (status === 401 || status === 403) {
    return `it answered ${status}; set HF_TOKEN to a token that may read it, or put the file into the models folder`;
  }
  if (status === 429) return 'it answered 429, too many requests; wait, or set HF_TOKEN';
  return `it answered ${status}; try again later, or put the file into the models folder`;
}

function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause);
  const code = codeOf(cause) ?? codeOf(cause.cause);
  if ('syscall' in cause && 'path' in cause) return `the models folder cannot be written (${code})`;
  if (code === undefined && !(cause instanceof TypeError)) return cause.message;
  return `the connection failed (${code ?? cause.message}); check HF_ENDPOINT and the network`;
}

const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** The names that folders can have in a folder of models: `name` and `owner/name`. */
async function namesIn(models: string): Promise<string[]> {
  const owners = await list(models);
  const nested = await Promise.all(
    owners.map(async (owner) => (await list(join(models, owner))).map((inner) => `${owner}/${inner}`)),
  );
  return [...owners, ...nested.flat()];
}
