import { type Manifest, NO_OPTIONS } from '../../../core/contracts/manifest.ts';
import type { LeftOut, ReadContext, ReadFile, SourceFile } from '../../../core/contracts/reader.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { PluginHost } from '../../../core/hosting/container.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import { isGuarded, type PluginEntry, type Registry } from '../../../core/hosting/registry.ts';
import { unlessAborted } from '../abort.ts';
import type { DocumentsTask } from '../tasks.ts';
import { createValidator, type Validate } from '../validation/validator.ts';

type Described = Pick<SourceFile, 'name' | 'mediaType'>;

interface ReaderChoice {
  readonly named?: string | undefined;
  readonly task: DocumentsTask;
  readonly registry: Registry;
}

/**
 * Finds the reader of a file: the reader that the request names, otherwise the first usable match. Matches are by
 * file extension, by media type, by general type such as `image/*`, or for any file, in this order. Among equal
 * matches, readers that call a service come first, and readers of any file last. If the chunker itself accepts
 * the format, only readers of any file are considered, because they leave the format unchanged.
 *
 * @throws ServiceError `unknown_plugin`, `missing_capability` if only unusable readers match, `unread_format`
 */
export function readerOf(file: Described, { named, task, registry }: ReaderChoice): PluginEntry {
  if (named !== undefined) return registry.require('reader', named);
  const readers = registry.ofKind('reader');
  const candidates = isForChunker(file, task, registry) ? readers.filter(readsAny) : inOrder(readers);
  for (const claims of CLAIMS) {
    const claiming = candidates.filter(({ manifest }) => claims(manifest.formats ?? {}, file));
    if (claiming.length === 0) continue;
    const ready = claiming.find(({ missing }) => missing.length === 0);
    if (ready !== undefined) return ready;
    throw noneReady(claiming, file);
  }
  throw unreadFormat(file, registry);
}

/**
 * The error for a file that no reader accepts, with the formats that this server reads.
 *
 * @param reason why the reader of any file rejected this file, as a sentence
 */
export function unreadFormat(file: Described, registry: Registry, reason?: string): ServiceError {
  const { name, mediaType } = file;
  const isUnknown = name === undefined && mediaType === undefined;
  const ready = registry.ofKind('reader').filter(({ missing }) => missing.length === 0);
  const formats = ready.flatMap((reader) => {
    const { extensions = [], mediaTypes = [] } = reader.manifest.formats ?? {};
    if (readsAny(reader)) return ['any text'];
    return extensions.length > 0 ? extensions : mediaTypes;
  });
  return new ServiceError('unread_format', {
    file: inWords(file),
    reason: reason === undefined ? '' : `: ${reason.replace(/\.$/, '')}`,
    known: [...new Set(formats)].sort().join(', ') || 'no files: no reader can run here',
    remedy: isUnknown ? ' Send its name (filename) or its media type.' : '',
  });
}

/** Whether this reader of any file is used only because no other reader matches. */
export function isLastResort(reader: PluginEntry, file: Described): boolean {
  const { formats = {} } = reader.manifest;
  return readsAny(reader) && !claimsName(formats, file) && !claimsKind(formats, file);
}

function claimsKind({ mediaTypes = [] }: Formats, { mediaType }: Described): boolean {
  if (mediaType === undefined) return false;
  return mediaTypes.includes(mediaType) || mediaTypes.includes(mediaType.replace(/\/.*/, '/*'));
}

/** `"job.json" (application/json)`, or only the part that is known. */
function inWords({ name, mediaType }: Described): string {
  const type = mediaType?.slice(0, MAX_SHOWN);
  if (name === undefined) return type === undefined ? 'this file' : `a file of type ${type}`;
  return JSON.stringify(name.slice(0, MAX_SHOWN)) + (type === undefined ? '' : ` (${type})`);
}

const MAX_SHOWN = 100;

/**
 * The reader for a text file in a special format, such as subtitles. Undefined if the chunker accepts the format.
 * Other text needs no reader: a reader of any text would change nothing, and a service would only cost time.
 */
export function textReaderOf(name: string, { task, registry }: ReaderChoice): PluginEntry | undefined {
  const file = { name, mediaType: undefined };
  if (isForChunker(file, task, registry)) return undefined;
  const local = registry.ofKind('reader').filter((reader) => !readsAny(reader) && !isService(reader));
  return local.find(
    ({ manifest, missing }) => missing.length === 0 && claimsName(manifest.formats ?? {}, file),
  );
}

function inOrder(readers: readonly PluginEntry[]): readonly PluginEntry[] {
  const rank = (reader: PluginEntry) => (isService(reader) ? 0 : readsAny(reader) ? 2 : 1);
  return readers.toSorted((a, b) => rank(a) - rank(b));
}

function isService({ manifest: { needs } }: PluginEntry): boolean {
  return needs?.env !== undefined;
}

function readsAny({ manifest: { formats } }: PluginEntry): boolean {
  return formats?.mediaTypes?.includes('*/*') === true;
}

function isForChunker(file: Described, task: DocumentsTask, registry: Registry): boolean {
  const name = task.run === 'chunk' ? task.name : task.steps.find(({ type }) => type === 'chunk')?.chunker;
  const formats = registry.find('chunker', name ?? '')?.manifest.formats ?? {};
  return claimsName(formats, file) || claimsType(formats, file);
}

