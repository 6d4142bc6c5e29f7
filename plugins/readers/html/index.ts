import { type Factory, reasonOf, refusedError } from '../../../core/kit.ts';
import { decodePage } from './decode.ts';
import type manifest from './manifest.ts';
import type { HtmlOptions } from './manifest.ts';
import type { Page } from './page.ts';
import { createParse } from './parse.ts';
import { writeMarkdown } from './writer.ts';

const createHtmlReader: Factory<typeof manifest> = async () => {
  const parse = createParse(await import('parse5'));
  return {
    async read(file, { signal, report, options }) {
      signal.throwIfAborted();
      const { text: source, encoding } = decodePage(file);
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
      const plain = REPLACED.test(source) ? String : withoutReplaced;
      return {
        text: plain(text),
        mediaType: 'text/markdown',
        encoding,
        ...(title !== undefined && { title: plain(title) }),
        metadata,
        // Scripts and comments are not content.
        ...(hidden > 0 && { leftOut: { hidden_element: hidden } }),
      };
    },
  };
};

export default createHtmlReader;

/** A page that has U+FFFD itself; the parser also writes it for references to no character, such as `&#xD800;`. */
const REPLACED = /\ufffd|&#0*65533\b|&#x0*fffd\b/i;
const withoutReplaced = (text: string): string => text.replaceAll('\ufffd', '');

/** The search takes much longer than everything else. */
const MAX_SEARCHED = 50_000;

/**
 * The HTML of the main content of a page, as Firefox shows it in its reader view; `undefined` if nothing in it looks like
 * an article.
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
