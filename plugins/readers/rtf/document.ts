import { FormattedText, MarkdownDocument, PLAIN_TEXT } from '../../toolkit/markdown/index.ts';
import { CHARACTERS, CharacterReader } from './characters.ts';
import { COUNTED, EQUATION, INFO, KNOWN, SKIPPED, simplifiedEquation } from './destinations.ts';
import {
  type CellDefinition,
  lineOfParagraphs,
  type RtfParagraph,
  type RtfRow,
  writeParagraph,
  writeRtfTable,
} from './tables.ts';
import { readRtfTokens } from './tokens.ts';

export interface RtfDocument {
  readonly text: string;
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly leftOut: Readonly<Record<string, number>>;
  /** Runs of characters that are invalid in their code page, and were read as windows-1252. */
  readonly doubtful: number;
}

const MAX_CELLS_OF_ROW = 4096;
const MAX_STYLES = 10_000;

/** The text that a stretch of the file belongs to: the document, a note, a text box, a header. */
interface Flow {
  readonly kind: string;
  inline: FormattedText;
  paragraphs: RtfParagraph[];
}

interface Field {
  instruction: string;
}

interface Capture {
  text: string;
}

interface Paragraph {
  readonly style: number;
  readonly outline: number | undefined;
  readonly list: number;
  readonly level: number;
  readonly isInTable: boolean;
}

/** What a group inherits from the group around it. */
interface Group {
  readonly flow: Flow;
  readonly capture: Capture | undefined;
  readonly isSkipped: boolean;
  /** Whether bytes are those of a picture. */
  readonly isPicture: boolean;
  readonly isStarred: boolean;
  readonly hasContent: boolean;
  readonly destination: string;
  readonly uc: number;
  readonly font: number;
  readonly isBold: boolean;
  readonly isItalic: boolean;
  readonly isStruck: boolean;
  readonly isRaised: boolean;
  readonly isHidden: boolean;
  readonly isDeleted: boolean;
  readonly href: string;
  readonly field: Field | undefined;
  readonly paragraph: Paragraph;
}

const NO_PARAGRAPH: Paragraph = { style: 0, outline: undefined, list: 0, level: 0, isInTable: false };
const PLAIN = {
  isBold: false,
  isItalic: false,
  isStruck: false,
  isRaised: false,
  isHidden: false,
  isDeleted: false,
};
const SWITCHES: ReadonlyMap<string, keyof typeof PLAIN> = new Map([
  ['b', 'isBold'],
  ['i', 'isItalic'],
  ['strike', 'isStruck'],
  ['striked', 'isStruck'],
  ['super', 'isRaised'],
  ['v', 'isHidden'],
  ['deleted', 'isDeleted'],
]);
const PARAGRAPH_ENDS: ReadonlySet<string> = new Set(['par', 'sect', 'page', 'column']);
const CODE_PAGES: Readonly<Record<string, number>> = { mac: 10000, pc: 437, pca: 850 };

/**
 * Reads RTF (1.9.1) as Markdown.
 *
 * @throws Error for callers if the file is not RTF, or is over a limit
 */
export function readRtf(bytes: Uint8Array, signal: AbortSignal): RtfDocument {
  const reader = new RtfReader(signal);
  readRtfTokens(bytes, reader);
  return reader.end();
}

