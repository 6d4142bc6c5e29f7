import { escapeBlockStarts, fencedCode, markdownHeading } from '../markdown/index.ts';
import { Blocks, MAX_SPANNED, Table } from './blocks.ts';
import { writeMath } from './formulas.ts';
import { codeSpan, type Finish, Inline, inBrackets, link, linkText, superscript } from './inline.ts';
import { labelOf } from './labels.ts';
import { attributeOf, BLOCKS, type Element, NEVER_SHOWN, type Node, walk, words } from './nodes.ts';
import type { Page } from './page.ts';

const APART = words('button img input select svg text textarea');
const HIDDEN = words('head title rp area defs symbol metadata desc annotation annotation-xml');
const PREFORMATTED = words('pre listing xmp plaintext');
const FIELDS_WITHOUT_TEXT = words('hidden checkbox radio password file color range');
const LISTS = words('ul ol menu dir');
const CELLS = words('td th');
const NAVIGATION = words('nav footer');
const FINISHES: ReadonlyMap<string, Finish> = new Map([
  ...['code', 'kbd', 'samp', 'tt'].map((name) => [name, codeSpan] as const),
  ['a', link],
  ['sup', superscript],
  ['rt', inBrackets],
]);
const HEADING = /^h[1-6]$/;
const ENDS_IN_WORD = /[\p{L}\p{N}]$/u;
const NOT_DISPLAYED = /display\s*:\s*none/i;

/** Writes a page as Markdown, as a browser without scripts shows it. Counts hidden elements as left out. */
export function writeMarkdown(page: Page): string {
  const writer = new Writer(page);
  walk(
    page.root,
    (node) => writer.enter(node),
    (element) => writer.leave(element),
  );
  return writer.end();
}

interface List {
  readonly element: Element;
  /** The number of the next item; undefined without numbers. */
  next: number | undefined;
  readonly step: number;
  isFirst: boolean;
}

class Writer {
  readonly #page: Page;
  readonly #blocks = new Blocks();
  readonly #inline = new Inline();
  readonly #lists: List[] = [];
  /** The number of the item that begins, if Markdown has no such numbers. */
  #label = '';
  /** The text that was written last. */
  #before = '';
  #isAfterFormula = false;
  readonly #tables: { readonly element: Element; readonly rows: Table }[] = [];
  readonly #budget = { cells: MAX_SPANNED };
  #oneLine: Element | undefined;
  #pre: { readonly element: Element; text: string } | undefined;
  #navigation: Element | undefined;
  /** The number of blocks when the last `dt` ended. A `dd` that finds this number follows the `dt` directly. */
  #atTerm = 0;
  #isDefinition = false;

  constructor(page: Page) {
    this.#page = page;
  }

  end(): string {
    this.#endBlock();
    return this.#blocks.text();
  }

