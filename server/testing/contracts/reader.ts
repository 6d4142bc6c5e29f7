import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { ReadFile, SourceFile, SourcePlace } from '../../../core/contracts/reader.ts';
import { ServiceError } from '../../../core/errors.ts';
import type { PluginEntry } from '../../../core/hosting/registry.ts';
import { placeSchema, problemOfPlaces } from '../../engine/read/places.ts';
import { OverLimitError } from '../../engine/run/guarded-thread.ts';
import { checkSchema } from '../../engine/validation/validator.ts';
import { BrokenContract, shown } from '../broken-contract.ts';
import { anyText } from '../cases/texts.ts';
import type { Harness } from '../harness.ts';
import { COMMON, type PromiseOf, type Promises, type Suite } from '../promises.ts';
import { endsOnAbort, expectOnce, holdFor, type Ledger, thrownIn } from '../report.ts';

const PROMISES = {
  answers: COMMON.answers,
  formats: {
    'its manifest names the files that it reads':
      'Set formats.extensions or formats.mediaTypes in the manifest.',
  },
  refusals: {
    'an unreadable file gives an exposed error with statusCode 400 and a reason':
      'Throw refusedError(reason) for a file that cannot be read.',
    'a guarded reader stays within the limits of its thread, and does not end it':
      'Look for an endless loop, a promise that never settles, a list that grows without end, process.exit, or an error that a timer throws.',
  },
  bytes: { 'the given bytes are not changed': 'Work on a copy: bytes.slice().' },
  text: {
    'it returns an object with a text': 'Return { text }, or a promise of it.',
    'the text is a string without lone surrogates':
      'Decode with a decoder that refuses invalid bytes: new TextDecoder(name, { fatal: true }).',
    'U+FFFD is in the text only if the file has it':
      'Refuse invalid bytes: new TextDecoder(name, { fatal: true }) throws instead of inserting U+FFFD.',
  },
  places: {
    'places rise, and begin and end between characters of the text':
      'Return places in the order of the text, with start and end in UTF-16 units of the returned text.',
    'the members of places have their types':
      'Pages, cells and images count from 1, boxes are fractions from 0 to 1, times are seconds.',
  },
  'response metadata': {
    'the media type is in lower case and has no parameters': 'Return a mediaType such as text/markdown.',
    'the encoding has its name from the WHATWG standard': 'Return new TextDecoder(label).encoding.',
    'the title is a string': 'Return a string as title, or no title.',
    'the metadata is a JSON object':
      'Return a plain object that JSON can represent: no undefined, Date or NaN.',
  },
  determinism: {
    'the same file is read in the same way': 'Let the text depend only on the file.',
  },
  signal: COMMON.signal,
} as const satisfies Promises;

type ReaderLedger = Ledger<PromiseOf<typeof PROMISES>>;

/**
 * Checks a reader with files of the formats in the manifest: texts in several encodings, intact, damaged and
 * empty, and arbitrary bytes. The reader may refuse any file as a mistake of the caller.
 */
export const readerSuite: Suite = {
  promises: PROMISES,
  async run(harness, plugin, { runs = 300, ...options } = {}) {
    const { extensions = [], mediaTypes = [] } = plugin.manifest.formats ?? {};
    const isNamed = extensions.length + mediaTypes.length > 0;
    await expectOnce(plugin, options.exemptions, async (ledger: ReaderLedger) =>
      ledger.expect(isNamed, 'its manifest names the files that it reads'),
    );
    const formats = isNamed ? { extensions, mediaTypes } : { extensions, mediaTypes: ['*/*'] };
    let refused = 0;
    let isStopped = false;
    const check = async (file: SourceFile, ledger: ReaderLedger) => {
      // After a file has stopped the thread, no more files are tried: each of them could take as long.
      if (isStopped) return;
      const outcome = await checkCase(harness, plugin, file, ledger);
      if (outcome === 'refused') refused++;
      isStopped = outcome === 'stopped';
    };
    await holdFor(plugin, anyFile(formats), check, { runs, ...options });
    return `${runs} files, ${refused} refused`;
  },
};

