import { type Factory, type Report, reasonOf, refusedError, type SourceFile } from '../../../core/kit.ts';
import { decodeUnicode } from '../../toolkit/decode-unicode.ts';
import { encodingOfMark } from '../../toolkit/encoding-of-mark.ts';
import {
  type Decoded,
  decodeByTrial,
  decodeMarkless,
  encodingOf,
  reportInferred,
} from '../../toolkit/encodings/index.ts';
import { createParse, type Page, writeMarkdown } from '../../toolkit/html/index.ts';
import type manifest from './manifest.ts';
import type { HtmlOptions } from './manifest.ts';

const createHtmlReader: Factory<typeof manifest> = async () => {
  const parse = createParse(await import('parse5'), await import('entities/decode'));
  return {
    async read(file, { signal, report, options }) {
      signal.throwIfAborted();
      const { text: source, encoding } = await decodePage(file, report);
      const isXml = file.mediaType === 'application/xhtml+xml' || /\.xht(?:ml)?$/i.test(file.name ?? '');
      const seeksMain = (options as unknown as HtmlOptions).content === 'main';
      const page = await parse(source, { isXml, signal, isSearched: seeksMain });
      const main = seeksMain ? await mainContentOf(page) : undefined;
      if (seeksMain) report('html-content', main === undefined ? 'all' : 'main');
      const shown =
        main === undefined ? page : await parse(main, { isXml: false, signal, isSearched: false });
      const text = writeMarkdown(shown);
      const { title, metadata, leftOut } = page;
      const counts = [...leftOut].sort(([one], [other]) => (one < other ? -1 : 1));
      report('html-left-out', counts.map(([name, count]) => `${name} ${count}`).join('; ') || 'none');
      const hidden = shown.leftOut.get('hidden') ?? 0;
      const plain = isReplaced(source) ? String : withoutReplaced;
      return {
        text: plain(text),
        mediaType: 'text/markdown',
        encoding,
        ...(title !== undefined && { title: plain(title) }),
        metadata,
        // Scripts and comments are not reported, because they are not content.
        ...(hidden > 0 && { leftOut: { hidden_element: hidden } }),
      };
    },
  };
};

export default createHtmlReader;

/** Matches U+FFFD in a source. Without a match, U+FFFD in the output replaces an invalid `&#xD800;`. */
const isReplaced = (source: string): boolean =>
  source.includes('\ufffd') || (source.includes('&#') && /&#0*65533\b|&#x0*fffd\b/i.test(source));
const withoutReplaced = (text: string): string => text.replaceAll('\ufffd', '');

/** Maximum elements of a page whose main content is searched. The search is by far the slowest step. */
const MAX_SEARCHED = 50_000;

/**
 * The HTML of a page's main content, as in Firefox's reader view; `undefined` if no article is found.
 *
 * @throws Error for callers if the page is too large
 */
async function mainContentOf({ root, elements }: Page): Promise<string | undefined> {
  if (elements > MAX_SEARCHED) throw refusal(`it has more than ${MAX_SEARCHED} elements`);
  const [{ serialize }, { parseHTML }, { default: readability }] = await Promise.all([
    import('parse5'),
    import('linkedom'),
    import('@mozilla/readability'),
  ]);
  const { document } = parseHTML(serialize(root, { scriptingEnabled: false }));
  const options = { disableJSONLD: true, keepClasses: true };
  try {
    return new readability.Readability(document, options).parse()?.content ?? undefined;
  } catch (error) {
    throw refusal(reasonOf(error), error);
  }
}

function refusal(reason: string, cause?: unknown): Error {
  const remedy = 'read all of it, without {"content": "main"}';
  return refusedError(`The main content of the page cannot be found: ${reason}; ${remedy}.`, cause);
}

/** Bytes that are searched for a declared encoding: more than the 1024 of the standard, as in browsers. */
const SCANNED = 16 * 1024;
const XML = /^\s*<\?xml\s[^>]*?\bencoding\s*=\s*["']([^"'>]+)["']/;
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const META = /<meta[\s/]([^>]*)/gi;
const CHARSET = /(?:^|[\s/"';])charset\s*=\s*["']?\s*([^\s"'/>;]+)/i;

/** How sure UTF-16 is that NUL bytes show. */
const SURE = 0.95;

/**
 * Decodes a page by its byte order mark, the charset of the request, or its own declaration if that fits. Otherwise
 * the page is UTF-8 if valid, and else in the encoding that its bytes seem to have.
 *
 * @throws Error for callers if the bytes are invalid in the encoding, or not text
 */
async function decodePage({ bytes, charset }: SourceFile, report: Report): Promise<Decoded> {
  const isGiven = charset !== undefined || encodingOfMark(bytes) !== undefined;
  const decoded = isGiven ? decodeUnicode({ bytes, charset }) : await decodeGuessed(bytes, report);
  if (decoded.text.includes('\0'))
    throw refusedError(
      'The page cannot be read: it has NUL characters, as files that are not text have, and UTF-16 that is not named; save it as UTF-8.',
    );
  return decoded;
}

async function decodeGuessed(bytes: Uint8Array, report: Report): Promise<Decoded> {
  const { detectAll } = await import('jschardet');
  const wide = decodeMarkless(bytes);
  const declared = declaredIn(latin1Of(bytes.subarray(0, SCANNED)));
  const labels = declared !== undefined && encodingOf(declared) !== undefined ? [declared] : [];
  const trial =
    wide === undefined
      ? decodeByTrial(bytes, labels, detectAll, withoutTags)
      : { ...wide, inferred: { confidence: SURE } };
  // Every byte is valid in windows-1252, as browsers decode it.
  if ('tried' in trial) return decodeUnicode({ bytes, charset: declared ?? 'windows-1252' });
  const { text, encoding, inferred } = trial;
  if (inferred !== undefined) reportInferred(report, inferred);
  return { text, encoding };
}

/** Bytes without tags, whose letters would count as those of an English text. */
const withoutTags = (bytes: Uint8Array): Uint8Array =>
  Buffer.from(latin1Of(bytes).replace(/<[^<>]*>/g, ' '), 'latin1');

const latin1Of = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');

function declaredIn(head: string): string | undefined {
  const xml = XML.exec(head)?.[1];
  const metas = head.replace(COMMENT, '').matchAll(META);
  const [label] = Array.from(metas, ([, attributes = '']) => CHARSET.exec(attributes)?.[1]).filter(Boolean);
  const declared = xml ?? label;
  // The declaration was readable as ASCII. The page is therefore not in UTF-16, even if it declares UTF-16.
  return declared !== undefined && /^utf-?16/i.test(declared) ? 'utf-8' : declared;
}
