import { refusedError } from '../../../core/kit.ts';
import {
  FormattedText,
  MarkdownDocument,
  PLAIN_TEXT,
  type SpanningCell,
  type TextFormat,
} from '../../toolkit/markdown/index.ts';
import { type ListLevel, labelOf, numberOf, type Styles, type TextStyle } from './styles.ts';
import { allBelow, childOf, countOf, type Element, elementsOf, firstBelow, textBelow } from './tree.ts';

/** What an embedded object is: a formula in a line of text, or blocks such as the table of a chart. */
export interface EmbeddedObject {
  readonly formula?: string;
  readonly blocks?: readonly string[];
}

/** What all texts of a file share. */
export interface Surroundings {
  readonly styles: Styles;
  readonly objectAt: (object: Element) => EmbeddedObject;
  readonly countLeftOut: (kind: string, count?: number) => void;
}

interface Run {
  readonly format: TextFormat;
  readonly style: TextStyle;
}

interface Item {
  readonly level: number;
  /** Undefined once a paragraph has the label. */
  label: string | undefined;
}

const CONTAINERS =
  /^(?:section|table-of-content|[a-z-]*-index|bibliography|index-body|index-title|text|page-sequence)$/;
const SHAPES =
  /^(?:frame|custom-shape|rect|line|polyline|polygon|regular-polygon|path|circle|ellipse|g|connector|caption|measure|control)$/;
/** Content of paragraphs that is not text: numbers that are computed, and what only editors see. */
const NOT_TEXT: ReadonlySet<string> = new Set([
  ...['number', 'tracked-changes', 'annotation-end', 'title', 'desc', 'ruby-text', 'script', 'note-citation'],
  ...[
    'label',
    'enhanced-geometry',
    'glue-point',
    'image-map',
    'thumbnail',
    'soft-page-break',
    'dde-connection-decls',
  ],
  ...[
    'variable-decls',
    'sequence-decls',
    'user-field-decls',
    'alphabetical-index-auto-mark-file',
    'tracked-change',
  ],
]);
const SPACE = /\s+/g;
/** Spaces and line breaks of XML, which texts of OpenDocument write as elements if they matter. */
const XML_SPACE = /[\t\n\r ]+/g;
/** Maximum cells of a row that are repeated. */
const MAX_REPEATED = 1024;
/** Maximum cells of all tables. */
const MAX_CELLS = 1_000_000;
const MAX_LEVEL = 9;

/** Whether the children of an element are read one by one. */
export const isContainer = (name: string): boolean => CONTAINERS.test(name);

/** Writes text content of OpenDocument (part 3, sections 5 to 10) as Markdown, one element after the other. */
export class TextWriter {
  readonly #around: Surroundings;
  readonly #numbers: Numbering;
  #document = new MarkdownDocument();
  readonly #notes: { readonly number: number; readonly note: Element }[] = [];
  #noteCount = 0;
  #cells = 0;
  #boxes: Element[] = [];
  #blocks: string[] = [];
  #atStart = true;
  title: string | undefined;

  constructor(around: Surroundings) {
    this.#around = around;
    this.#numbers = new Numbering(around.styles);
  }

  /** The text since the last call, as Markdown. */
  take(): string {
    const text = this.#document.text();
    this.#document = new MarkdownDocument();
    return text;
  }

  write(element: Element): void {
    const { name } = element;
    if (name === 'p' || name === 'h') this.#paragraph(element, undefined);
    else if (name === 'list') this.#list(element, 0, undefined);
    else if (name === 'numbered-paragraph') this.#numberedParagraph(element);
    else if (name === 'table') this.#table(element);
    else if (name === 'tracked-changes') this.#countDeleted(element);
    else if (SHAPES.test(name) || name === 'a') this.shape(element);
    else if (name === 'annotation') this.#countComment(element);
    else if (
      !NOT_TEXT.has(name) &&
      !name.endsWith('-source') &&
      (name !== 'section' || !this.isHiddenSection(element))
    )
      for (const child of elementsOf(element)) this.write(child);
    this.#addPending();
  }

  isHiddenSection({ attributes }: Element): boolean {
    const isHidden = attributes['text:display'] === 'none' || attributes['text:is-hidden'] === 'true';
    if (isHidden) this.#around.countLeftOut('hidden_text');
    return isHidden;
  }

