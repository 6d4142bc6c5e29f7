import { refusedError } from '../../../core/kit.ts';
import { readXml, type XmlAttributes } from '../../toolkit/markup/index.ts';
import { unzip } from '../../toolkit/office/index.ts';

/** A chapter of a book: a document in its reading order. */
interface Chapter {
  readonly path: string;
  readonly isNavigation: boolean;
}

export interface Book {
  readonly chapters: readonly Chapter[];
  /** Documents with tables of contents: the path of the navigation document, and that of an NCX. */
  readonly navigation: string | undefined;
  readonly ncx: string | undefined;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The unpacked chapters and tables of contents by path; a missing one is not in it. */
  readonly files: ReadonlyMap<string, Uint8Array>;
}

/** Maximum bytes of all documents together. */
const MAX_BYTES = 128 * 1024 * 1024;
/** Maximum chapters; each costs a place, and the list may name one document many times. */
const MAX_CHAPTERS = 20_000;
const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
/** Algorithms that only hide fonts. They do not protect the text. */
const FONT_ALGORITHMS: ReadonlySet<string> = new Set([
  'http://www.idpf.org/2008/embedding',
  'http://ns.adobe.com/pdf/enc#RC',
]);

/** @throws Error for callers if the file is not a book, is damaged or protected, or is too large */
export function openBook(bytes: Uint8Array): Book {
  const head = unzip(bytes, (path) => path === CONTAINER || path === ENCRYPTION, MAX_BYTES);
  const container = head.get(CONTAINER);
  if (container === undefined)
    throw refusedError(`The file cannot be read: it is not an EPUB book (it has no ${CONTAINER}).`);
  const main = packagePath(container);
  const opf = unzip(bytes, (path) => path === main, MAX_BYTES).get(main);
  if (opf === undefined) throw damaged(`it has no ${main}`);
  const { items, order, toc, title, metadata } = readPackage(opf, main);
  if (order.length === 0) throw damaged(`${main} lists no documents`);
  if (order.length > MAX_CHAPTERS)
    throw refusedError(`The file cannot be read: it has more than ${MAX_CHAPTERS} documents.`);
  const chapters = new Map<string, Chapter>();
  for (const id of order) {
    const item = items.get(id);
    if (item !== undefined) chapters.set(item.path, { path: item.path, isNavigation: item.isNavigation });
  }
  const navigation = [...items.values()].find(({ isNavigation }) => isNavigation)?.path;
  const ncx = items.get(toc ?? '')?.path ?? [...items.values()].find(({ type }) => type === NCX)?.path;
  const paths = new Set([...chapters.keys(), navigation, ncx]);
  refuseProtected(head.get(ENCRYPTION), new Set(chapters.keys()));
  const files = unzip(bytes, (path) => paths.has(path), MAX_BYTES);
  return { chapters: [...chapters.values()], navigation, ncx, title, metadata, files };
}

function packagePath(container: Uint8Array): string {
  let path = '';
  readXml(container, CONTAINER, {
    skipsDocumentType: true,
    open(name, { 'full-path': full }) {
      if (name === 'rootfile' && path === '') path = full ?? '';
    },
  });
  if (path === '') throw damaged(`${CONTAINER} names no package`);
  return pathFrom('', path);
}

/** Refuses a book whose text is encrypted. Fonts and other files may be. */
function refuseProtected(encryption: Uint8Array | undefined, chapters: ReadonlySet<string>): void {
  if (encryption === undefined) return;
  let algorithm = '';
  readXml(encryption, ENCRYPTION, {
    skipsDocumentType: true,
    open(name, { Algorithm: written, URI: uri }) {
      if (name === 'EncryptedData') algorithm = '';
      if (name === 'EncryptionMethod' && algorithm === '') algorithm = written ?? '';
      if (
        name === 'CipherReference' &&
        !FONT_ALGORITHMS.has(algorithm) &&
        chapters.has(pathFrom('', uri ?? ''))
      )
        throw refusedError(
          'The file cannot be read: the book is protected against copying (DRM); use an edition without protection.',
        );
    },
  });
}

interface Item {
  readonly path: string;
  readonly type: string;
  readonly isNavigation: boolean;
}

