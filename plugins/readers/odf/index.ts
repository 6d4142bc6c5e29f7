import { type Factory, type ReadFile, refusedError } from '../../../core/kit.ts';
import { writeMathml } from '../../toolkit/office/index.ts';
import type manifest from './manifest.ts';
import { openParts, type Parts, readTrees, type Visit } from './package.ts';
import { SheetWriter } from './sheets.ts';
import { SlideWriter } from './slides.ts';
import { Styles } from './styles.ts';
import { type EmbeddedObject, isContainer, type Surroundings, TextWriter } from './text.ts';
import { allBelow, type Element, elementsOf, textBelow } from './tree.ts';

const createOdfReader: Factory<typeof manifest> = () => ({
  read({ bytes }, { report, signal }) {
    signal.throwIfAborted();
    const document = new OpenDocument(openParts(bytes), signal);
    const file = document.read();
    const { hiddenSheets, hiddenSlides } = document;
    if (hiddenSheets > 0) report('hidden-sheets', String(hiddenSheets));
    if (hiddenSlides > 0) report('hidden-slides', String(hiddenSlides));
    const kinds = Object.keys(file.leftOut ?? {});
    if (kinds.length > 0) report('left-out', kinds.map((kind) => NAMES[kind] ?? kind).join(', '));
    return file;
  },
});

export default createOdfReader;

const NAMES: Readonly<Record<string, string>> = {
  header: 'headers',
  footer: 'footers',
  comment: 'comments',
  deleted_text: 'deleted text',
  hidden_text: 'hidden text',
  chart: 'charts',
  text_box: 'text boxes',
  repeated_cell: 'repeated cells',
  formula_without_value: 'formulas without a value',
};
const ENTERED: ReadonlySet<string> = new Set([
  ...['document', 'document-content', 'document-styles', 'document-meta', 'meta-data', 'meta', 'body'],
  ...['styles', 'automatic-styles', 'master-styles', 'master-page'],
]);
const STYLES: ReadonlySet<string> = new Set(['style', 'list-style', 'outline-style', 'page-layout']);
const ROW_GROUPS: ReadonlySet<string> = new Set(['table-row-group', 'table-rows', 'table-header-rows']);
const FURNITURE = /^(header|footer)(?:-left|-first)?$/;

class OpenDocument {
  readonly #parts: Parts;
  readonly #signal: AbortSignal;
  readonly #styles = new Styles();
  readonly #leftOut = new Map<string, number>();
  readonly #objects = new Map<string, EmbeddedObject>();
  readonly #masters = new Map<string, string>();
  readonly #about = new About();
  readonly #text: TextWriter;
  readonly #sheets: SheetWriter;
  readonly #slides: SlideWriter;
  #kind = '';
  #formula: string | undefined;

