import { type Factory, refusedError } from '../../../core/kit.ts';
import { decodeUnicode } from '../../toolkit/decode-unicode.ts';
import { type OfficeFile, openOfficeFile } from '../../toolkit/office/index.ts';
import { BodyReader, hasText, type Story } from './body.ts';
import type { Block, Notes } from './content.ts';
import type manifest from './manifest.ts';
import { writeMarkdown } from './markdown.ts';
import { Numbering } from './numbering.ts';
import { Styles } from './styles.ts';

const MAX_BYTES = 100e6;

/** Parts that are not read but are reported if they have text. */
const LEFT_OUT: readonly (readonly [path: RegExp, name: string])[] = [
  [/(?:^|\/)header\d*\.xml$/, 'header'],
  [/(?:^|\/)footer\d*\.xml$/, 'footer'],
  [/(?:^|\/)comments\.xml$/, 'comment'],
  [/(?:^|\/)diagrams\/data\d*\.xml$/, 'diagram'],
  [/(?:^|\/)charts\/chart\d*\.xml$/, 'chart'],
];

const REPORTED = new Map([
  ...LEFT_OUT.map(([, name]) => [name, `${name}s`] as const),
  ['hidden_text', 'hidden text'],
]);
const MAX_SHOWN = 10;

const createDocxReader: Factory<typeof manifest> = async () => {
  const { default: dingbats } = await import('dingbat-to-unicode');
  const symbol = (font: string, hex: string) => dingbats.hex(font, hex)?.string;
  return {
    async read(file, { report, signal }) {
      signal.throwIfAborted();
      const office = openOfficeFile(file.bytes, MAX_BYTES);
      const parts = partsOf(office);
      const styles = new Styles(parts.text('styles'));
      const numbering = new Numbering(parts.text('numbering'), styles);
      const story: Story = { styles, numbering, symbol, unread: new Set(), pictureNames: 0 };
      signal.throwIfAborted();
      const blocks = readDocument(office, story);
      signal.throwIfAborted();
      const notes = new Map([...parts.notes('footnotes', story), ...parts.notes('endnotes', story)]);
      const { text, title, hidden } = writeMarkdown(blocks, notes);
      const unread = [...story.unread].slice(0, MAX_SHOWN);
      const counts = {
        ...leftOutOf(office),
        hidden_text: hidden,
        unknown_element: unread.length,
        picture_name: story.pictureNames,
      };
      const leftOut = Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0));
      const names = [...Object.keys(leftOut).flatMap((name) => REPORTED.get(name) ?? []), ...unread];
      if (names.length > 0) report('left-out', names.join(', '));
      const { metadata } = office;
      return { text, mediaType: 'text/markdown', title: office.title ?? title, metadata, leftOut };
    },
  };
};

export default createDocxReader;

const textOf = (office: OfficeFile, path: string): string =>
  decodeUnicode({ bytes: office.part(path), charset: undefined }).text;

/** A reader of a part, which finds the addresses of links in the relationships of the part. */
function readerOf(office: OfficeFile, path: string, story: Story): BodyReader {
  let links: ReturnType<OfficeFile['relationships']> | undefined;
  return new BodyReader(textOf(office, path), story, (id) => {
    links ??= office.relationships(path);
    return links.get(id)?.target;
  });
}

function readDocument(office: OfficeFile, story: Story): readonly Block[] {
  const blocks = readerOf(office, office.main, story).body();
  if (blocks === undefined)
    throw refusedError('The document cannot be read: it has no body, as a Word document has.');
  return blocks;
}

/** The parts that belong to the document, by the types of its relationships. */
function partsOf(office: OfficeFile) {
  const related = [...office.relationships(office.main).values()];
  const pathOf = (type: string): string | undefined => {
    const path = related.find((one) => one.type === type && office.has(one.target))?.target;
    return path ?? [`word/${type}.xml`].find((usual) => office.has(usual));
  };
  return {
    text(type: string): string {
      const path = pathOf(type);
      return path === undefined ? '' : textOf(office, path);
    },
    notes(type: string, story: Story): Notes {
      const path = pathOf(type);
      return path === undefined ? new Map() : readerOf(office, path, story).notes();
    },
  };
}

function leftOutOf(office: OfficeFile): Record<string, number> {
  const counts = LEFT_OUT.map(([pattern, name]) => {
    const paths = office.paths.filter((path) => pattern.test(path));
    return [name, paths.filter((path) => hasText(textOf(office, path))).length] as const;
  });
  return Object.fromEntries(counts);
}