  enter(node: Node): boolean {
    if ('value' in node) this.#text(node.value);
    if (!('tagName' in node)) return false;
    const tex = this.#page.formulas.tex.get(node);
    if (tex !== undefined) this.#formula(tex);
    if (tex !== undefined || !this.#isShown(node)) return false;
    const { nodeName: name } = node;
    if (name === 'math') this.#formula(writeMath(node));
    if (name === 'math' || this.#page.formulas.isRepeated(node)) return false;
    if (this.#pre !== undefined) this.#enterInPre(node);
    else if (BLOCKS.has(name)) this.#enterBlock(node);
    else this.#enterInline(node);
    return name !== 'select';
  }

  leave(element: Element): void {
    const { nodeName: name } = element;
    if (this.#pre !== undefined) this.#leaveInPre(element);
    else if (BLOCKS.has(name)) this.#leaveBlock(element);
    else this.#inline.close(element);
    if (APART.has(name)) this.#inline.space();
  }

  #isShown(element: Element): boolean {
    const { nodeName: name, namespaceURI } = element;
    if (NEVER_SHOWN.has(name)) return false;
    if (HIDDEN.has(name)) return name === 'title' && namespaceURI.endsWith('svg');
    const hidden = attributeOf(element, 'hidden');
    const isHidden =
      (hidden !== undefined && hidden.toLowerCase() !== 'until-found') ||
      NOT_DISPLAYED.test(attributeOf(element, 'style') ?? '') ||
      (name === 'dialog' && attributeOf(element, 'open') === undefined);
    if (!isHidden && HEADING.test(this.#oneLine?.nodeName ?? '') && isAside(element)) return false;
    const { leftOut } = this.#page;
    if (isHidden) leftOut.set('hidden', (leftOut.get('hidden') ?? 0) + 1);
    return !isHidden;
  }

  #text(value: string): void {
    if (this.#label !== '' && value.trim() !== '') {
      const label = `${this.#label} `;
      this.#label = '';
      this.#text(label);
    }
    if (this.#pre !== undefined) this.#pre.text += value;
    else {
      if (this.#isAfterFormula && /^[\p{L}\p{N}]/u.test(value)) this.#inline.space();
      this.#inline.text(value);
    }
    this.#isAfterFormula = false;
    this.#before = value;
  }

  /** Writes a formula, apart from the words around it. */
  #formula(text: string): void {
    if (text === '') return;
    if (this.#pre === undefined && (this.#isAfterFormula || ENDS_IN_WORD.test(this.#before)))
      this.#inline.space();
    this.#text(text);
    this.#isAfterFormula = true;
  }

  #enterInline(element: Element): void {
    const { nodeName: name } = element;
    if (APART.has(name)) this.#inline.space();
    const finish = FINISHES.get(name);
    if (finish === link) this.#inline.open(element, this.#hasAddresses() ? link : linkText);
    else if (finish !== undefined) this.#inline.open(element, finish);
    else if (name === 'br') this.#inline.lineBreak();
    else if (name === 'img') this.#inline.text(attributeOf(element, 'alt') ?? '');
    else if (name === 'input') this.#inline.text(textOfField(element));
    else if (name === 'select') this.#inline.text(`${shownOptions(element).join(' ')} `);
  }

  #hasAddresses(): boolean {
    return this.#navigation === undefined && !HEADING.test(this.#oneLine?.nodeName ?? '');
  }

  #enterBlock(element: Element): void {
    const { nodeName: name } = element;
    if (this.#isLooseCell(name)) this.#inline.space();
    else this.#endBlock();
    if (this.#oneLine !== undefined) return;
    if (NAVIGATION.has(name)) this.#navigation ??= element;
    else if (HEADING.test(name)) this.#oneLine = element;
    else if (PREFORMATTED.has(name)) this.#pre = { element, text: '' };
    else if (name === 'hr') this.#add('---');
    else if (name === 'dd') this.#isDefinition = this.#atTerm === this.#blocks.count;
    else if (name === 'blockquote') this.#blocks.enter(element, '> ', true);
    else if (LISTS.has(name)) this.#enterList(element);
    else if (name === 'li') this.#enterItem(element);
    else if (name === 'table' && !this.#page.loose.has(element))
      this.#tables.push({ element, rows: new Table(this.#budget) });
    else if (CELLS.has(name) && this.#tables.length > 0) this.#oneLine = element;
  }

  #leaveBlock(element: Element): void {
    const { nodeName: name } = element;
    if (this.#oneLine === element) this.#endLine(element);
    if (this.#isLooseCell(name)) this.#inline.space();
    else this.#endBlock();
    if (this.#oneLine !== undefined) return;
    if (name === 'tr') this.#tables.at(-1)?.rows.endRow(element.parentNode?.nodeName === 'thead');
    else if (this.#tables.at(-1)?.element === element)
      for (const block of this.#tables.pop()?.rows.written() ?? []) this.#add(block);
    else if (this.#lists.at(-1)?.element === element) this.#lists.pop();
    else this.#blocks.leave(element);
    if (name === 'dt') this.#atTerm = this.#blocks.count;
    else if (name === 'dd') this.#isDefinition = false;
    else if (this.#navigation === element) this.#navigation = undefined;
  }

  /** Whether an element is a cell of a table that is written as blocks, one paragraph per row. */
  #isLooseCell(name: string): boolean {
    return CELLS.has(name) && this.#tables.length === 0;
  }

  #enterList(element: Element): void {
    const items = element.childNodes.filter(({ nodeName }) => nodeName === 'li').length;
    const isDown = attributeOf(element, 'reversed') !== undefined;
    const start = integerOf(element, 'start') ?? (isDown ? items : 1);
    const next = element.nodeName === 'ol' ? start : undefined;
    this.#lists.push({ element, next, step: isDown ? -1 : 1, isFirst: this.#lists.length === 0 });
  }

  #enterItem(element: Element): void {
    this.#label = '';
    if (this.#page.loose.has(element)) return;
    const list = this.#lists.at(-1);
    const isFirst = list?.isFirst ?? true;
    let mark = '- ';
    if (list?.next !== undefined) {
      const number = integerOf(element, 'value') ?? list.next;
      list.next = number + list.step;
      const type = attributeOf(element, 'type') ?? attributeOf(list.element, 'type') ?? '';
      const label = labelOf(type, number);
      if (/^\d{1,9}\.$/.test(label)) mark = `${label} `;
      else this.#label = label;
    }
    if (list !== undefined) list.isFirst = false;
    this.#blocks.enter(element, mark, isFirst);
  }

  #endLine(element: Element): void {
    this.#oneLine = undefined;
    const text = this.#inline.take();
    const { nodeName: name } = element;
    if (!CELLS.has(name)) {
      if (text !== '') this.#add(markdownHeading(Number(name[1]), text));
      return;
    }
    this.#tables.at(-1)?.rows.cell(text, {
      columns: spanOf(element, 'colspan'),
      rows: spanOf(element, 'rowspan'),
      isHeader: name === 'th',
    });
  }

  #endBlock(): void {
    if (this.#oneLine !== undefined) {
      this.#inline.space();
      return;
    }
    const text = this.#inline.take();
    if (text === '') return;
    const isDefinition = this.#isDefinition;
    this.#isDefinition = false;
    this.#blocks.add(`${isDefinition ? ': ' : ''}${escapeBlockStarts(text)}`, isDefinition);
  }

  #add(block: string): void {
    this.#isDefinition = false;
    this.#blocks.add(block);
  }

  #enterInPre({ nodeName: name }: Element): void {
    if (this.#pre === undefined) return;
    const isOnLine = this.#pre.text === '' || this.#pre.text.endsWith('\n');
    if (name === 'br' || (BLOCKS.has(name) && !isOnLine)) this.#pre.text += '\n';
  }

  #leaveInPre(element: Element): void {
    if (this.#pre?.element !== element) return;
    const code = this.#pre.text.replace(/^\n|\n$/g, '');
    this.#pre = undefined;
    if (code.trim() !== '') this.#add(fencedCode(code, languageOf(element)));
  }
}

/** Whether a part of a heading is only for screen readers, hidden from screen readers, or an edit link. */
function isAside(element: Element): boolean {
  const isForEyes = attributeOf(element, 'aria-hidden')?.toLowerCase() === 'true';
  return isForEyes || ASIDE.test(attributeOf(element, 'class') ?? '');
}

const ASIDE = /(?:^|\s)(?:mw-editsection|sr-only|visually-hidden|screen-reader-text)(?:\s|$)/;

function integerOf(element: Element, name: string): number | undefined {
  const written = /^\s*([+-]?\d{1,9})/.exec(attributeOf(element, name) ?? '')?.[1];
  return written === undefined ? undefined : Number(written);
}

function spanOf(cell: Element, name: string): number {
  const span = Number.parseInt(attributeOf(cell, name) ?? '', 10);
  return span > 1 ? span : 1;
}

function textOfField(input: Element): string {
  const type = attributeOf(input, 'type')?.toLowerCase() ?? 'text';
  if (FIELDS_WITHOUT_TEXT.has(type)) return '';
  const names = type === 'image' ? ['alt'] : ['value', 'placeholder'];
  return names.map((name) => attributeOf(input, name)).find(Boolean) ?? '';
}

function shownOptions(select: Element): string[] {
  const children = ({ childNodes }: Element) =>
    childNodes.filter((node): node is Element => 'tagName' in node);
  const options = children(select).flatMap((one) => (one.nodeName === 'optgroup' ? children(one) : [one]));
  const isOpen = ['multiple', 'size'].some((name) => (attributeOf(select, name) ?? '1') !== '1');
  const chosen = options.find((option) => attributeOf(option, 'selected') !== undefined) ?? options[0];
  const shown = isOpen ? options : chosen === undefined ? [] : [chosen];
  return shown.flatMap(({ childNodes }) => childNodes.map((node) => ('value' in node ? node.value : '')));
}

const LANGUAGE = /(?:^|\s)(?:lang(?:uage)?-|highlight-(?:source-)?|brush:\s*|sourceCode\s+)([\w+#.-]+)/i;
const NO_LANGUAGE = words('default none text plain plaintext notranslate');
const MAX_AROUND = 3;

function languageOf(pre: Element): string {
  const inner = pre.childNodes.find((node) => node.nodeName === 'code') as Element | undefined;
  const elements = inner === undefined ? [] : [inner];
  let around: Element | null = pre;
  for (let count = 0; count <= MAX_AROUND && around !== null && 'attrs' in around; count++) {
    elements.push(around);
    around = around.parentNode as Element | null;
  }
  const names = elements.map((element) =>
    LANGUAGE.exec(attributeOf(element, 'class') ?? '')?.[1]?.toLowerCase(),
  );
  const language = names.find((name) => name !== undefined) ?? '';
  return NO_LANGUAGE.has(language) ? '' : language;
}
