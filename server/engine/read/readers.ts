import { type Manifest, NO_OPTIONS } from '../../../core/contracts/manifest.ts';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import { createValidator, type Validate } from '../validation/validator.ts';

type Described = Pick<SourceFile, 'name' | 'mediaType'>;

/**
 * The reader of a file: the one that the request names, else the first that can run among those that match its file
 * extension, its media type, all of that type, or any file, in this order.
 *
 * @throws ServiceError `unknown_plugin`, `missing_capability` if only readers that cannot run match it,
 *   `unread_format`
 */
export function readerOf(file: Described, named: string | undefined, registry: Registry): PluginEntry {
  if (named !== undefined) return registry.require('reader', named);
  const readers = registry.ofKind('reader');
  for (const claims of CLAIMS) {
    const claiming = readers.filter(({ manifest }) => claims(manifest.formats ?? {}, file));
    if (claiming.length === 0) continue;
    const ready = claiming.find(({ missing }) => missing.length === 0);
    if (ready !== undefined) return ready;
    throw noneReady(claiming);
  }
  throw new ServiceError('unread_format', {
    file: file.mediaType ?? 'of this kind',
    known: readers.map(({ manifest }) => manifest.name).join(', ') || 'none',
  });
}

/** `needs` names, briefly, the variables to set or the readers to complete. */
function noneReady(readers: readonly PluginEntry[]): ServiceError {
  const names = readers.map(({ manifest }) => manifest.name);
  const reasons = readers.map(({ missing }) => missing.join('; ')).join('; or ');
  const needs = readers.flatMap(({ manifest, missing }) => {
    const unset = (manifest.needs?.env ?? []).filter((name) => missing.some((one) => one.includes(name)));
    return unset.length > 0 ? unset.join(' and ') : `the reader ${manifest.name}`;
  });
  const values = { kind: 'reader', name: names.join('" or "'), reasons, needs: needs.join(' or ') };
  return new ServiceError('missing_capability', values);
}

type Formats = NonNullable<Manifest['formats']>;

/** Whether a reader's manifest names the extension of a file. */
export function claimsName({ extensions = [] }: Formats, { name = '' }: Pick<Described, 'name'>): boolean {
  return extensions.some(
    (extension) => name.length > extension.length && name.toLowerCase().endsWith(extension),
  );
}

/** Whether the formats of a reader match a file, the most specific first. */
const CLAIMS: readonly ((formats: Formats, file: Described) => boolean)[] = [
  claimsName,
  ({ mediaTypes = [] }, { mediaType = '' }) => mediaTypes.includes(mediaType),
  ({ mediaTypes = [] }, { mediaType = '' }) => mediaTypes.includes(mediaType.replace(/\/.*/, '/*')),
  ({ mediaTypes = [] }) => mediaTypes.includes('*/*'),
];

const checks = new WeakMap<Manifest, Validate>();

/**
 * The options of a reader, with defaults.
 *
 * @param json of an object, if the request has options for the reader
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
