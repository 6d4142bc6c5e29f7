import { keepOptimised, type Span } from '../../../../core/kit.ts';
import { MarkupReader } from '../../../toolkit/markup/index.ts';
import { Contents } from './contents.ts';
import { Edges, isSpace, NO_LEVEL, type Outline } from './edges.ts';
import {
  BLOCKS,
  type Block,
  bitOf,
  type Element,
  type KindBits,
  OpenElements,
  SHOWN_INLINE,
  type Unit,
  VOID_INLINE,
} from './elements.ts';
import { type Decode, Headings, type PlacedHeading } from './headings.ts';
import { Skipped } from './skipped.ts';
import { type Table, Tables } from './tables.ts';

const CODE = new Set(['code', 'script', 'style']);
/** Elements that introduce the next content. */
const LEADING = new Set(['dt', 'summary', 'legend']);

/**
 * Records the structure of a text from its tags and contents. `depth` is the number of blocks around a tag or content.
 */
class StructureRecord {
  readonly edges: Edges;
  readonly headings: Headings;
  readonly tables: Tables;
  readonly contents = new Contents();
  readonly #length: number;
  readonly #units: Unit[] = [];
  readonly #rows: Unit[] = [];

  constructor(text: string, decode: Decode) {
    this.edges = new Edges(text);
    this.headings = new Headings(text, decode);
    this.tables = new Tables(text);
    this.#length = text.length;
  }

  get units(): readonly Span[] {
    let end = 0;
    return this.#units.filter((unit) => {
      const isOutermost = unit.isKept && unit.start >= end;
      if (isOutermost) end = unit.end;
      return isOutermost;
    });
  }

  content(start: number, end: number, depth: number, kinds: KindBits): void {
    const cut = this.edges.content(start, end, depth);
    this.headings.content(cut, start);
    this.contents.add(start, end, kinds);
  }

  open(block: Block, start: number, end: number, depth: number, around: KindBits): Element {
    const { edges } = this;
    const kinds = around | bitOf(block.kind);
    edges.open(start, depth);
    edges.block(block.level);
    if (block.name === 'hr') edges.rule(end, depth);
    if (block.isShown) this.content(start, end, depth, kinds);
    if (block.isScope) this.headings.enterScope();
    if (block.level > 0) this.headings.open(block.level, end);
    this.#openPart(block.name, start, depth);
    return { block, kinds, unit: this.#openUnit(block, start), isSkipped: false };
  }

  close(end: number, depth: number): void {
    this.edges.close(end, depth);
    this.edges.block();
  }

  /** Called when a block ends, with or without a closing tag. */
  leave({ block, unit }: Element, inner: number, end: number): void {
    const { edges, headings } = this;
    if (unit !== undefined) unit.end = end;
    if (block.isScope) headings.leaveScope();
    if (block.isItem) edges.lead = NO_LEVEL;
    if (block.level > 0 && headings.close(inner, end)) edges.lead = block.level;
    if (LEADING.has(block.name)) edges.leans = true;
    this.#leavePart(block.name, end);
  }

  #openPart(name: string, start: number, depth: number): void {
    const { tables } = this;
    if (name === 'table') {
      const row = this.#rows.at(-1);
      if (row !== undefined) row.isKept = false;
      tables.open(start);
    } else if (name === 'thead') tables.openHead();
    else if (name === 'tr') {
      tables.openRow(start);
      this.edges.tableRowDepth = depth;
    } else if (name === 'td' || name === 'th') tables.cell(name === 'th');
  }

  #leavePart(name: string, end: number): void {
    const { tables, edges } = this;
    if (name === 'table') tables.close(end);
    else if (name === 'thead') tables.closeHead(end);
    else if (name === 'tr') {
      this.#rows.pop();
      if (tables.closeRow(end)) edges.endsHeader = true;
    } else if (name === 'caption') edges.endsHeader = true;
  }

  #openUnit({ name, kind = 'text' }: Block, start: number): Unit | undefined {
    if (name !== 'tr' && !CODE.has(kind)) return undefined;
    const unit = { start, end: this.#length, isKept: true };
    this.#units.push(unit);
    if (name === 'tr') this.#rows.push(unit);
    return unit;
  }
}

export interface HtmlStructure {
  readonly outline: Outline;
  readonly headings: readonly PlacedHeading[];
  readonly tables: readonly Table[];
  readonly contents: Contents;
  /** Elements that `oversize: keep` keeps whole, in text order: code, and rows without inner tables. */
  readonly units: readonly Span[];
  readonly skipped: Skipped;
}

/**
 * Finds the structure of HTML in one pass. The time is linear in the text, even if nesting is deep or broken.
 *
 * @param skip names of elements to skip with their content; each is between two boundaries
 * @param decode decodes the character references of headings
 */
export function findStructure(
  text: string,
  skip: readonly string[],
  decode: Decode = (name) => name,
): HtmlStructure {
  return new StructureFinder(text, skip, decode).find();
}

class StructureFinder {
  readonly #text: string;
  readonly #reader: MarkupReader;
  readonly #record: StructureRecord;
  readonly #skipped: Skipped;
  readonly #open = new OpenElements((element, inner, end) => this.#leave(element, inner, end));
  readonly #first: number;
  #behind: number;

