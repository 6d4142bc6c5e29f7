import { type Factory, refusedError } from '../../../core/kit.ts';
import { createParse, writeMarkdown } from '../../toolkit/html/index.ts';
import { readRtf } from './document.ts';
import { htmlInRtf } from './html.ts';
import type manifest from './manifest.ts';

/** Maximum bytes of a file, including its pictures. */
const MAX_BYTES = 128 * 1024 * 1024;

const createRtfReader: Factory<typeof manifest> = async () => {
  const parse = createParse(await import('parse5'), await import('entities/decode'));
  return {
    async read({ bytes }, { report, signal }) {
      signal.throwIfAborted();
      if (bytes.length > MAX_BYTES)
        throw refusedError(`The file cannot be read: it has more than ${MAX_BYTES} bytes.`);
      const html = htmlInRtf(bytes);
      if (html !== undefined) {
        const page = await parse(html, { isXml: false, signal, isSearched: false });
        return {
          text: writeMarkdown(page),
          mediaType: 'text/markdown',
          title: page.title,
          metadata: page.metadata,
        };
      }
      const { text, title, metadata, leftOut, doubtful } = readRtf(bytes, signal);
      const kinds = Object.keys(leftOut);
      if (kinds.length > 0) report('left-out', kinds.map((kind) => NAMES[kind] ?? kind).join(', '));
      if (doubtful > 0) report('doubtful-characters', String(doubtful));
      return { text, mediaType: 'text/markdown', title, metadata, ...(kinds.length > 0 && { leftOut }) };
    },
  };
};

export default createRtfReader;

const NAMES: Readonly<Record<string, string>> = {
  header: 'headers',
  footer: 'footers',
  comment: 'comments',
  deleted_text: 'deleted text',
  hidden_text: 'hidden text',
};