  /** Writes a shape as blocks: its text, its table, the description of its picture. */
  shape(element: Element): void {
    const text = new FormattedText();
    this.#shape(element, text);
    this.#document.paragraph(text.written());
    this.#addPending();
  }

  /** The text of paragraphs and lists as one line. */
  line(elements: readonly Element[]): string {
    const texts = elements.map((element): string => {
      const { name } = element;
      if (name === 'p' || name === 'h') return this.#inline(element) ?? '';
      if (name === 'table')
        return this.line(this.#rowsOf(element).flatMap((row) => row.map(({ cell }) => cell)));
      if (name === 'list') return this.#lineOfList(element);
      if (SHAPES.test(name)) {
        const text = new FormattedText();
        this.#shape(element, text);
        return text.written();
      }
      if (name === 'annotation') this.#countComment(element);
      return NOT_TEXT.has(name) || name === 'annotation' ? '' : this.line(elementsOf(element));
    });
    // The text of frames belongs to the line, too: after a table, nobody would know where it was.
    const boxes = this.#boxes.splice(0);
    const more = boxes.length > 0 ? [this.line(boxes.flatMap(elementsOf))] : [];
    const blocks = this.#blocks.splice(0);
    return [...texts, ...more, ...blocks]
      .filter((text) => text !== '')
      .join(' ')
      .replace(SPACE, ' ');
  }

  #lineOfList(list: Element, level = 0, outer = ''): string {
    const style = list.attributes['text:style-name'] || outer;
    if (level === 0) this.#numbers.begin(list, style);
    const texts = elementsOf(list).map((item) => {
      const isLabelled = item.name === 'list-item' && childOf(item, 'p') !== undefined;
      const label = isLabelled ? this.#numbers.next(style, level, item.attributes['text:start-value']) : '';
      const inner = elementsOf(item).map((child) =>
        child.name === 'list'
          ? this.#lineOfList(child, Math.min(level + 1, MAX_LEVEL), style)
          : this.line([child]),
      );
      const text = inner.filter((one) => one !== '').join(' ');
      return isLabelled && text !== '' ? `${label || '-'} ${text}` : text;
    });
    return texts.filter((text) => text !== '').join(' ');
  }