  constructor(parts: Parts, signal: AbortSignal) {
    this.#parts = parts;
    this.#signal = signal;
    const countLeftOut = (kind: string, count = 1): void => {
      if (count > 0) this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + count);
    };
    this.#text = new TextWriter(this.#surroundings(countLeftOut));
    this.#sheets = new SheetWriter(countLeftOut);
    this.#slides = new SlideWriter(this.#styles, this.#text, this.#masters);
  }

  get hiddenSheets(): number {
    return this.#sheets.hiddenSheets;
  }

  get hiddenSlides(): number {
    return this.#slides.hidden;
  }

  read(): ReadFile {
    for (const path of ['meta.xml', 'styles.xml', 'content.xml']) {
      const bytes = this.#parts.get(path);
      if (bytes !== undefined) this.#readPart(bytes, path);
    }
    if (this.#kind === '' && this.#formula === undefined)
      throw refusedError(
        'The file cannot be read: it is not a text, spreadsheet or presentation of OpenDocument.',
      );
    const leftOut = Object.fromEntries([...this.#leftOut].sort());
    const { title = this.#text.title, metadata } = this.#about.read();
    const about = { mediaType: 'text/markdown', title, metadata, ...(this.#leftOut.size > 0 && { leftOut }) };
    if (this.#kind === 'spreadsheet') {
      const text = this.#sheets.text();
      return { text, places: this.#sheets.tables.places, ...about };
    }
    if (this.#kind === 'presentation' || this.#kind === 'drawing')
      return { text: this.#slides.text(), places: this.#slides.places, ...about };
    return { text: this.#formula ?? this.#text.take(), ...about };
  }

  #readPart(bytes: Uint8Array, path: string): void {
    try {
      readTrees(bytes, path, {
        visit: (element, parent) => this.#visit(element, parent, path),
        whole: (element, parent) => this.#whole(element, parent),
      });
    } catch (error) {
      // Damaged metadata loses no text.
      if (path !== 'meta.xml') throw error;
      this.#leftOut.set('metadata', 1);
    }
  }

  #visit(element: Element, parent: string, path: string): Visit {
    const { name, attributes } = element;
    if (parent === 'body') {
      this.#kind = name === 'text' || name === 'spreadsheet' || name === 'presentation' ? name : 'drawing';
      return 'enter';
    }
    if (name === 'math' && parent === '') return 'whole';
    // Automatic styles of styles.xml are those of headers and footers, with the same names as those of the text.
    if (STYLES.has(name) && parent === 'automatic-styles')
      return path === 'styles.xml' && name !== 'page-layout' ? 'skip' : 'whole';
    if (STYLES.has(name) && parent === 'styles') return 'whole';
    if (name === 'master-page')
      this.#masters.set(attributes['style:name'] ?? '', attributes['style:page-layout-name'] ?? '');
    if (parent === 'master-page')
      return FURNITURE.test(name) && attributes['style:display'] !== 'false' ? 'whole' : 'skip';
    if (parent === 'meta') return 'whole';
    if (ENTERED.has(name) && path !== this.#bodyPath) return 'enter';
    return this.#visitBody(element, parent);
  }

  /** The path of the part whose body is being read; empty before the body. */
  get #bodyPath(): string {
    return this.#kind === '' ? '' : 'content.xml';
  }

  #visitBody(element: Element, parent: string): Visit {
    const { name, attributes } = element;
    if (this.#kind === 'text') {
      if (name.endsWith('-source')) return 'skip';
      if (!isContainer(name)) return 'whole';
      return name === 'section' && this.#text.isHiddenSection(element) ? 'skip' : 'enter';
    }
    if (this.#kind === 'spreadsheet') {
      if (name === 'table' && parent === 'spreadsheet') {
        const display = this.#styles.property('table', attributes['table:style-name'], 'table:display');
        this.#sheets.startSheet(attributes['table:name'] ?? '', display === 'false');
        return 'enter';
      }
      if (name === 'table-row' || name === 'shapes') return 'whole';
      return ROW_GROUPS.has(name) ? 'enter' : 'skip';
    }
    return name === 'page' ? 'whole' : 'skip';
  }

  #whole(element: Element, parent: string): void {
    this.#signal.throwIfAborted();
    const { name } = element;
    if (STYLES.has(name) && parent.endsWith('styles')) this.#styles.add(element);
    else if (parent === 'master-page') this.#countFurniture(element);
    else if (parent === 'meta') this.#about.see(element);
    else if (name === 'math' && parent === '') this.#formula = writeMathml(element);
    else if (name === 'table-row') this.#sheets.add(element);
    else if (name === 'shapes') this.#sheets.leaveOut(element);
    else if (name === 'page') this.#slides.add(element);
    else this.#text.write(element);
  }

  #countFurniture(element: Element): void {
    const kind = FURNITURE.exec(element.name)?.[1] ?? '';
    if (textBelow(element).trim() !== '') this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  #surroundings(countLeftOut: Surroundings['countLeftOut']): Surroundings {
    return {
      styles: this.#styles,
      countLeftOut,
      objectAt: (object) => {
        const [inner] = elementsOf(object);
        if (inner !== undefined) return this.#objectOf(inner);
        const path = (object.attributes['xlink:href'] ?? '').replace(/^(?:\.\/)+/, '');
        const known = this.#objects.get(path);
        if (known !== undefined) return known;
        const read = this.#objectIn(`${path}/content.xml`);
        this.#objects.set(path, read);
        return read;
      },
    };
  }

  #objectIn(path: string): EmbeddedObject {
    const bytes = this.#parts.get(path);
    let found: EmbeddedObject = {};
    if (bytes === undefined) return found;
    readTrees(bytes, path, {
      visit: ({ name }, parent) => {
        if (parent === 'body' || name === 'math') return 'whole';
        return ENTERED.has(name) && !name.endsWith('styles') ? 'enter' : 'skip';
      },
      whole: (element) => {
        found = this.#objectOf(element);
      },
    });
    return found;
  }

  #objectOf(element: Element): EmbeddedObject {
    const { name } = element;
    if (name === 'math') return { formula: writeMathml(element) };
    const [chart] = name === 'chart' ? [element] : allBelow(element, 'chart');
    if (chart !== undefined) return { blocks: this.#blocksOfChart(chart) };
    if (name !== 'spreadsheet' && name !== 'document') return { blocks: this.#blocksOf(elementsOf(element)) };
    const text = this.#textOfSheets(allBelow(element, 'table'));
    return text === '' ? {} : { blocks: [text] };
  }

  #textOfSheets(sheets: readonly Element[]): string {
    const writer = this.#sheets.embedded();
    for (const sheet of sheets) {
      writer.startSheet('', false);
      for (const row of allBelow(sheet, 'table-row')) writer.add(row);
    }
    return writer.text().trim();
  }

  #blocksOfChart(chart: Element): string[] {
    const titles = allBelow(chart, 'title').slice(0, 1).flatMap(elementsOf);
    return this.#blocksOf([...titles, ...allBelow(chart, 'table')]);
  }

  /** The text of an embedded object, without the objects within it. */
  #blocksOf(elements: readonly Element[]): string[] {
    const writer = new TextWriter({ ...this.#surroundings(() => {}), objectAt: () => ({}) });
    for (const element of elements) writer.write(element);
    const text = writer.take();
    return text === '' ? [] : [text];
  }
}

const MEMBERS: Readonly<Record<string, string>> = {
  subject: 'subject',
  description: 'description',
  language: 'language',
  'creation-date': 'created',
  date: 'modified',
};

/** Collects the title and metadata of a file. */
class About {
  readonly #members: Record<string, string> = {};
  readonly #keywords: string[] = [];
  readonly #authors = new Map<string, string>();
  #title: string | undefined;

  see(element: Element): void {
    const text = textBelow(element).trim().toWellFormed();
    const { name } = element;
    const member = MEMBERS[name];
    if (text === '') return;
    if (name === 'title') this.#title ??= text;
    else if (name === 'keyword') this.#keywords.push(text);
    else if (name === 'initial-creator' || name === 'creator') this.#authors.set(name, text);
    else if (member !== undefined) this.#members[member] ??= text;
  }

  read(): { title?: string; metadata: Readonly<Record<string, unknown>> } {
    const author = this.#authors.get('initial-creator') ?? this.#authors.get('creator');
    const metadata = {
      ...(author !== undefined && { authors: [author] }),
      ...this.#members,
      ...(this.#keywords.length > 0 && { keywords: this.#keywords.join(', ') }),
    };
    return { ...(this.#title !== undefined && { title: this.#title }), metadata };
  }
}
