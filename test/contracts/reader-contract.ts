import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { Manifest } from '../../core/contracts/manifest.ts';
import type { ReadFile, SourceFile } from '../../core/contracts/reader.ts';
import { splitsCodePoint } from '../../core/engine/text.ts';
import { anyFile } from './files.ts';
import { Ledger, type Suite } from './promises.ts';
import type { Workbench } from './workbench.ts';

/**
 * Files of the formats that the manifest names: texts in several encodings, whole, damaged and empty, and any bytes. A
 * reader may refuse each of them, as a mistake of the caller.
 */
export const checkReader: Suite = async (bench, { manifest }, { runs = 300, exemptions } = {}) => {
  const { extensions = [], mediaTypes = [] } = manifest.formats ?? {};
  const formats = new Ledger(exemptions);
  formats.expect(extensions.length + mediaTypes.length > 0, 'its manifest names what files it reads');
  formats.close();
  let refused = 0;
  const holds = fc.asyncProperty(anyFile({ extensions, mediaTypes }), async (file) => {
    const ledger = new Ledger(exemptions);
    if (!(await checkCase(bench, manifest, file, ledger))) refused++;
    ledger.close();
  });
  await fc.assert(holds, { numRuns: runs });
  return `${runs} files, ${refused} refused`;
};

/** What becomes of a file: what is read, or why it is not. */
type Outcome = { readonly read: ReadFile } | { readonly error: unknown };

/** Returns whether the file was read. */
async function checkCase(
  bench: Workbench,
  manifest: Manifest,
  file: SourceFile,
  ledger: Ledger,
): Promise<boolean> {
  const { signal } = new AbortController();
  const before = file.bytes.slice();
  const [outcome, other] = await Promise.all([1, 2].map(() => outcomeOf(bench.read(manifest, file, signal))));
  if (outcome === undefined || other === undefined) throw new Error('nothing was read');
  ledger.expect(isDeepStrictEqual(file.bytes, before), 'the bytes that it is given stay as they are');
  ledger.expect(isDeepStrictEqual(facts(outcome), facts(other)), 'the same file is read in the same way');
  ledger.expect(await hearsAbort(bench, manifest, file), 'it ends when nobody waits for the text any more');
  if ('error' in outcome) {
    ledger.expect(
      isRefusal(outcome.error),
      'what it cannot read is an exposed error with statusCode 400, and its reason',
    );
    return false;
  }
  checkText(outcome.read, ledger);
  checkFacts(outcome.read, ledger);
  return true;
}

function checkText({ text, pages = [0] }: ReadFile, ledger: Ledger): void {
  const isText = typeof text === 'string';
  ledger.expect(isText && text.isWellFormed(), 'the text is a string without halves of surrogate pairs');
  ledger.expect(pages[0] === 0, 'the first page begins at 0');
  ledger.expect(
    pages.every((start, index) => Number.isInteger(start) && start >= (pages[index - 1] ?? 0)),
    'the beginnings of pages do not fall',
  );
  ledger.expect(
    pages.every((start) => isText && start <= text.length && !splitsCodePoint(text, start)),
    'pages begin in the text, between characters',
  );
}

const MEDIA_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/;

function checkFacts({ mediaType, encoding, title, metadata = {} }: ReadFile, ledger: Ledger): void {
  ledger.expect(
    mediaType === undefined || MEDIA_TYPE.test(mediaType),
    'the media type is in lower case and has no parameters',
  );
  ledger.expect(
    encoding === undefined || nameOfEncoding(encoding) === encoding,
    'the encoding has its name of the WHATWG standard',
  );
  ledger.expect(title === undefined || typeof title === 'string', 'the title is a string');
  const isObject = typeof metadata === 'object' && metadata !== null && !Array.isArray(metadata);
  ledger.expect(
    isObject && isDeepStrictEqual(asJson(metadata), metadata),
    'the metadata is an object of JSON',
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

async function outcomeOf(reading: Promise<ReadFile>): Promise<Outcome> {
  try {
    return { read: await reading };
  } catch (error) {
    return { error };
  }
}

/** What can be compared of an outcome. */
function facts(outcome: Outcome): unknown {
  return 'read' in outcome ? outcome.read : String(outcome.error);
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || error.message === '') return false;
  const { expose, statusCode } = error as { readonly expose?: unknown; readonly statusCode?: unknown };
  return expose === true && statusCode === 400;
}

async function hearsAbort(bench: Workbench, manifest: Manifest, file: SourceFile): Promise<boolean> {
  const reason = new Error('nobody waits');
  const outcome = await outcomeOf(bench.read(manifest, file, AbortSignal.abort(reason)));
  return 'error' in outcome && outcome.error === reason;
}