  #paragraph(element: Element, item: Item | undefined): void {
    const { name, attributes } = element;
    const style = this.#around.styles.paragraph(attributes['text:style-name']);
    const level = name === 'h' ? numberOf(attributes['text:outline-level'], 1) : style.heading;
    const text = style.isHidden ? this.#hide(element) : this.#inline(element, level === 0);
    if (text === undefined || text === '') return;
    if (style.isTitle) this.title ??= text;
    if (level > 0) this.#heading(element, level, text.replace(SPACE, ' '), item?.label);
    else if (item?.label !== undefined) this.#document.item(text, item.level, item.label);
    else if (item !== undefined) this.#document.continuation(text, item.level);
    else this.#document.paragraph(text);
    if (item !== undefined) item.label = undefined;
  }

  #heading({ name, attributes }: Element, level: number, text: string, ofList: string | undefined): void {
    const isNumbered = name === 'h' && attributes['text:is-list-header'] !== 'true';
    const label = ofList || (isNumbered ? this.#numbers.ofHeading(level, attributes) : '');
    this.#document.heading(level, label === '' ? text : `${label} ${text}`);
  }

  #hide(element: Element): undefined {
    if (textBelow(element).trim() !== '') this.#around.countLeftOut('hidden_text');
  }

  #list(list: Element, level: number, outer: string | undefined): void {
    const { attributes } = list;
    const first = firstBelow(list, 'p');
    const ofParagraph = this.#around.styles.paragraph(first?.attributes['text:style-name']).list;
    const style = attributes['text:style-name'] || outer || ofParagraph || '';
    if (level === 0) this.#numbers.begin(list, style);
    for (const child of elementsOf(list)) {
      const own = childOf(child, 'p') ?? childOf(child, 'h');
      const hasLabel = child.name === 'list-item' && own !== undefined;
      const start = child.attributes['text:start-value'];
      const item: Item = { level, label: hasLabel ? this.#numbers.next(style, level, start) : undefined };
      for (const inner of elementsOf(child)) {
        if (inner.name === 'list') this.#list(inner, Math.min(level + 1, MAX_LEVEL), style);
        else if (inner.name === 'p' || inner.name === 'h') this.#paragraph(inner, item);
        else this.write(inner);
        this.#addPending();
      }
    }
  }

  #numberedParagraph(element: Element): void {
    const { attributes } = element;
    const level = Math.min(numberOf(attributes['text:level'], 1) - 1, MAX_LEVEL);
    const label = this.#numbers.next(
      attributes['text:style-name'] ?? '',
      level,
      attributes['text:start-value'],
    );
    for (const child of elementsOf(element)) this.#paragraph(child, { level, label });
  }

  #table(table: Element): void {
    const rows = this.#rowsOf(table).filter((row) => row.length > 0);
    const [only] = allBelow(table, 'table-cell');
    // A table with one cell is a frame around its content.
    if (rows.length === 1 && rows[0]?.length === 1) for (const child of elementsOf(only)) this.write(child);
    else {
      const texts = rows.map((row) =>
        row.map(({ cell, ...one }) => ({ ...one, text: this.line(elementsOf(cell)) })),
      );
      this.#document.table(texts);
    }
  }

  #rowsOf(table: Element): (SpanningCell & { readonly cell: Element })[][] {
    return allBelow(table, 'table-row').map((row) =>
      elementsOf(row).flatMap((cell) => {
        if (cell.name !== 'table-cell') return [];
        const columns = countOf(cell.attributes['table:number-columns-spanned'], MAX_REPEATED);
        const rows = countOf(cell.attributes['table:number-rows-spanned'], Number.MAX_SAFE_INTEGER);
        const repeated = countOf(cell.attributes['table:number-columns-repeated'], MAX_REPEATED);
        this.#cells += repeated;
        if (this.#cells > MAX_CELLS)
          throw refusedError(`The file cannot be read: its tables have more than ${MAX_CELLS} cells.`);
        return new Array(repeated).fill({ text: '', columns, rows, cell });
      }),
    );
  }

  #addPending(): void {
    for (const block of this.#blocks.splice(0)) this.#document.block(block);
    for (const box of this.#boxes.splice(0)) for (const child of elementsOf(box)) this.write(child);
    for (let next = this.#notes.shift(); next !== undefined; next = this.#notes.shift())
      this.#document.block(`[^${next.number}]: ${this.line(elementsOf(childOf(next.note, 'note-body')))}`);
  }

  /** The text of a paragraph; undefined if a field hides it. */
  #inline(paragraph: Element, isEmphasised = true): string | undefined {
    const text = new FormattedText();
    this.#atStart = true;
    const isShown = this.#collect(paragraph, { format: PLAIN_TEXT, style: {} }, text);
    return isShown ? text.written(isEmphasised) : this.#hide(paragraph);
  }

  /** Collects the text of a paragraph. @returns whether the paragraph is shown */
  #collect(element: Element, run: Run, text: FormattedText): boolean {
    let isShown = true;
    for (const child of element.children) {
      if (typeof child === 'string') this.#add(child.replace(XML_SPACE, ' '), run, text);
      else if (child.name === 'hidden-paragraph' && child.attributes['text:is-hidden'] === 'true')
        isShown = false;
      else isShown = this.#collectElement(child, run, text) && isShown;
    }
    return isShown;
  }

  #collectElement(element: Element, run: Run, text: FormattedText): boolean {
    const { name, attributes } = element;
    if (name === 'span') {
      const own = withStyle(run, this.#around.styles.text(attributes['text:style-name']));
      if (own.style.isHidden) this.#hide(element);
      else return this.#collect(element, own, text);
    } else if (name === 'a') {
      const format = { ...run.format, href: attributes['xlink:href'] ?? '' };
      return this.#collect(element, { ...run, format }, text);
    } else if (name === 's') this.#add(' ', run, text, true);
    else if (name === 'tab') this.#add('\t', run, text, true);
    else if (name === 'line-break') this.#add('\n', run, text, true);
    else if (name === 'note') this.#note(element, run, text);
    else if (name === 'annotation') this.#countComment(element);
    else if (name === 'hidden-text' && attributes['text:is-hidden'] === 'true') this.#hide(element);
    else if (SHAPES.test(name)) this.#shape(element, text);
    else if (!NOT_TEXT.has(name)) return this.#collect(element, run, text);
    return true;
  }

  /** White space at the start of a paragraph, and after white space, is not shown unless an element writes it. */
  #add(text: string, { format }: Run, to: FormattedText, isElement = false): void {
    const own = !isElement && this.#atStart && text.startsWith(' ') ? text.slice(1) : text;
    if (own !== '') this.#atStart = !isElement && own.endsWith(' ');
    to.add(own, format);
  }

  #note(note: Element, { format }: Run, text: FormattedText): void {
    this.#notes.push({ number: ++this.#noteCount, note });
    text.add(`[^${this.#noteCount}]`, { ...format, isRaised: false });
  }

  #shape(element: Element, text: FormattedText): void {
    const { name } = element;
    if (name === 'g' || name === 'a') {
      for (const child of elementsOf(element)) this.#shape(child, text);
      return;
    }
    const children = elementsOf(element);
    const object = children.find((child) => child.name === 'object');
    const { formula = '', blocks = [] } = object === undefined ? {} : this.#around.objectAt(object);
    if (formula !== '') text.add(formula, PLAIN_TEXT);
    this.#blocks.push(...blocks);
    const boxes = children.filter((child) => child.name === 'text-box');
    if (children.some((child) => child.name === 'image') && object === undefined)
      text.add(descriptionOf(element), PLAIN_TEXT);
    if (name === 'frame' && children.some((child) => child.name === 'table')) this.#boxes.push(element);
    else this.#boxes.push(...boxes);
    if (name !== 'frame' && children.some((child) => child.name === 'p' || child.name === 'list'))
      this.#boxes.push(element);
  }

  #countComment(annotation: Element): void {
    if (textBelow(annotation).trim() !== '') this.#around.countLeftOut('comment');
  }

  #countDeleted(changes: Element): void {
    const deleted = allBelow(changes, 'deletion').filter((deletion) => {
      const content = elementsOf(deletion).filter(({ name }) => name !== 'change-info');
      return content.some((element) => textBelow(element).trim() !== '');
    });
    this.#around.countLeftOut('deleted_text', deleted.length);
  }
}