  constructor(text: string, skip: readonly string[], decode: Decode) {
    this.#text = text;
    this.#reader = new MarkupReader(text);
    this.#record = new StructureRecord(text, decode);
    this.#skipped = new Skipped(skip);
    this.#first = text.charCodeAt(0) === BOM ? 1 : 0;
    this.#behind = this.#first;
  }

  find(): HtmlStructure {
    const { length } = this.#text;
    while (this.#reader.read()) this.#readMarkup();
    this.#readText(length);
    this.#open.closeAll(length);
    if (this.#skipped.isOn) this.#endSkipped(length);
    const { edges, headings, tables, contents, units } = this.#record;
    edges.cutAt(length);
    return {
      outline: edges,
      headings: headings.found,
      tables: tables.found,
      contents,
      units,
      skipped: this.#skipped,
    };
  }

  #readMarkup(): void {
    const { start, end, name, isClosing, rawEnd } = this.#reader;
    const before = this.#behind;
    this.#readText(start);
    if (name === '') this.#comment(before);
    else if (isClosing) this.#closingTag();
    else this.#openingTag();
    this.#behind = end;
    this.#readText(rawEnd);
  }

  #readText(end: number): void {
    let start = this.#behind;
    while (start < end && isSpace(this.#text.charCodeAt(start))) start++;
    if (start < end && !this.#skipped.isOn) this.#content(start, end);
    this.#behind = end;
  }

  #content(start: number, end: number): void {
    this.#record.content(start, end, this.#open.depth, this.#open.innermost?.kinds ?? 0);
  }

  /** Reads a comment. It stays with the previous content if both are on one line, otherwise with the next content. */
  #comment(before: number): void {
    if (this.#skipped.isOn) return;
    const { start, end } = this.#reader;
    if (this.#text.startsWith('<!--', start)) this.#record.contents.add(start, end, COMMENT);
    const isOnLine = start > this.#first && !this.#text.slice(before, start).includes('\n');
    const { edges } = this.#record;
    if (isOnLine) edges.close(end, this.#open.depth);
    else edges.open(start, this.#open.depth);
  }

  #openingTag(): void {
    const { name, start, end, isForeign } = this.#reader;
    const block = isForeign ? undefined : BLOCKS.get(name);
    if (block !== undefined) this.#open.leaveBefore(block, start);
    const { depth } = this.#open;
    if (!this.#skipped.isOn && this.#skipped.has(name)) {
      this.#record.edges.cutAt(start);
      this.#skipped.begin(name, start, depth, block !== undefined);
      if (this.#isVoid(block)) this.#endSkipped(end);
      else if (block !== undefined) this.#open.push(unrecorded(block));
    } else if (this.#skipped.isOn) this.#openWithin(name, block);
    else if (block !== undefined) this.#openBlock(block);
    else {
      this.#record.edges.open(start, depth);
      if (isForeign || SHOWN_INLINE.has(name)) this.#content(start, end);
    }
  }

  #openBlock(block: Block): void {
    const { start, end } = this.#reader;
    const { depth, innermost } = this.#open;
    const element = this.#record.open(block, start, end, depth, innermost?.kinds ?? 0);
    if (!block.isVoid) this.#open.push(element);
  }

  #openWithin(name: string, block: Block | undefined): void {
    if (this.#isVoid(block)) return;
    if (block !== undefined) this.#open.push(unrecorded(block));
    else this.#skipped.open(name);
  }

  /** Whether the current element has neither content nor a closing tag. */
  #isVoid(block: Block | undefined): boolean {
    const { name, end, isForeign } = this.#reader;
    if (block !== undefined) return block.isVoid;
    const isOfForeign = isForeign || name === 'svg' || name === 'math';
    return VOID_INLINE.has(name) || (isOfForeign && this.#text[end - 2] === '/');
  }

  #closingTag(): void {
    const { name, start, end, isForeign } = this.#reader;
    const block = isForeign ? undefined : BLOCKS.get(name);
    const wasSkipping = this.#skipped.isOn;
    if (block !== undefined) this.#open.close(block, start, end);
    else if (wasSkipping && this.#skipped.closes(name)) this.#endSkipped(end);
    // The closing tag of a skipped element is skipped, too.
    if (this.#skipped.isOn || (wasSkipping && this.#skipped.end === end)) return;
    const { depth } = this.#open;
    if (block === undefined) this.#record.edges.close(end, depth);
    else this.#record.close(end, depth);
  }

  #leave(element: Element, inner: number, end: number): void {
    const skippedEnd = this.#skipped.endWith(this.#open.depth, inner, end);
    if (skippedEnd !== undefined) this.#endSkipped(skippedEnd);
    if (!element.isSkipped) this.#record.leave(element, inner, end);
  }

  #endSkipped(end: number): void {
    this.#skipped.finish(end);
    this.#record.edges.cutAt(end);
    this.#record.contents.breakRun();
  }
}

const BOM = 0xfeff;
const COMMENT = bitOf('comment');

function unrecorded(block: Block): Element {
  return { block, kinds: 0, unit: undefined, isSkipped: true };
}

keepOptimised(new StructureFinder('', [], String));
