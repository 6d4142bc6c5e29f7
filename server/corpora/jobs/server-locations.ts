import { realpath } from 'node:fs/promises';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { JobStore } from '../../store/jobs/contract.ts';
import { OUTPUT } from '../shard.ts';
import { isInside } from '../storage/local/paths.ts';
import type { CorporaSettings } from '../storage/settings.ts';
import type { SourceStorage, Storage, StoredFile } from '../storage/storage.ts';
import type { JobLocations, JobSpec, TargetLocation } from './spec.ts';

/**
 * Opens the locations of jobs: inside the server's root folder, or in the bucket of a connection. Code for
 * storages is loaded at the first use.
 */
export function createServerLocations(
  settings: CorporaSettings,
  store: Pick<JobStore, 'upload'>,
): JobLocations {
  let opening: Promise<Storages> | undefined;
  const open = async (path: string) => {
    opening ??= openStorages(settings);
    return openStorage(path, await opening);
  };
  return {
    async source({ source: { path }, target }, { jobId }) {
      if (path === undefined)
        return { storage: uploadStorage(await uploaded(store, jobId)), from: { path: NAME } };
      const { storage, name } = await open(path);
      const written = await open(target.path);
      const own = written.storage === storage && written.name !== '' ? [written.name] : [];
      return { storage: withoutFolders(storage, [OUTPUT, ...own]), from: { path: name } };
    },
    async target({ target }) {
      const { storage, name } = await open(target.path);
      return { storage, folder: name, format: target.format };
    },
  };
}

const ROOT_LABEL = 'the folder of jobs (--bulk-root)';

interface Storages {
  /** The storage of the root folder; undefined if jobs may use no local files. */
  readonly root?: Storage | undefined;
  /** Absolute paths of the root folder: as configured, and with links resolved. */
  readonly rootPaths?: readonly string[];
  readonly connections: ReadonlyMap<string, Storage>;
}

/** Opens the storages. A bucket is contacted only when it is used. */
export async function openStorages({ root, connections }: CorporaSettings): Promise<Storages> {
  const buckets = new Map<string, Storage>();
  if (connections.size > 0) {
    const { createBucket } = await import('../storage/s3/bucket.ts');
    for (const [name, connection] of connections) buckets.set(name, createBucket(connection));
  }
  if (root === undefined) return { connections: buckets };
  const { createLocalFolder } = await import('../storage/local/folder.ts');
  const rootPaths = [root, await realpath(root).catch(() => root)];
  return { root: createLocalFolder(root, ROOT_LABEL), rootPaths, connections: buckets };
}

/**
 * Resolves a path: `folder/file` inside the root, or `s3://<connection>/folder/file`. A path inside the root
 * may be absolute, or have empty parts and single dots. The storage later refuses paths outside.
 *
 * @returns the storage, and `name`: the path within the storage; `''` is the whole storage
 * @throws ServiceError `unknown_connection`; `invalid_parameters` for other schemes, or without a root
 */
export function openStorage(path: string, { root, rootPaths = [], connections }: Storages) {
  const [, scheme, rest = path] = /^([a-z][a-z0-9+.-]*):(.*)$/is.exec(path) ?? [];
  if (scheme === undefined) {
    if (root !== undefined) return { storage: root, name: nameInRoot(path, rootPaths) };
    throw refused(path, `no folder is configured for jobs: ${advice(connections)}`);
  }
  const [, connection, name = ''] = /^\/\/([^/]*)(?:\/(.*))?$/s.exec(rest) ?? [];
  if (scheme.toLowerCase() !== 's3' || connection === undefined) {
    const below = root === undefined ? '' : 'a path inside --bulk-root, or ';
    throw refused(path, `expected ${below}s3://<connection>/<path>`);
  }
  const storage = connections.get(connection);
  if (storage !== undefined) return { storage, name: withoutSlash(name) };
  throw new ServiceError('unknown_connection', { name: connection, known: knownOf(connections) });
}