interface Package {
  readonly items: ReadonlyMap<string, Item>;
  /** Ids of documents in their reading order. */
  readonly order: readonly string[];
  readonly toc: string | undefined;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const NCX = 'application/x-dtbncx+xml';

function readPackage(opf: Uint8Array, path: string): Package {
  const items = new Map<string, Item>();
  const order: string[] = [];
  const about = new About();
  let toc: string | undefined;
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  readXml(opf, path, {
    skipsDocumentType: true,
    open(name, attributes) {
      const { id = '', href = '', idref } = attributes;
      const isNavigation = attributes.properties?.split(/\s+/).includes('nav') === true;
      if (name === 'item')
        items.set(id, { path: pathFrom(folder, href), type: attributes['media-type'] ?? '', isNavigation });
      else if (name === 'spine') toc = attributes.toc;
      else if (name === 'itemref' && idref !== undefined) order.push(idref);
      about.open(name, attributes);
    },
    text: (text) => about.text(text),
  });
  return { items, order, toc, ...about.read() };
}

const MEMBERS: Readonly<Record<string, string>> = {
  language: 'language',
  description: 'description',
  publisher: 'publisher',
  date: 'created',
  'dcterms:modified': 'modified',
};
/** Roles of MARC that are not authors of the text. An entry without a role is an author. */
const AUTHOR = /^(?:aut|cre|edt)?$/;
const SPACE = /\s+/g;

/** Collects the metadata of a package: Dublin Core, with the roles of EPUB 2 and the refinements of EPUB 3. */
class About {
  readonly #texts: { readonly name: string; readonly id: string; readonly role: string; text: string }[] = [];
  readonly #refined = new Map<string, string>();
  #isInMetadata = false;
  #refines: string | undefined;

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'metadata') this.#isInMetadata = true;
    else if (name === 'manifest' || name === 'spine') this.#isInMetadata = false;
    const { id = '', property, refines } = attributes;
    this.#refines = refines === undefined ? undefined : `${property} ${refines}`;
    if (!this.#isInMetadata || name === 'metadata') return;
    const role = attributes['opf:role'] ?? attributes.role ?? '';
    this.#texts.push({ name: name === 'meta' ? (property ?? '') : name, id, role, text: '' });
  }

  text(text: string): void {
    if (!this.#isInMetadata) return;
    if (this.#refines !== undefined)
      this.#refined.set(this.#refines, (this.#refined.get(this.#refines) ?? '') + text.trim());
    else {
      const last = this.#texts.at(-1);
      if (last !== undefined) last.text += text;
    }
  }

  read(): Pick<Package, 'title' | 'metadata'> {
    const entries = this.#texts.map(({ text, ...one }) => ({
      ...one,
      text: text.replace(SPACE, ' ').trim().toWellFormed(),
    }));
    const of = (name: string) => entries.filter((entry) => entry.name === name && entry.text !== '');
    const titles = of('title');
    const main = titles.find(({ id }) => this.#refined.get(`title-type #${id}`) === 'main') ?? titles[0];
    const creators = of('creator').filter(({ role, id }) =>
      AUTHOR.test(role || (this.#refined.get(`role #${id}`) ?? '')),
    );
    const keywords = of('subject').map(({ text }) => text);
    const metadata: Record<string, unknown> = {};
    if (creators.length > 0) metadata.authors = [...new Set(creators.map(({ text }) => text))];
    if (keywords.length > 0) metadata.keywords = keywords.join(', ');
    for (const [name, member] of Object.entries(MEMBERS)) {
      const [first] = of(name);
      if (first !== undefined) metadata[member] ??= first.text;
    }
    return { title: main?.text, metadata };
  }
}

/** The path in the archive that a reference means. @param folder the folder of the document, ending in `/` */
export function pathFrom(folder: string, reference: string): string {
  const [written = ''] = reference.split(/[#?]/);
  const steps: string[] = [];
  const path = decoded(written);
  for (const step of (path.startsWith('/') ? path : folder + path).split('/')) {
    if (step === '..') steps.pop();
    else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference;
  }
}

/** The titles in an NCX, by the path of the document that they name first. */
export function titlesOfNcx(bytes: Uint8Array, path: string): Map<string, string> {
  const titles = new Map<string, string>();
  const folder = path.slice(0, path.lastIndexOf('/') + 1);
  let isLabel = false;
  let label = '';
  readXml(bytes, path, {
    skipsDocumentType: true,
    open(name, { src }) {
      if (name === 'navLabel') label = '';
      isLabel = name === 'text';
      if (name !== 'content' || src === undefined) return;
      const target = pathFrom(folder, src);
      const title = label.replace(SPACE, ' ').trim();
      if (title !== '' && !titles.has(target)) titles.set(target, title);
    },
    text(text) {
      if (isLabel) label += text;
    },
    close() {
      isLabel = false;
    },
  });
  return titles;
}

export function damaged(what: string): Error {
  return refusedError(`The file cannot be read: it is damaged (${what}).`);
}