/** Checks the promises with one file. Returns `stopped` if the reader's thread ended. */
async function checkCase(
  harness: Harness,
  { manifest, file: path }: PluginEntry,
  file: SourceFile,
  ledger: ReaderLedger,
): Promise<'read' | 'refused' | 'stopped'> {
  const { signal } = new AbortController();
  const before = file.bytes.slice();
  const [outcome, other] = await Promise.allSettled([
    harness.read(manifest, file, signal),
    harness.read(manifest, file, signal),
  ]);
  for (const { reason } of [outcome, other].filter((one) => one.status === 'rejected')) {
    if (reason instanceof BrokenContract) throw reason;
    if (manifest.guarded && isOfLostThread(reason)) {
      const promise = 'a guarded reader stays within the limits of its thread, and does not end it';
      ledger.stop(promise, thrownIn(reason, dirname(path)));
      return 'stopped';
    }
  }
  ledger.expect(isDeepStrictEqual(file.bytes, before), 'the given bytes are not changed');
  ledger.expect(
    isDeepStrictEqual(comparable(outcome), comparable(other)),
    'the same file is read in the same way',
    `${shown(comparable(outcome), 200)}, and then ${shown(comparable(other), 200)}`,
  );
  const ends = await endsOnAbort((aborted) => harness.read(manifest, file, aborted));
  ledger.expect(ends, 'it ends when the signal aborts');
  if (outcome.status === 'rejected') {
    ledger.expect(
      isRefusal(outcome.reason),
      'an unreadable file gives an exposed error with statusCode 400 and a reason',
      thrownIn(outcome.reason, dirname(path)),
    );
    return 'refused';
  }
  const isObject = typeof outcome.value === 'object' && outcome.value !== null;
  ledger.expect(isObject, 'it returns an object with a text', shown(outcome.value, 200));
  if (!isObject) return 'read';
  checkText(outcome.value, ledger);
  ledger.expect(
    !String(outcome.value.text).includes(REPLACEMENT) || mayHold(file),
    'U+FFFD is in the text only if the file has it',
    shown(outcome.value.text, 200),
  );
  checkFacts(outcome.value, ledger);
  return 'read';
}

const REPLACEMENT = '\ufffd';
/** Ways to write U+FFFD in a file: the bytes of UTF-8 and UTF-16, and the digits of escapes. */
const WRITTEN = ['\u00ef\u00bf\u00bd', '\u00fd\u00ff', '\u00ff\u00fd', 'fffd', '65533'];

function mayHold({ bytes }: SourceFile): boolean {
  const text = Buffer.from(bytes).toString('latin1').toLowerCase();
  return WRITTEN.some((written) => text.includes(written));
}

function checkText({ text, places = [] }: ReadFile, ledger: ReaderLedger): void {
  const isText = typeof text === 'string';
  ledger.expect(
    isText && text.isWellFormed(),
    'the text is a string without lone surrogates',
    shown(text, 200),
  );
  ledger.expectNone(
    isText ? problemOfPlaces(places, text) : undefined,
    'places rise, and begin and end between characters of the text',
  );
  const shownAt = (place: SourcePlace, index: number) => `places[${index}] is ${shown(place, 200)}`;
  ledger.expectEach(places, isPlace, shownAt, 'the members of places have their types');
}

const isPlace = (place: SourcePlace): boolean => checkSchema(placeSchema)({ ...place });

const MEDIA_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/;