function nameInRoot(path: string, rootPaths: readonly string[]): string {
  const plain = path
    .split('/')
    .filter((part) => part !== '' && part !== '.')
    .join('/');
  if (!path.startsWith('/')) return plain;
  const root = rootPaths.find((one) => isInside(one, `/${plain}`));
  return root === undefined ? `/${plain}` : `/${plain}`.slice(root.length).replace(/^\//, '');
}

const withoutSlash = (path: string): string => path.replace(/(?<=[^/])\/$/, '');

const refused = (path: string, problem: string): ServiceError => invalid(`${path.slice(0, 200)}: ${problem}`);

function advice(connections: Storages['connections']): string {
  const start = 'start the server with --bulk-root <folder>';
  return connections.size === 0 ? start : `${start}, or use s3://<connection>/<path>`;
}

const knownOf = (connections: Storages['connections']): string =>
  [...connections.keys()].join(', ') || 'none: start the server with --bulk-connections <file>';

async function uploaded(store: Pick<JobStore, 'upload'>, jobId: string): Promise<string> {
  const lines = await store.upload(jobId);
  if (lines === null) throw new ServiceError('job_not_found', { id: jobId });
  return lines;
}

function withoutFolders(storage: SourceStorage, folders: readonly string[]): SourceStorage {
  const isIn = (name: string) => folders.some((folder) => name === folder || name.startsWith(`${folder}/`));
  return {
    ...storage,
    async *list(folder) {
      // A list of a left-out folder itself is deliberate, so nothing is left out.
      const isMeant = isIn(folder);
      for await (const file of storage.list(folder)) if (isMeant || !isIn(file.name)) yield file;
    },
  };
}

const NAME = 'source.documents';
const PIECE = 1_048_576;

function uploadStorage(lines: string): SourceStorage {
  const bytes = Buffer.from(lines);
  const file: StoredFile = { name: NAME, size: bytes.length, version: String(bytes.length) };
  return {
    label: 'the documents in the request',
    async *list(folder) {
      if (folder === '' || folder === NAME) yield file;
    },
    find: async (name) => (name === NAME ? file : undefined),
    async *read(_file, { from, to } = { from: 0, to: bytes.length }) {
      for (let at = from; at < to; at += PIECE) yield bytes.subarray(at, Math.min(at + PIECE, to));
    },
  };
}

/**
 * Makes the quick checks of a job's locations before the job is created.
 *
 * @throws ServiceError `path_outside`, `target_taken`, `unknown_connection`, `invalid_parameters`,
 * `source_unreadable`, `storage_failed`
 */
export async function checkLocations(spec: JobSpec, locations: JobLocations): Promise<void> {
  const { path } = spec.source;
  const target = await locations.target(spec);
  if (path !== undefined) {
    const { storage, from } = await locations.source(spec, { jobId: '' });
    if ('path' in from && !(await isThere(storage, from.path))) {
      throw new ServiceError('source_unreadable', {
        source: path,
        reason: 'no file has this name, or is in a folder of this name',
      });
    }
    if ('path' in from && storage.label === target.storage.label) refuseSourceInTarget(from.path, target);
  }
  // Called only for its error if the name is outside the storage.
  await target.storage.find(target.folder === '' ? 'manifest.json' : target.folder);
}

/** Refuses a target that is or contains the source: the job would read its output and remove its input. */
function refuseSourceInTarget(path: string, { storage, folder }: TargetLocation): void {
  if (folder !== '' && path !== folder && !path.startsWith(`${folder}/`)) return;
  const reason = 'it is the source, or contains it';
  throw new ServiceError('target_taken', { target: folder === '' ? storage.label : folder, reason });
}

async function isThere(storage: SourceStorage, path: string): Promise<boolean> {
  if (path !== '' && (await storage.find(path)) !== undefined) return true;
  for await (const _ of storage.list(path)) return true;
  return false;
}
