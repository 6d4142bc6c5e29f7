import {
  decodeUnicode,
  type Factory,
  type OfficeFile,
  openOfficeFile,
  reasonOf,
  refusedError,
} from '../../../core/kit.ts';
import { contentOf, plainXml } from './elements.ts';
import type manifest from './manifest.ts';
import { type Node, writeMarkdown } from './markdown.ts';
import { HIDDEN, hasText, Preparation } from './prepare.ts';

/** Bytes of XML that a file may unpack to. */
const MOST_BYTES = 100e6;
/** Pictures, fonts and themes have no text; building blocks of templates are not part of the document. */
const PARTS = /^(?!.*(?:^|\/)(?:theme|customXml|glossary|embeddings|fonts)\/)/;
const WITH_TEXT = /^\s*(?:<\?[^>]*>\s*)?<w:(?:document|footnotes|endnotes)[\s>]/;

/** Parts that are left out if they have text, by their paths. */
const LEFT_OUT: readonly (readonly [path: RegExp, name: string])[] = [
  [/(?:^|\/)header\d*\.xml$/, 'headers'],
  [/(?:^|\/)footer\d*\.xml$/, 'footers'],
  [/(?:^|\/)comments\.xml$/, 'comments'],
  [/(?:^|\/)diagrams\/data\d*\.xml$/, 'diagrams'],
  [/(?:^|\/)charts\/chart\d*\.xml$/, 'charts'],
];

/** What mammoth has no use for, or must not see: what it reads from styles and lists is written by the preparation. */
const UNUSED =
  /(?:^|\/)(?:styles|numbering|comments|header\d*|footer\d*|settings|fontTable|webSettings)\.xml$/;

type Parts = ReadonlyMap<string, string>;

const createDocxReader: Factory<typeof manifest> = async () => {
  const { default: mammoth } = await import('mammoth');
  return {
    async read(file, { report, signal }) {
      signal.throwIfAborted();
      const office = openOfficeFile(file.bytes, MOST_BYTES);
      const parts = readParts(office);
      const preparation = new Preparation(partOf(parts, 'styles'), partOf(parts, 'numbering'));
      const prepared = new Map([...parts].filter(([path]) => !UNUSED.test(path)));
      for (const [path, xml] of prepared)
        if (WITH_TEXT.test(xml)) prepared.set(path, preparation.prepare(xml));
      signal.throwIfAborted();
      const { document, messages } = await treeOf(prepared);
      signal.throwIfAborted();
      const { text, title, hasHidden } = writeMarkdown(document, preparation.marks);
      const leftOut = [
        ...LEFT_OUT.filter(([path]) => [...parts].some(([name, xml]) => path.test(name) && hasText(xml))),
        ...(hasHidden ? [[HIDDEN, 'hidden text'] as const] : []),
        ...unreadIn(messages, [...prepared.values()]),
      ].map(([, name]) => name);
      if (leftOut.length > 0) report('left-out', leftOut.join(', '));
      const { metadata } = office;
      return { text, mediaType: 'text/markdown', title: office.title ?? title, metadata };
    },
  };

  /** Its tree, before mammoth would make HTML of it. It takes unpacked files, as its own zip reader gives them. */
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
      const reason = reasonOf(error).split('\n', 1).join('').replace(/\s+/g, ' ').slice(0, LONGEST_REASON);
      throw refusedError(`The document cannot be read: ${reason}`, error);
    }
  }
};

export default createDocxReader;

const LONGEST_REASON = 200;

function readParts({ paths, part }: OfficeFile): Parts {
  const read = paths.filter((path) => PARTS.test(path));
  return new Map(
    read.map((path) => [path, plainXml(decodeUnicode({ bytes: part(path), charset: undefined }).text)]),
  );
}

/** A part by the element that it consists of: `styles`, `numbering`. Empty if the file has none. */
function partOf(parts: Parts, element: string): string {
  const found = [...parts].find(
    ([path, xml]) => xml.includes(`<w:${element}`) && path.includes(`/${element}`),
  );
  return found?.[1] ?? '';
}

const UNREAD = /^An unrecognised element was ignored: (?:\{(.*)\}|\w+:)?([\w.-]+)$/;
/** They name another part, which has the text. */
const REFERENCES = ['altChunk', 'subDoc'];
const MOST_SHOWN = 10;

/** The elements with text that mammoth does not know, each with its name. */
function unreadIn(
  messages: readonly string[],
  parts: readonly string[],
): (readonly [element: string, name: string])[] {
  const names = messages.flatMap((message) => UNREAD.exec(message)?.[2] ?? []);
  const unread = [...new Set(names)].slice(0, MOST_SHOWN).filter((name) => {
    const prefixes = new Set(
      parts.flatMap((xml) => xml.match(new RegExp(`<[\\w.-]+:${name}(?=[\\s/>])`, 'g')) ?? []),
    );
    const elements = [...prefixes].flatMap((tag) => parts.map((xml) => contentOf(xml, tag.slice(1)) ?? ''));
    return REFERENCES.includes(name) || elements.some(hasText);
  });
  return unread.map((name) => [name, name]);
}