/** The error if no matching reader is usable. Its `needs` names the variables to set or the readers to complete. */
function noneReady(readers: readonly PluginEntry[], file: Described): ServiceError {
  const names = readers.map(({ manifest }) => manifest.name);
  const reasons = readers.map(({ missing }) => missing.join('; ')).join('; or ');
  const needs = readers.flatMap(({ manifest, missing }) => {
    const unset = (manifest.needs?.env ?? []).filter((name) => missing.some((one) => one.includes(name)));
    return unset.length > 0 ? unset.join(' and ') : `the reader ${manifest.name}`;
  });
  const forWhat = `${reasons}; needed for ${inWords(file)}${otherFormats(file)}`;
  const values = { kind: 'reader', name: names.join('" or "'), reasons: forWhat, needs: needs.join(' or ') };
  return new ServiceError('missing_capability', values);
}

/** Formats of old Office files, with those to save them in, which are read here. */
const OLD_FORMATS: readonly (readonly [extensions: RegExp, mediaTypes: RegExp, save: string])[] = [
  [/\.(?:doc|dot)$/i, /^application\/msword$/, '.docx or PDF'],
  [/\.(?:xls|xlt|xlsb)$/i, /^application\/vnd\.ms-excel(?:\.sheet\.binary.*)?$/, '.xlsx or .csv'],
  [/\.(?:ppt|pps|pot)$/i, /^application\/vnd\.ms-powerpoint$/, '.pptx or PDF'],
];

/** `; or save the file as .docx or PDF, ...` for an old Office file; otherwise empty. */
function otherFormats({ name = '', mediaType = '' }: Described): string {
  const found =
    OLD_FORMATS.find(([extensions]) => extensions.test(name)) ??
    OLD_FORMATS.find(([, mediaTypes]) => mediaTypes.test(mediaType));
  return found === undefined ? '' : `; or save the file as ${found[2]}, which needs neither`;
}

type Formats = NonNullable<Manifest['formats']>;

export function claimsName({ extensions = [] }: Formats, { name = '' }: Pick<Described, 'name'>): boolean {
  return extensions.some(
    (extension) => name.length > extension.length && name.toLowerCase().endsWith(extension),
  );
}

function claimsType({ mediaTypes = [] }: Formats, { mediaType = '' }: Described): boolean {
  return mediaTypes.includes(mediaType);
}

const CLAIMS: readonly ((formats: Formats, file: Described) => boolean)[] = [
  claimsName,
  claimsType,
  ({ mediaTypes = [] }, { mediaType = '' }) => mediaTypes.includes(mediaType.replace(/\/.*/, '/*')),
  ({ mediaTypes = [] }) => mediaTypes.includes('*/*'),
];

const checks = new WeakMap<Manifest, Validate>();

/**
 * The options of a reader, with defaults.
 *
 * @param json an object with the request's options for the reader; default none
 * @throws ServiceError `invalid_parameters`
 */
export function readerOptions({ manifest }: PluginEntry, json = '{}'): Readonly<Record<string, unknown>> {
  const { options = NO_OPTIONS } = manifest;
  const check = checks.get(manifest) ?? createValidator({ ...options, additionalProperties: false });
  checks.set(manifest, check);
  return check(parsed(json), 'reader_options.');
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw invalid('reader_options: expected an object as JSON, such as {"content": "main"}');
  }
}

/** Identifies the sender of files; equal values mean the same sender. */
export type Sender = string | object;

export interface GuardedContext extends ReadContext {
  /** The sender of the file. Senders that wait for a thread take turns. */
  readonly sender?: Sender | undefined;
}

/** Reads a file with a reader. @throws ServiceError; the signal's reason once it aborts */
export function readWith(
  host: PluginHost,
  reader: PluginEntry,
  file: SourceFile,
  { sender, ...context }: GuardedContext,
): Promise<ReadFile> {
  const given: GuardedContext = { ...context, sender };
  return callPlugin(reader, async () => {
    const plugin = await unlessAborted(host.get('reader', reader.manifest.name), context.signal);
    const read: unknown = await plugin.read(file, isGuarded(reader) ? given : context);
    if (hasText(read)) return read;
    throw brokenPromise(reader.manifest, 'it returned no text');
  });
}

function hasText(read: unknown): read is ReadFile {
  return typeof read === 'object' && read !== null && 'text' in read && typeof read.text === 'string';
}

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** The counts of what a reader omitted. @throws ServiceError `broken_promise` if they are invalid */
export function leftOutOf(manifest: Pick<Manifest, 'kind' | 'name'>, { leftOut }: ReadFile): LeftOut {
  for (const [name, count] of Object.entries(leftOut ?? {})) {
    if (!NAME.test(name)) throw brokenPromise(manifest, `leftOut has a name not in snake_case: ${name}`);
    if (!Number.isSafeInteger(count) || count < 1)
      throw brokenPromise(manifest, `leftOut has a count that is not a positive integer: ${name}`);
  }
  return leftOut ?? {};
}

export function addLeftOut(one: LeftOut, other: LeftOut): LeftOut {
  const sums = new Map(Object.entries(one));
  for (const [name, count] of Object.entries(other)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** The counts as text: `note 2; repeated_line 12`. Empty if nothing was omitted. */
export function leftOutInWords(leftOut: LeftOut): string {
  const sorted = Object.entries(leftOut).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join('; ');
}
