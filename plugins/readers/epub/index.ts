import { type Factory, refusedError, type SourcePlace } from '../../../core/kit.ts';
import { decodeUnicode } from '../../toolkit/decode-unicode.ts';
import {
  attributeOf,
  createParse,
  type Element,
  type Node,
  walk,
  writeMarkdown,
} from '../../toolkit/html/index.ts';
import { type Book, damaged, openBook, pathFrom, titlesOfNcx } from './book.ts';
import type manifest from './manifest.ts';

type Parse = ReturnType<typeof createParse>;

/** Maximum UTF-16 units of the text. */
const MAX_TEXT = 64 * 1024 * 1024;

const createEpubReader: Factory<typeof manifest> = async () => {
  const parse = createParse(await import('parse5'), await import('entities/decode'));
  return {
    async read({ bytes }, { report, signal }) {
      signal.throwIfAborted();
      const book = openBook(bytes);
      const titles = await titlesOf(book, parse, signal);
      const writer = new BookWriter();
      for (const { path, isNavigation } of book.chapters) {
        const file = book.files.get(path);
        const title = titles.get(path);
        if (file === undefined) {
          writer.leaveOut('missing_document', 1);
          continue;
        }
        const page = await parse(sourceOf(file, path), { isXml: true, signal, isSearched: false });
        if (isNavigation) writer.leaveOut('navigation', removeNavigation(page.root));
        raiseNoteMarks(page.root);
        writer.add(writeMarkdown(page), title);
        writer.leaveOut('hidden_element', page.leftOut.get('hidden') ?? 0);
      }
      if (writer.leftOut.missing_document === book.chapters.length)
        throw damaged('its documents are missing');
      const { text, places, leftOut } = writer;
      const names = Object.entries(leftOut).map(([kind, count]) => `${NAMES[kind] ?? kind} ${count}`);
      if (names.length > 0) report('left-out', names.join('; '));
      return {
        text,
        mediaType: 'text/markdown',
        title: book.title,
        metadata: book.metadata,
        places,
        ...(names.length > 0 && { leftOut }),
      };
    },
  };
};

export default createEpubReader;

const NAMES: Readonly<Record<string, string>> = {
  hidden_element: 'hidden elements',
  missing_document: 'missing documents',
};

/** Joins the chapters of a book, and gives each its place. */
class BookWriter {
  readonly places: SourcePlace[] = [];
  readonly leftOut: Record<string, number> = {};
  readonly #parts: string[] = [];
  #length = 0;

  get text(): string {
    return this.#parts.join('');
  }

  add(written: string, title: string | undefined): void {
    const text = written.toWellFormed();
    const gap = this.#length === 0 || text === '' ? '' : '\n\n';
    const start = this.#length + gap.length;
    this.#length = start + text.length;
    if (this.#length > MAX_TEXT)
      throw refusedError(`The file cannot be read: it has more than ${MAX_TEXT} characters of text.`);
    this.#parts.push(gap, text);
    const chapter = this.places.length + 1;
    this.places.push({
      start,
      end: this.#length,
      chapter,
      ...(title !== undefined && { chapter_title: title }),
    });
  }

  leaveOut(kind: string, count: number): void {
    if (count > 0) this.leftOut[kind] = (this.leftOut[kind] ?? 0) + count;
  }
}

const ENCODING = /^[^<]{0,4}<\?xml\s[^>]*?\bencoding\s*=\s*["']([\w.:-]{1,40})["']/;
const HEAD = 200;

function sourceOf(bytes: Uint8Array, path: string): string {
  const declared = ENCODING.exec(String.fromCharCode(...bytes.subarray(0, HEAD)))?.[1];
  // The declaration was readable as ASCII. The document is therefore not in UTF-16.
  const charset = declared === undefined || /^utf-?16/i.test(declared) ? 'utf-8' : declared;
  try {
    return decodeUnicode({ bytes, charset }).text;
  } catch (error) {
    throw refusedError(`The file cannot be read: ${path} is not valid ${charset}.`, error);
  }
}

/** Titles of chapters by path, from the navigation document of EPUB 3 or the NCX of EPUB 2. */
async function titlesOf(
  { navigation, ncx, files }: Book,
  parse: Parse,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const document = navigation === undefined ? undefined : files.get(navigation);
  if (navigation !== undefined && document !== undefined) {
    const page = await parse(sourceOf(document, navigation), { isXml: true, signal, isSearched: false });
    return titlesOfLinks(page.root, navigation);
  }
  const list = ncx === undefined ? undefined : files.get(ncx);
  if (ncx === undefined || list === undefined) return new Map();
  try {
    return titlesOfNcx(list, ncx);
  } catch {
    // A damaged table of contents loses no text of the book.
    return new Map();
  }
}

type Root = Parameters<typeof walk>[0];

function titlesOfLinks(root: Root, path: string): Map<string, string> {
  const titles = new Map<string, string>();
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  let link: Element | undefined;
  let text = '';
  const enter = (node: Node): boolean => {
    if ('value' in node && link !== undefined) text += node.value;
    if (node.nodeName === 'a' && 'attrs' in node) {
      link = node;
      text = '';
    }
    return true;
  };
  walk(root, enter, (element) => {
    if (element !== link) return;
    const target = pathFrom(folder, attributeOf(element, 'href') ?? '');
    const title = text.replace(/\s+/g, ' ').trim();
    if (title !== '' && !titles.has(target)) titles.set(target, title);
    link = undefined;
  });
  return titles;
}

const NOTE_MARK = /(?:^|\s)(?:doc-)?noteref(?:\s|$)/;

/** Makes the marks of notes exponents. Otherwise `1850` with a note 1 would become `18501`. */
function raiseNoteMarks(root: Root): void {
  walk(
    root,
    (node) => {
      if (node.nodeName === 'a' && 'attrs' in node) {
        const kinds = `${attributeOf(node, 'epub:type') ?? ''} ${attributeOf(node, 'role') ?? ''}`;
        if (NOTE_MARK.test(kinds)) node.nodeName = 'sup';
      }
      return true;
    },
    () => {},
  );
}

/** Removes tables of contents, which repeat the headings. @returns how many there were */
function removeNavigation(root: Root): number {
  let count = 0;
  walk(
    root,
    (node) => {
      if (!('childNodes' in node)) return false;
      const kept = node.childNodes.filter((child) => child.nodeName !== 'nav');
      count += node.childNodes.length - kept.length;
      node.childNodes = kept;
      return true;
    },
    () => {},
  );
  return count;
}
