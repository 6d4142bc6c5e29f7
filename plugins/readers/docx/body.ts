import type { TextFormat } from '../../toolkit/markdown/index.ts';
import { EquationWriter } from '../../toolkit/office/index.ts';
import { type Block, type Cell, Content, type Item, itemsIn, type Mark } from './content.ts';
import { XmlCursor } from './cursor.ts';
import { Fields } from './fields.ts';
import type { Numbering } from './numbering.ts';
import {
  descriptionOf,
  isDeletedRow,
  type ParagraphProperties,
  readCheckbox,
  readParagraphProperties,
  readSpans,
  writeEquation,
} from './properties.ts';
import { isOn, levelOf, type RunSwitches, readSwitches, type Styles } from './styles.ts';

/** What all parts of a document with text share. */
export interface Story {
  readonly styles: Styles;
  readonly numbering: Numbering;
  /** The sign that a font such as Wingdings shows for a hexadecimal number; undefined if it is unknown. */
  readonly symbol: (font: string, hex: string) => string | undefined;
  /** Local names of elements that are not known and have text. */
  readonly unread: Set<string>;
  /** How many pictures are described only by the names of their files, which are not written. */
  pictureNames: number;
}

/** Functions that read an element by its name. */
const READERS = new Map<string, (reader: BodyReader, into: Content) => void>();
/** Elements whose content is read as that of their parents. */
const TRANSPARENT =
  `w:fldSimple w:dir w:bdo m:oMathPara w:customXml w:ins w:moveTo w:smartTag v:group v:rect v:roundrect
  v:shape v:textbox w:txbxContent`.split(/\s+/);
/** Elements without text of the document. */
const WITHOUT_TEXT = new Set(
  `w:annotationRef w:bookmarkStart w:bookmarkEnd w:sectPr w:proofErr w:lastRenderedPageBreak w:commentRangeStart
  w:commentRangeEnd w:commentReference w:del w:footnoteRef w:endnoteRef w:moveFrom w:moveFromRangeStart
  w:moveFromRangeEnd w:moveToRangeStart w:moveToRangeEnd w:pPr w:rPr w:tblPr w:tblPrEx w:tblGrid w:trPr w:tcPr
  m:oMathParaPr v:shadow v:shapetype v:imagedata`.split(/\s+/),
);
/** Elements whose text is in another part. */
const REFERENCES = new Set(['altChunk', 'subDoc']);

const SUPERSCRIPT = 'superscript';
/** Formatting for character styles, by id, because some files do not define it. */
const FORMATS: Readonly<Record<string, RunSwitches>> = { strong: { bold: '' }, emphasis: { italic: '' } };

export function hasText(xml: string): boolean {
  return /<(?:[wma]:t|c:v)(?:\s[^<>]*)?>[^<]*[^<\s]/.test(xml);
}

/** Reads the text of a part: the document, or its notes. */
export class BodyReader {
  readonly #xml: XmlCursor;
  readonly #story: Story;
  readonly #hrefOf: (id: string) => string | undefined;
  readonly #fields = new Fields();
  #emphasis = '';
  #isRaised = false;
  #href = '';
  #format: TextFormat = formatOf('', false, '');
  /** The content of deleted paragraphs, which joins the next paragraph: only the paragraph mark is deleted. */
  #joining: Content | undefined;

  /** @param hrefOf the addresses of links, by the ids of the part's relationships */
  constructor(xml: string, story: Story, hrefOf: (id: string) => string | undefined) {
    this.#xml = new XmlCursor(xml);
    this.#story = story;
    this.#hrefOf = hrefOf;
  }

  /** The blocks of the document; undefined if the part has no body. */
  body(): readonly Block[] | undefined {
    const xml = this.#xml;
    for (xml.next(0); xml.next(1); ) {
      if (xml.name !== 'w:body') continue;
      const body = new Content();
      this.#content(body);
      while (xml.next(1));
      this.#fields.end();
      return body.end();
    }
    return undefined;
  }