function withStyle({ format, style }: Run, added: TextStyle): Run {
  const all = { ...style, ...added };
  const emphasis = `${all.isStruck ? '~~' : ''}${all.isBold ? '**' : ''}${all.isItalic ? '*' : ''}`;
  return { style: all, format: { ...format, emphasis, isRaised: all.isRaised === true } };
}

function descriptionOf(frame: Element): string {
  const texts = ['desc', 'title'].map((name) => childOf(frame, name));
  const text = texts.map((one) => (one === undefined ? '' : textBelow(one).trim())).find((one) => one !== '');
  return text === undefined ? '' : `![${text.replace(/[\][\s]+/g, ' ')}]()`;
}

type Counts = (number | undefined)[];

class Numbering {
  readonly #styles: Styles;
  readonly #ofStyles = new Map<string, Counts>();
  readonly #ofLists = new Map<string, Counts>();
  #counts: Counts = [];
  readonly #headings: Counts = [];

  constructor(styles: Styles) {
    this.#styles = styles;
  }

  /** Begins an outermost list. Its numbers begin again, unless it continues those of a list. */
  begin({ attributes }: Element, style: string): void {
    const continued = this.#ofLists.get(attributes['text:continue-list'] ?? '');
    const same = attributes['text:continue-numbering'] === 'true' ? this.#ofStyles.get(style) : undefined;
    this.#counts = continued ?? same ?? [];
    this.#ofStyles.set(style, this.#counts);
    const id = attributes['xml:id'];
    if (id !== undefined) this.#ofLists.set(id, this.#counts);
  }

  /** The label of the next item; undefined if the list has no marks at this level. */
  next(style: string, level: number, start: string | undefined): string | undefined {
    const levels = this.#styles.list(style);
    count(this.#counts, level, levels, start);
    const isBlank = levels?.[level]?.format === '';
    const label = labelOf(levels ?? [], level, this.#counts);
    return isBlank && label === '' ? undefined : label;
  }

  ofHeading(level: number, attributes: Element['attributes']): string {
    const index = Math.min(level - 1, MAX_LEVEL);
    const isRestarted = attributes['text:restart-numbering'] === 'true';
    if (isRestarted) this.#headings[index] = undefined;
    const start = isRestarted ? attributes['text:start-value'] : undefined;
    count(this.#headings, index, this.#styles.outline, start);
    return labelOf(this.#styles.outline, index, this.#headings);
  }
}

function count(
  counts: Counts,
  level: number,
  levels: readonly (ListLevel | undefined)[] | undefined,
  start: string | undefined,
): void {
  const before = counts[level];
  const first = levels?.[level]?.start ?? 1;
  counts[level] = numberOf(start, before === undefined ? first : before + 1);
  counts.length = level + 1;
}
