import { type Factory, reasonOf, refusedError } from '../../../core/kit.ts';
import { decodeUnicode } from '../../toolkit/decode-unicode.ts';
import { type OfficeFile, openOfficeFile } from '../../toolkit/office/index.ts';
import { contentOf, plainXml } from './elements.ts';
import type manifest from './manifest.ts';
import { type Node, writeMarkdown } from './markdown.ts';
import { hasText, Preparation } from './prepare.ts';

const MAX_BYTES = 100e6;
/** Matches all parts except those without text (such as fonts) and building blocks (`glossary`). */
const PARTS = /^(?!.*(?:^|\/)(?:theme|customXml|glossary|embeddings|fonts)\/)/;
const WITH_TEXT = /^\s*(?:<\?[^>]*>\s*)?<w:(?:document|footnotes|endnotes)[\s>]/;

/** Parts that are not read but are reported if they have text. */
const LEFT_OUT: readonly (readonly [path: RegExp, name: string])[] = [
  [/(?:^|\/)header\d*\.xml$/, 'header'],
  [/(?:^|\/)footer\d*\.xml$/, 'footer'],
  [/(?:^|\/)comments\.xml$/, 'comment'],
  [/(?:^|\/)diagrams\/data\d*\.xml$/, 'diagram'],
  [/(?:^|\/)charts\/chart\d*\.xml$/, 'chart'],
];

/** Parts hidden from mammoth. `Preparation` has already applied styles and numbering. */
const UNUSED =
  /(?:^|\/)(?:styles|numbering|comments|header\d*|footer\d*|settings|fontTable|webSettings)\.xml$/;

const REPORTED = new Map([
  ...LEFT_OUT.map(([, name]) => [name, `${name}s`] as const),
  ['hidden_text', 'hidden text'],
]);

type Parts = ReadonlyMap<string, string>;

const createDocxReader: Factory<typeof manifest> = async () => {
  const { default: mammoth } = await import('mammoth');
  return {
    async read(file, { report, signal }) {
      signal.throwIfAborted();
      const office = openOfficeFile(file.bytes, MAX_BYTES);
      const parts = readParts(office);
      const preparation = new Preparation(partOf(parts, 'styles'), partOf(parts, 'numbering'));
      const prepared = new Map([...parts].filter(([path]) => !UNUSED.test(path)));
      for (const [path, xml] of prepared)
        if (WITH_TEXT.test(xml)) prepared.set(path, preparation.prepare(xml));
      signal.throwIfAborted();
      const { document, messages } = await treeOf(prepared);
      signal.throwIfAborted();
      const { text, title, hidden } = writeMarkdown(document, preparation.marks);
      const unread = unreadIn(messages, [...prepared.values()]);
      const counts = {
        ...leftOutOf(parts),
        hidden_text: hidden,
        unknown_element: unread.length,
        picture_name: preparation.pictureNames,
      };
      const leftOut = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
      const names = [...Object.keys(leftOut).flatMap((name) => REPORTED.get(name) ?? []), ...unread];
      if (names.length > 0) report('left-out', names.join(', '));
      const { metadata } = office;
      return { text, mediaType: 'text/markdown', title: office.title ?? title, metadata, leftOut };
    },
  };

  async function treeOf(parts: Parts): Promise<{ document: Node; messages: readonly string[] }> {
    const file = {
      exists: (path: string) => parts.has(path),
      read: async (path: string) => parts.get(path),
    };
    let document: Node = { type: 'document' };
    const transformDocument = (read: Node): Node => {
      document = read;
      return { ...read, children: [] };
    };
    try {
      const { messages } = await mammoth.convertToHtml({ file } as unknown as { path: string }, {
        transformDocument,
        externalFileAccess: false,
      });
      return { document, messages: messages.map(({ message }) => message) };
    } catch (error) {
      const reason = reasonOf(error).split('\n', 1).join('').replace(/\s+/g, ' ').slice(0, MAX_REASON_LENGTH);
      throw refusedError(`The document cannot be read: ${reason}`, error);
    }
  }
};

export default createDocxReader;

function leftOutOf(parts: Parts): Record<string, number> {
  const counts = LEFT_OUT.map(([path, name]) => {
    const withText = [...parts].filter(([part, xml]) => path.test(part) && hasText(xml));
    return [name, withText.length] as const;
  });
  return Object.fromEntries(counts);
}

const MAX_REASON_LENGTH = 200;

function readParts({ paths, part }: OfficeFile): Parts {
  const read = paths.filter((path) => PARTS.test(path));
  return new Map(
    read.map((path) => [path, plainXml(decodeUnicode({ bytes: part(path), charset: undefined }).text)]),
  );
}

function partOf(parts: Parts, element: string): string {
  for (const [path, xml] of parts)
    if (xml.includes(`<w:${element}`) && path.includes(`/${element}`)) return xml;
  return '';
}

const UNREAD = /^An unrecognised element was ignored: (?:\{(.*)\}|\w+:)?([\w.-]+)$/;
/** Elements whose text is in another part. */
const REFERENCES = ['altChunk', 'subDoc'];
const MAX_SHOWN = 10;

function unreadIn(messages: readonly string[], parts: readonly string[]): string[] {
  const names = messages.flatMap((message) => UNREAD.exec(message)?.[2] ?? []);
  return [...new Set(names)].slice(0, MAX_SHOWN).filter((name) => {
    const prefixes = new Set(
      parts.flatMap((xml) => xml.match(new RegExp(`<[\\w.-]+:${name}(?=[\\s/>])`, 'g')) ?? []),
    );
    const elements = [...prefixes].flatMap((tag) => parts.map((xml) => contentOf(xml, tag.slice(1)) ?? ''));
    return REFERENCES.includes(name) || elements.some(hasText);
  });
}