  /** The notes of a part, by their kind and id: `footnote 2`. */
  notes(): Map<string, readonly Block[]> {
    const xml = this.#xml;
    const notes = new Map<string, readonly Block[]>();
    for (xml.next(0); xml.next(1); ) {
      const kind = NOTES[xml.name];
      if (kind === undefined || /^(?:continuationS|s)eparator$/.test(xml.attribute('type') ?? '')) continue;
      const key = `${kind} ${xml.attribute('id')}`;
      const note = new Content();
      this.#content(note);
      notes.set(key, note.end());
    }
    this.#fields.end();
    return notes;
  }

  static {
    const signs = {
      'w:tab': '\t',
      'w:ptab': '\t',
      'w:cr': '\n',
      'w:noBreakHyphen': '\u2011',
      'w:softHyphen': '\u00ad',
    };
    for (const [name, sign] of Object.entries(signs))
      READERS.set(name, (reader, into) => reader.#add(sign, into));
    for (const name of TRANSPARENT) READERS.set(name, (reader, into) => reader.#content(into));
    for (const name of ['w:drawing', 'w:pict', 'w:object'])
      READERS.set(name, (reader, into) => reader.#shape(into));
    READERS.set('w:r', (reader, into) => reader.#run(into));
    READERS.set('w:t', (reader, into) => reader.#add(reader.#xml.text(), into));
    READERS.set('w:p', (reader, into) => reader.#paragraph(into));
    READERS.set('w:br', (reader, into) => reader.#break(into));
    READERS.set('w:sym', (reader, into) => reader.#symbol(into));
    READERS.set('w:fldChar', (reader, into) => reader.#fieldMark(into));
    READERS.set('w:instrText', (reader) => reader.#fields.instruct(reader.#xml.text()));
    READERS.set('w:hyperlink', (reader, into) => reader.#hyperlink(into));
    READERS.set('w:footnoteReference', (reader, into) => reader.#note('footnote', into));
    READERS.set('w:endnoteReference', (reader, into) => reader.#note('endnote', into));
    READERS.set('w:tbl', (reader, into) => reader.#table(into));
    READERS.set('w:tr', (reader, into) => reader.#row(into));
    READERS.set('w:tc', (reader, into) => reader.#cell(into));
    READERS.set('w:sdt', (reader, into) => reader.#control(into));
    READERS.set('m:oMath', (reader, into) => reader.#equation(into));
    READERS.set('w:ruby', (reader, into) => reader.#only('w:rubyBase', into));
    READERS.set('mc:AlternateContent', (reader, into) => reader.#alternatives(() => reader.#content(into)));
  }

  #content(into: Content): void {
    const { depth } = this.#xml;
    while (this.#xml.next(depth)) this.#element(into);
  }

  #element(into: Content): void {
    const { name } = this.#xml;
    const read = READERS.get(name);
    if (read !== undefined) read(this, into);
    else if (!WITHOUT_TEXT.has(name)) this.#unknown();
  }

  #add(text: string, into: Content): void {
    this.#fields.see(text);
    into.items.push({ text, format: this.#format });
  }

  #unknown(): void {
    const name = this.#xml.name.slice(this.#xml.name.indexOf(':') + 1);
    if (hasText(this.#xml.skip()) || REFERENCES.has(name)) this.#story.unread.add(name);
  }

  #paragraph(into: Content): void {
    const xml = this.#xml;
    const own = this.#joining ?? new Content();
    this.#joining = undefined;
    let mark: Mark | undefined;
    let isJoined = false;
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name !== 'w:pPr') {
        this.#element(own);
        continue;
      }
      const properties = readParagraphProperties(xml);
      isJoined = properties.isJoined;
      mark = isJoined ? undefined : this.#markOf(properties);
    }
    if (isJoined) this.#joining = own;
    else into.addParagraph(own, mark);
  }

  #markOf({ styleId, outlineLevel, numId: own, level: written }: ParagraphProperties): Mark | undefined {
    const { styles, numbering } = this.#story;
    const style = styles.get(styleId);
    const heading = levelOf(outlineLevel) || (style?.heading ?? 0);
    const numId = own ?? style?.numId;
    const level = written ?? (own === undefined ? style?.level : undefined);
    const list = numId === undefined ? undefined : numbering.next(numId, level, style?.id);
    if (heading === 0 && list === undefined) return undefined;
    return { heading, isTitle: style?.isTitle ?? false, list };
  }

  #run(into: Content): void {
    const xml = this.#xml;
    const [emphasis, isRaised] = [this.#emphasis, this.#isRaised];
    const start = into.items.length;
    let isHidden = false;
    this.#setFormat('', false, this.#href);
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name === 'w:rPr') isHidden = this.#runProperties();
      else this.#element(into);
    }
    const { link } = this.#fields;
    if (isHidden) into.items.splice(start, Number.POSITIVE_INFINITY, HIDDEN);
    else if (link !== undefined)
      for (const item of into.items.slice(start)) item.format = { ...item.format, href: link };
    this.#setFormat(emphasis, isRaised, this.#href);
  }

  /** @returns whether the run is hidden */
  #runProperties(): boolean {
    const own = readSwitches(this.#xml);
    const style = own.styleId === undefined ? undefined : this.#story.styles.get(own.styleId);
    const all = style === undefined ? own : { ...FORMATS[style.id.toLowerCase()], ...style.runs, ...own };
    const isStruck = isOn(all.strike) || isOn(all.doubleStrike);
    const emphasis = `${isStruck ? '~~' : ''}${isOn(all.bold) ? '**' : ''}${isOn(all.italic) ? '*' : ''}`;
    this.#setFormat(emphasis, all.align === SUPERSCRIPT, this.#href);
    return isOn(all.vanish);
  }

  #setFormat(emphasis: string, isRaised: boolean, href: string): void {
    this.#emphasis = emphasis;
    this.#isRaised = isRaised;
    this.#href = href;
    this.#format = formatOf(emphasis, isRaised, href);
  }

  #break(into: Content): void {
    const type = this.#xml.attribute('type');
    if (type === undefined || BREAKS.has(type)) this.#add('\n', into);
  }

  #symbol(into: Content): void {
    const font = this.#xml.attribute('font') ?? '';
    const hex = this.#xml.attribute('char') ?? '';
    const { symbol } = this.#story;
    const sign = symbol(font, hex) ?? (/^F0..$/.test(hex) ? symbol(font, hex.slice(2)) : undefined);
    if (sign !== undefined) this.#add(sign, into);
  }

  #fieldMark(into: Content): void {
    const xml = this.#xml;
    const item: Item = { text: '', format: this.#format };
    this.#fields.mark(xml, item);
    into.items.push(item);
  }

  #note(kind: string, into: Content): void {
    const note = `${kind} ${this.#xml.attribute('id')}`;
    into.items.push({ text: '', format: this.#format, note });
  }

  #hyperlink(into: Content): void {
    const xml = this.#xml;
    const id = xml.attribute('id');
    const anchor = xml.attribute('anchor');
    const around = this.#href;
    if (id) {
      const href = this.#hrefOf(id) ?? '';
      this.#setFormat(
        this.#emphasis,
        this.#isRaised,
        anchor ? `${href.replace(/#.*/s, '')}#${anchor}` : href,
      );
    } else if (anchor) this.#setFormat(this.#emphasis, this.#isRaised, '');
    this.#content(into);
    this.#setFormat(this.#emphasis, this.#isRaised, around);
  }

  #table(into: Content): void {
    const table = new Content();
    this.#content(table);
    into.addBlock({ rows: mergedCells(table.rows) });
    for (const block of table.end()) into.addBlock(block);
  }

  #row(into: Content): void {
    const xml = this.#xml;
    const row = new Content();
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name !== 'w:trPr') this.#element(row);
      else if (isDeletedRow(xml, row)) return;
    }
    into.rows.push(row.cells);
  }

  #cell(into: Content): void {
    const xml = this.#xml;
    const content = new Content();
    const cell: { columns: number; rows: number; continues?: boolean } = { columns: 1, rows: 1 };
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name === 'w:tcPr') readSpans(xml, cell);
      else this.#element(content);
    }
    into.cells.push({ ...cell, blocks: content.end() });
  }

  /** A content control. The text of a box is the box. */
  #control(into: Content): void {
    const xml = this.#xml;
    let checkbox: string | undefined;
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name === 'w:sdtPr') checkbox = readCheckbox(xml);
      else if (xml.name !== 'w:sdtContent') continue;
      else if (checkbox === undefined) this.#content(into);
      else this.#checkboxContent(checkbox, into);
    }
  }

  #checkboxContent(box: string, into: Content): void {
    const [items, blocks] = [into.items.length, into.blocks.length];
    this.#content(into);
    const read = [...into.items.slice(items), ...into.blocks.slice(blocks).flatMap(itemsIn)];
    const shown = read.find(({ text }) => text !== '' && text !== '\t' && text !== '\n');
    if (shown === undefined) into.items.push({ text: box, format: this.#format });
    else shown.text = box;
  }

  #only(name: string, into: Content): void {
    const { depth } = this.#xml;
    while (this.#xml.next(depth)) if (this.#xml.name === name) this.#content(into);
  }

  /** Reads the variant for newer programs if that is a shape, otherwise the variant for older programs. */
  #alternatives(read: () => void): void {
    const xml = this.#xml;
    let choice: ReturnType<XmlCursor['mark']> | undefined;
    let isRead = false;
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name === 'mc:Fallback' && !isRead) {
        isRead = true;
        read();
      } else if (xml.name === 'mc:Choice' && choice === undefined) {
        choice = xml.mark();
        if (!DRAWING.test(xml.skip())) continue;
        isRead = true;
        xml.return(choice);
        read();
      }
    }
    if (isRead || choice === undefined) return;
    const end = xml.mark();
    xml.return(choice);
    read();
    xml.return(end);
  }

  /** A picture or shape: its description, and after the paragraph its text boxes. */
  #shape(into: Content): void {
    const xml = this.#xml;
    const start = xml.mark();
    const shape = xml.skip();
    const { text, isFileName } = descriptionOf(shape);
    if (isFileName) this.#story.pictureNames++;
    else if (text !== '') this.#add(`![${text}]()`, into);
    if (!shape.includes('txbxContent')) return;
    xml.return(start);
    this.#boxes(into);
  }

  #boxes(into: Content): void {
    const xml = this.#xml;
    const { depth } = xml;
    while (xml.next(depth)) {
      if (xml.name === 'mc:AlternateContent') this.#alternatives(() => this.#boxes(into));
      else if (xml.name !== 'w:txbxContent') this.#boxes(into);
      else {
        const box = new Content();
        this.#content(box);
        into.blocks.push(...box.end());
      }
    }
  }

  #equation(into: Content): void {
    const writer = new EquationWriter();
    writeEquation(this.#xml, writer);
    const [emphasis, isRaised] = [this.#emphasis, this.#isRaised];
    this.#setFormat('', false, this.#fields.link ?? this.#href);
    this.#add(writer.end(), into);
    this.#setFormat(emphasis, isRaised, this.#href);
  }
}

const NOTES: Readonly<Record<string, string | undefined>> = {
  'w:footnote': 'footnote',
  'w:endnote': 'endnote',
};
const BREAKS = new Set(['textWrapping', 'page', 'column']);
const DRAWING = /<(?:\w+:)?drawing[\s/>]/;
const PLAIN: TextFormat = { emphasis: '', isRaised: false, href: '' };
const HIDDEN: Item = { text: '', format: PLAIN, isHidden: true };

const formatOf = (emphasis: string, isRaised: boolean, href: string): TextFormat =>
  emphasis === '' && !isRaised && href === '' ? PLAIN : { emphasis, isRaised, href };

/** Joins cells that are merged with those above. */
function mergedCells(rows: readonly Cell[][]): readonly (readonly Cell[])[] {
  const above: (Cell | undefined)[] = [];
  return rows.map((row) => {
    let column = 0;
    return row.filter((cell) => {
      const upper = cell.continues === true ? above[column] : undefined;
      if (upper !== undefined) upper.rows++;
      else above[column] = cell;
      column += cell.columns;
      return upper === undefined;
    });
  });
}