class RtfReader {
  readonly #signal: AbortSignal;
  readonly #document = new MarkdownDocument();
  readonly #main: Flow = newFlow('main');
  readonly #characters = new CharacterReader((text) => this.#put(text));
  readonly #groups: Group[] = [];
  readonly #styles = new Map<number, { heading: number; isTitle: boolean }>();
  readonly #info = new Map<string, string>();
  readonly #leftOut = new Map<string, number>();
  #group: Group;
  #style = { id: 0, outline: undefined as number | undefined };
  #fontId = 0;
  /** Whether the next control word is the first of its group. */
  #isFirst = true;
  /** Name of the last property of a picture or shape. */
  #property = '';
  #label: string | undefined;
  #notes: string[] = [];
  #boxes: RtfParagraph[] = [];
  #noteCount = 0;
  #rows: RtfRow[] = [];
  #cells: RtfParagraph[][] = [];
  #cell: RtfParagraph[] = [];
  #definitions: CellDefinition[] = [];
  #merge = { continuesLeft: false, continuesAbove: false };
  #title: string | undefined;

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    this.#group = {
      ...{
        flow: this.#main,
        capture: undefined,
        isSkipped: false,
        isPicture: false,
        isStarred: false,
        hasContent: false,
        destination: '',
      },
      ...{ uc: 1, font: -1, href: '', field: undefined, paragraph: NO_PARAGRAPH, ...PLAIN },
    };
  }

  open(): void {
    this.#characters.flush();
    this.#characters.endReplacement();
    this.#isFirst = true;
    this.#group = { ...this.#group, hasContent: true };
    this.#groups.push(this.#group);
    this.#group = { ...this.#group, hasContent: false, destination: '', isStarred: false };
  }

  close(): void {
    this.#isFirst = false;
    this.#characters.flush();
    this.#characters.endReplacement();
    const ended = this.#group;
    const outer = this.#groups.pop();
    if (outer === undefined) return;
    this.#group = outer;
    if (outer.font >= 0) this.#characters.select(outer.font);
    if (!ended.isSkipped) this.#endDestination(ended);
  }

  byte(byte: number): void {
    if (!this.#group.isSkipped && !this.#group.isPicture) this.#characters.byte(byte);
  }

  control(name: string, parameter: number | undefined): void {
    if (this.#group.isSkipped) return;
    const character = CHARACTERS[name];
    if (character !== undefined) this.#characters.character(character);
    else if (name === 'u') this.#characters.unicode(parameter ?? 0, this.#group.uc);
    else {
      this.#characters.flush();
      const isFirst = this.#isFirst;
      this.#isFirst = false;
      // An asterisk elsewhere than at the start of a group means nothing.
      if (name === '*') this.#set({ isStarred: isFirst });
      else if (!this.#begin(name)) this.#format(name, parameter);
    }
  }

  end(): RtfDocument {
    this.#characters.flush();
    this.#endParagraph();
    if (this.#cells.length > 0 || this.#cell.length > 0) this.#endRow();
    this.#endTable();
    const info = Object.fromEntries([...this.#info].filter(([, text]) => text !== ''));
    const { title = this.#title, authors, ...others } = info;
    const names = authors?.split(';').map((author) => author.trim());
    return {
      text: this.#document.text(),
      title,
      metadata: { ...(names !== undefined && { authors: names }), ...others },
      leftOut: Object.fromEntries([...this.#leftOut].sort()),
      doubtful: this.#characters.doubtful,
    };
  }

  #set(changes: Partial<Group>): void {
    this.#group = { ...this.#group, ...changes };
  }

  /** Begins the destination of a group. @returns whether the control word is one */
  #begin(name: string): boolean {
    const { isStarred, destination, hasContent } = this.#group;
    if (destination !== '' || hasContent) return false;
    const isDestination = this.#beginKnown(name);
    if (!isDestination && isStarred && !KNOWN.has(name)) {
      this.#set({ isSkipped: true });
      return true;
    }
    this.#set({ isStarred: false });
    return isDestination;
  }

  #beginKnown(name: string): boolean {
    const equation = EQUATION.get(name);
    const counted = COUNTED.get(name);
    if (SKIPPED.has(name) || (name.startsWith('m') && name.endsWith('Pr'))) this.#set({ isSkipped: true });
    else if (equation !== undefined) {
      this.#put(equation[0]);
      this.#set({ destination: name });
    } else if (counted !== undefined)
      this.#set({ destination: name, flow: newFlow(counted), ...PLAIN, paragraph: NO_PARAGRAPH });
    else if (name === 'footnote')
      this.#set({ destination: name, flow: newFlow('note'), ...PLAIN, paragraph: NO_PARAGRAPH });
    else if (name === 'shptxt' || name === 'dptxbxtext')
      this.#set({ destination: name, flow: newFlow('box'), ...PLAIN, paragraph: NO_PARAGRAPH });
    else if (name === 'pict' || name === 'sp') this.#set({ destination: name, isPicture: true });
    else if (name === 'sn' || name === 'sv')
      this.#set({ destination: name, isPicture: false, capture: { text: '' } });
    else if (name === 'field') this.#set({ destination: name, field: { instruction: '' } });
    else if (name === 'fldrslt')
      this.#set({ destination: name, href: addressIn(this.#group.field?.instruction ?? '') });
    else if (
      ['fldinst', 'listtext', 'pntext', 'stylesheet', 'fonttbl', 'info'].includes(name) ||
      this.#isInfo(name)
    )
      this.#set({ destination: name, capture: { text: '' } });
    else if (name === 'upr') this.#set({ destination: name });
    else return false;
    return true;
  }

  #isInfo(name: string): boolean {
    return INFO.has(name) && this.#groups.at(-1)?.destination === 'info';
  }

  #endDestination(ended: Group): void {
    const { destination, capture, flow } = ended;
    if (destination === '' && capture !== undefined) this.#endEntry(capture);
    else if (INFO.has(destination) && capture !== undefined && this.#group.destination === 'info') {
      const name = INFO.get(destination) as string;
      this.#info.set(name, name.endsWith('ed') ? dateOf(capture.text) : capture.text.trim().toWellFormed());
    } else if (destination === 'fldinst' && this.#group.field !== undefined && capture !== undefined)
      this.#group.field.instruction += capture.text;
    else if (destination === 'listtext' || destination === 'pntext')
      this.#label = labelOf(capture?.text ?? '');
    else if (destination === 'sn') this.#property = capture?.text.trim() ?? '';
    else if (destination === 'sv') this.#endProperty(capture?.text ?? '');
    else if (EQUATION.has(destination)) this.#put(EQUATION.get(destination)?.[1] ?? '');
    else if (flow !== this.#group.flow && destination !== '') this.#endFlow(ended);
  }

  /** Ends an entry of the tables of styles and fonts. */
  #endEntry(capture: Capture): void {
    const { destination } = this.#group;
    if (destination === 'stylesheet' && this.#styles.size < MAX_STYLES) {
      const name = capture.text.split(';', 1).join('').trim().toLowerCase();
      const named = /^heading ([1-9])$/.exec(name)?.[1] ?? { title: 1, subtitle: 2 }[name];
      const heading = named === undefined ? (this.#style.outline ?? -1) + 1 : Number(named);
      this.#styles.set(this.#style.id, { heading, isTitle: name === 'title' });
    }
    if (destination === 'stylesheet' || destination === 'fonttbl') {
      capture.text = '';
      this.#style = { id: 0, outline: undefined };
    }
  }

  /** Ends a property of a picture or shape. Only its description is text. */
  #endProperty(value: string): void {
    const description = value.replace(/[\][\s]+/g, ' ').trim();
    if (this.#property === 'wzDescription' && description !== '')
      this.#group.flow.inline.add(`![${description}]()`, PLAIN_TEXT);
  }

  #endFlow({ flow, paragraph }: Group): void {
    const inner = this.#group;
    this.#set({ flow, paragraph });
    this.#endParagraph();
    this.#group = inner;
    const text = lineOfParagraphs(flow.paragraphs);
    if (text === '') return;
    if (flow.kind === 'box') this.#boxes.push(...flow.paragraphs);
    else if (flow.kind !== 'note') this.#leftOut.set(flow.kind, (this.#leftOut.get(flow.kind) ?? 0) + 1);
    else {
      const mark = `[^${++this.#noteCount}]`;
      this.#notes.push(`${mark}: ${text}`);
      this.#group.flow.inline.add(mark, PLAIN_TEXT);
    }
  }

  #format(name: string, parameter: number | undefined): void {
    const { paragraph } = this.#group;
    const change = SWITCHES.get(name);
    if (change !== undefined) this.#set({ [change]: parameter !== 0 });
    else if (name === 'plain') this.#set(PLAIN);
    else if (name === 'nosupersub') this.#set({ isRaised: false });
    else if (name === 'pard') this.#set({ paragraph: { ...NO_PARAGRAPH, isInTable: false } });
    else if (PARAGRAPH_ENDS.has(name)) this.#endParagraph(name !== 'par');
    else if (name === 'intbl') this.#set({ paragraph: { ...paragraph, isInTable: true } });
    else if (name === 'ls') this.#set({ paragraph: { ...paragraph, list: parameter ?? 0 } });
    else if (name === 'ilvl') this.#set({ paragraph: { ...paragraph, level: parameter ?? 0 } });
    else if (name === 's') this.#setStyle(parameter ?? 0);
    else if (name === 'outlinelevel') this.#setOutline(parameter ?? 9);
    else if (name === 'uc') this.#set({ uc: parameter ?? 1 });
    else if (name === 'ud') this.#set({ isSkipped: false });
    else if (name === 'f') this.#setFont(parameter ?? 0);
    else if (name === 'fcharset') this.#characters.setFont(this.#fontId, parameter, undefined);
    else if (name === 'cpg') this.#characters.setFont(this.#fontId, undefined, parameter);
    else if (name === 'ansicpg') this.#characters.documentCodePage = parameter || 1252;
    else if (CODE_PAGES[name] !== undefined) this.#characters.documentCodePage = CODE_PAGES[name];
    else if (DATE_PARTS.has(name) && this.#group.capture !== undefined)
      this.#group.capture.text += `${name}${parameter} `;
    else this.#formatTable(name, parameter);
  }

  #formatTable(name: string, parameter: number | undefined): void {
    if (this.#group.flow.kind !== 'main') {
      if (name === 'cell' || name === 'row') this.#endParagraph();
    } else if (name === 'trowd') {
      this.#definitions = [];
      this.#merge = { continuesLeft: false, continuesAbove: false };
    } else if (name === 'clmrg') this.#merge.continuesLeft = true;
    else if (name === 'clvmrg') this.#merge.continuesAbove = true;
    else if (name === 'cellx') {
      if (this.#definitions.length < MAX_CELLS_OF_ROW)
        this.#definitions.push({ right: parameter ?? 0, ...this.#merge });
      this.#merge = { continuesLeft: false, continuesAbove: false };
    } else if (name === 'cell') this.#endCell();
    else if (name === 'nestcell') this.#endParagraph();
    else if (name === 'row') this.#endRow();
  }

  #setStyle(id: number): void {
    this.#style = { ...this.#style, id };
    this.#set({ paragraph: { ...this.#group.paragraph, style: id } });
  }

  #setOutline(level: number): void {
    const outline = level >= 0 && level < 9 ? level : -1;
    this.#style = { ...this.#style, outline };
    this.#set({ paragraph: { ...this.#group.paragraph, outline } });
  }

  #setFont(font: number): void {
    this.#fontId = font;
    this.#set({ font });
    this.#characters.select(font);
  }

  #put(text: string): void {
    const { capture, flow, isSkipped, isHidden, isDeleted, isBold, isItalic, isStruck, isRaised, href } =
      this.#group;
    if (isSkipped) return;
    if (!this.#group.hasContent) this.#set({ hasContent: true });
    if (capture !== undefined) capture.text += text;
    else if (isHidden || isDeleted) this.#countHidden(text, isDeleted ? 'deleted_text' : 'hidden_text');
    else {
      const emphasis = `${isStruck ? '~~' : ''}${isBold ? '**' : ''}${isItalic ? '*' : ''}`;
      flow.inline.add(text, { emphasis, href, isRaised });
    }
  }

  #countHidden(text: string, kind: string): void {
    if (text.trim() !== '') this.#leftOut.set(kind, (this.#leftOut.get(kind) ?? 0) + 1);
  }

  #endParagraph(isBreak = false): void {
    const { flow, paragraph } = this.#group;
    const styled = this.#styles.get(paragraph.style);
    const heading = paragraph.outline === undefined ? (styled?.heading ?? 0) : paragraph.outline + 1;
    const written = simplifiedEquation(flow.inline.written(heading === 0));
    const text = heading > 0 ? written.replace(/\s+/g, ' ') : written;
    flow.inline = new FormattedText();
    const label = this.#label ?? (paragraph.list > 0 && heading === 0 ? '' : undefined);
    if (text === '' && isBreak) return;
    this.#label = undefined;
    if (text === '' && this.#notes.length === 0 && this.#boxes.length === 0) return;
    const one: RtfParagraph = { text, heading, label, level: paragraph.level };
    if (heading > 0 && styled?.isTitle === true) this.#title ??= text;
    if (flow.kind !== 'main') flow.paragraphs.push(one);
    else if (paragraph.isInTable) this.#cell.push(one);
    else {
      if (this.#cells.length > 0 || this.#cell.length > 0) this.#endRow();
      this.#endTable();
      writeParagraph(this.#document, one);
      this.#addPending();
    }
  }

  #endCell(): void {
    this.#set({ paragraph: { ...this.#group.paragraph, isInTable: true } });
    this.#endParagraph();
    if (this.#cells.length < MAX_CELLS_OF_ROW) this.#cells.push(this.#cell);
    else this.#cells.at(-1)?.push(...this.#cell);
    this.#cell = [];
  }

  #endRow(): void {
    if (this.#cell.length > 0) this.#cells.push(this.#cell);
    this.#cell = [];
    if (this.#cells.length > 0) this.#rows.push({ cells: this.#cells, definitions: this.#definitions });
    this.#cells = [];
  }

  #endTable(): void {
    const rows = this.#rows;
    this.#rows = [];
    if (rows.length > 0) writeRtfTable(this.#document, rows);
    if (rows.length > 0) this.#addPending();
  }

  #addPending(): void {
    this.#signal.throwIfAborted();
    for (const box of this.#boxes.splice(0)) writeParagraph(this.#document, box);
    for (const note of this.#notes.splice(0)) this.#document.block(note);
  }
}

const newFlow = (kind: string): Flow => ({ kind, inline: new FormattedText(), paragraphs: [] });

function addressIn(instruction: string): string {
  return /^\s*HYPERLINK\s+"?((?:https?:|mailto:)[^"\s]{1,2000})/i.exec(instruction)?.[1] ?? '';
}

/** The label of an item as it is shown; empty for a bullet. */
function labelOf(text: string): string {
  const label = text.trim();
  return /[\p{L}\p{N}]/u.test(label) && !/^o$/.test(label) ? label : '';
}

const DATE_PARTS: ReadonlySet<string> = new Set(['yr', 'mo', 'dy', 'hr', 'min', 'sec']);

/** A date such as `2024-02-01T13:30`, of control words such as `yr2024 mo2 dy1 hr13 min30`. */
function dateOf(parts: string): string {
  const part = (name: string): string =>
    new RegExp(`\\b${name}(\\d{1,4})\\b`).exec(parts)?.[1]?.padStart(2, '0') ?? '';
  const day = [part('yr'), part('mo'), part('dy')];
  if (day.some((one) => one === '' || one === '00')) return '';
  const time = part('hr') === '' ? '' : `T${part('hr')}:${part('min') || '00'}`;
  return day.join('-') + time;
}
