import type { Factory } from '../../../core/kit.ts';
import { decodePage } from './decode.ts';
import { mainContentOf } from './main-content.ts';
import type manifest from './manifest.ts';
import type { HtmlOptions } from './manifest.ts';
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
      const plain = REPLACED.test(source) ? String : withoutReplaced;
      return {
        text: plain(text),
        mediaType: 'text/markdown',
        encoding,
        ...(title !== undefined && { title: plain(title) }),
        metadata,
      };
    },
  };
};

export default createHtmlReader;

/** A page that has U+FFFD itself; the parser also writes it for references to no character, such as `&#xD800;`. */
const REPLACED = /\ufffd|&#0*65533\b|&#x0*fffd\b/i;
const withoutReplaced = (text: string): string => text.replaceAll('\ufffd', '');