function checkFacts({ mediaType, encoding, title, metadata = {} }: ReadFile, ledger: ReaderLedger): void {
  ledger.expect(
    mediaType === undefined || MEDIA_TYPE.test(mediaType),
    'the media type is in lower case and has no parameters',
    mediaType,
  );
  ledger.expect(
    encoding === undefined || nameOfEncoding(encoding) === encoding,
    'the encoding has its name from the WHATWG standard',
    `${encoding} should be ${nameOfEncoding(encoding ?? '')}`,
  );
  ledger.expect(title === undefined || typeof title === 'string', 'the title is a string', shown(title, 200));
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  ledger.expect(
    isObject && isDeepStrictEqual(asJson(metadata), metadata),
    'the metadata is a JSON object',
    shown(metadata, 200),
  );
}

function asJson(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

function nameOfEncoding(label: string): string | undefined {
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}

function comparable(outcome: PromiseSettledResult<ReadFile>): unknown {
  return outcome.status === 'fulfilled' ? outcome.value : String(outcome.reason);
}

/** Whether a guarded reader's thread has ended. The reader's own errors arrive as a ServiceError. */
function isOfLostThread(error: unknown): boolean {
  return !(error instanceof ServiceError);
}

/** Whether the limits ended the thread of a guarded reader. */
function isOverLimit(error: unknown): boolean {
  return error instanceof Error && (error instanceof OverLimitError || isOverLimit(error.cause));
}

/** Whether a reader refused a file, and not because of a limit. Guarded readers refuse with a ServiceError. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || error.message === '' || isOverLimit(error)) return false;
  if (error instanceof ServiceError) return error.code === 'invalid_parameters';
  const { expose, statusCode } = error as { readonly expose?: unknown; readonly statusCode?: unknown };
  return expose === true && statusCode === 400;
}

/**
 * Generates files for readers: texts in several encodings, intact and damaged; beginnings of other formats;
 * arbitrary bytes.
 */

const BEGINNINGS = [
  '%PDF-1.7\n',
  'PK\u0003\u0004',
  '\u0089PNG\r\n\u001a\n',
  '\u00ff\u00d8\u00ff',
  '{\\rtf1\\ansi ',
];
const CHARSETS = ['utf-8', 'UTF-16LE', 'windows-1252', 'iso-8859-15', 'shift_jis', 'no-such-charset', ''];

const encoded = fc
  .tuple(anyText, fc.constantFrom<BufferEncoding>('utf8', 'utf8', 'utf16le', 'latin1'), fc.boolean())
  .map(([text, encoding, hasMark]) => Buffer.from(hasMark ? `\ufeff${text}` : text, encoding));

const formatted = fc
  .tuple(fc.constantFrom(...BEGINNINGS), fc.uint8Array({ maxLength: 200 }))
  .map(([beginning, rest]) => Buffer.concat([Buffer.from(beginning, 'latin1'), rest]));

const damaged = fc
  .tuple(fc.oneof(encoded, formatted), fc.nat(), fc.nat(30), fc.uint8Array({ maxLength: 3 }))
  .map(([bytes, at, length, other]) => {
    const start = at % (bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, start), other, bytes.subarray(start + length)]);
  });

const anyBytes = fc.oneof(
  { weight: 6, arbitrary: encoded },
  { weight: 3, arbitrary: damaged },
  { weight: 1, arbitrary: formatted },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constant(new Uint8Array()) },
);

function anyFile(formats: {
  readonly extensions: readonly string[];
  readonly mediaTypes: readonly string[];
}): fc.Arbitrary<SourceFile> {
  const named = formats.extensions.map((extension) => ({ name: `file${extension}`, mediaType: undefined }));
  const typed = formats.mediaTypes.map((type) => ({ name: undefined, mediaType: exampleOf(type) }));
  const sent = fc.constantFrom(...named, ...typed);
  const charset = fc.option(fc.constantFrom(...CHARSETS), { nil: undefined, freq: 4 });
  return fc
    .tuple(anyBytes, sent, charset)
    .map(([bytes, one, charset]) => ({ bytes: Uint8Array.from(bytes), charset, ...one }));
}

const exampleOf = (type: string): string =>
  type.replace('*/*', 'application/octet-stream').replace('*', 'plain');
