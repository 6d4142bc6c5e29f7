import { basename } from 'node:path';
import type { OffsetUnit } from '../../core/contracts/chunk.ts';
import type { SourcePlace } from '../../core/contracts/reader.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PluginHost } from '../../core/hosting/container.ts';
import type { PluginEntry, Registry } from '../../core/hosting/registry.ts';
import { offsetsIn } from '../engine/answer/offsets.ts';
import {
  claimsName,
  leftOutOf,
  readerOf,
  readerOptions,
  readWith,
  textReaderOf,
} from '../engine/read/readers.ts';
import type { Decode } from './formats/reading.ts';
import { type JobSpec, unitOf } from './jobs/spec.ts';
import type { SkipNote } from './skip-note.ts';

/** The plugins, some of which read files. */
export interface Readers {
  readonly registry: Registry;
  readonly host: PluginHost;
}

/**
 * Has the service's readers read files that are not UTF-8, or text in a format of its own. A file is skipped if the
 * readers for it cannot run here, or if no reader matches its name and it is not text.
 *
 * @param spec what is done with the texts
 */
export function decodeWith({ registry, host }: Readers, spec: JobSpec, signal: AbortSignal): Decode {
  const choice = { task: spec.task, registry };
  const unit = unitOf(spec);
  // Each shard is one, so that none takes all turns.
  const sender = {};
  return async ({ bytes, name, isText }) => {
    const file = { bytes, name: basename(name), mediaType: undefined, charset: undefined };
    let reader: PluginEntry | undefined;
    try {
      reader = isText ? textReaderOf(file.name, choice) : readerOf(file, choice);
      if (reader === undefined) return undefined;
      const { manifest } = reader;
      const options = readerOptions(reader);
      const read = await readWith(host, reader, file, { report() {}, signal, options, sender });
      const { text, places } = read;
      leftOutOf(manifest, read);
      return places === undefined ? read : { ...read, places: placesIn(text, places, unit) };
    } catch (error) {
      const skip = skipOf(error, reader, file.name);
      if (skip === undefined) throw error;
      return skip;
    }
  };
}

/** Places with offsets in a unit. */
function placesIn(text: string, places: readonly SourcePlace[], unit: OffsetUnit): SourcePlace[] {
  const [starts, ends] = (['start', 'end'] as const).map((edge) =>
    offsetsIn(
      text,
      Uint32Array.from(places, (place) => place[edge]),
      unit,
    ),
  ) as [Uint32Array, Uint32Array];
  return places.map((place, index) => ({
    ...place,
    start: starts[index] as number,
    end: ends[index] as number,
  }));
}

/** Why a file is skipped after this error; undefined if it is not. */
function skipOf(error: unknown, reader: PluginEntry | undefined, name: string): SkipNote | undefined {
  if (!(error instanceof ServiceError)) return undefined;
  const { code, detail, values } = error;
  if (reader !== undefined) {
    const isNamed = claimsName(reader.manifest.formats ?? {}, { name });
    if (code !== 'invalid_parameters' || isNamed) return undefined;
    return { skipped: 'binary', detail, brief: 'are binary' };
  }
  if (code === 'unread_format') return { skipped: 'no_reader', detail, brief: 'have no reader' };
  if (code !== 'missing_capability') return undefined;
  return { skipped: 'no_reader', detail, brief: `need ${values.needs}` };
}
