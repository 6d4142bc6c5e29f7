import type { Span } from '../../../../core/contracts/chunk.ts';
import type { Outline } from '../../../../core/contracts/structure.ts';
import { keepOptimised } from '../../../../core/engine/keep-optimised.ts';
import { bitOf, type Contents } from './contents.ts';
import { BLOCKS, type Block, SHOWN_INLINE, VOID_INLINE } from './elements.ts';
import type { PlacedHeading } from './headings.ts';
import { isSpace, MarkupReader } from './markup.ts';
import { OpenElements } from './open-elements.ts';
import { type Element, StructureRecord } from './record.ts';
import { Skipped } from './skipped.ts';
import type { Table } from './tables.ts';

/** What the structure of an HTML text is. */
export interface HtmlStructure {
  readonly outline: Outline;
  readonly headings: readonly PlacedHeading[];
  readonly tables: readonly Table[];
  readonly contents: Contents;
  /** What `oversize: keep` keeps whole, by their starts: rows without tables in them, and elements of code. */
  readonly units: readonly Span[];
  readonly skipped: Skipped;
}

/**
 * Finds the structure of HTML in one pass over its tags, in time linear in the text, however it is nested or broken.
 *
 * @param skip names of the elements that are left out: each lies between two edges, and nothing in it is looked at
 */
export function findStructure(text: string, skip: readonly string[]): HtmlStructure {
  return new StructureFinder(text, skip).find();
}

class StructureFinder {
  readonly #text: string;
  readonly #reader: MarkupReader;
  readonly #record: StructureRecord;
  readonly #skipped: Skipped;
  readonly #open = new OpenElements<Element>((element, inner, end) => this.#leave(element, inner, end));
  /** Behind what has been read. */
  #behind: number;

  constructor(text: string, skip: readonly string[]) {
    this.#text = text;
    this.#reader = new MarkupReader(text);
    this.#record = new StructureRecord(text);
    this.#skipped = new Skipped(skip);
    this.#behind = text.charCodeAt(0) === BOM ? 1 : 0;
  }

  find(): HtmlStructure {
    const { length } = this.#text;
    while (this.#reader.read()) this.#readMarkup();
    this.#readText(length);
    this.#open.closeAll(length);
    if (this.#skipped.isOn) this.#endSkipped(length);
    const { places, headings, tables, contents, units } = this.#record;
    places.cutAt(length);
    const { found } = headings;
    return {
      outline: places,
      headings: found,
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

  /** What stands between two tags is content, unless it is white space. */
  #readText(end: number): void {
    let start = this.#behind;
    while (start < end && isSpace(this.#text.charCodeAt(start))) start++;
    if (start < end && !this.#skipped.isOn) this.#content(start, end);
    this.#behind = end;
  }

  #content(start: number, end: number): void {
    this.#record.content(start, end, this.#open.depth, this.#open.innermost?.kinds ?? 0);
  }

  /** A comment goes with what comes, unless it stands on the line of what was before. */
  #comment(before: number): void {
    if (this.#skipped.isOn) return;
    const { start, end } = this.#reader;
    if (this.#text.startsWith('<!--', start)) this.#record.contents.add(start, end, COMMENT);
    const isOnLine = start > 0 && !this.#text.slice(before, start).includes('\n');
    const { places } = this.#record;
    if (isOnLine) places.close(end, this.#open.depth);
    else places.open(start, this.#open.depth);
  }

  #openingTag(): void {
    const { name, start, end, isForeign } = this.#reader;
    const block = isForeign ? undefined : BLOCKS.get(name);
    if (block !== undefined) this.#open.leaveBefore(block, start);
    const { depth } = this.#open;
    if (!this.#skipped.isOn && this.#skipped.has(name)) {
      this.#record.places.cutAt(start);
      this.#skipped.begin(name, start, depth, block !== undefined);
      if (this.#isVoid(block)) this.#endSkipped(end);
      else if (block !== undefined) this.#open.push(unrecorded(block));
    } else if (this.#skipped.isOn) this.#openWithin(name, block);
    else if (block !== undefined) this.#openBlock(block);
    else {
      this.#record.places.open(start, depth);
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

  /** Whether the present opening tag is all of its element. */
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
    // What closes the element that is left out is left out with it.
    if (this.#skipped.isOn || (wasSkipping && this.#skipped.end === end)) return;
    const { depth } = this.#open;
    if (block === undefined) this.#record.places.close(end, depth);
    else this.#record.close(end, depth);
  }

  #leave(element: Element, inner: number, end: number): void {
    const { depth } = this.#open;
    if (this.#skipped.isOn && this.#skipped.isAround(depth)) this.#endSkipped(inner);
    else if (this.#skipped.isOn && this.#skipped.isIt(depth)) this.#endSkipped(end);
    if (!element.isSkipped) this.#record.leave(element, inner, end);
  }

  #endSkipped(end: number): void {
    this.#skipped.finish(end);
    this.#record.places.cutAt(end);
    this.#record.contents.part();
  }
}

const BOM = 0xfeff;
const COMMENT = bitOf('comment');

function unrecorded(block: Block): Element {
  return { block, kinds: 0, unit: undefined, isSkipped: true };
}

// It holds all that finds the structure.
keepOptimised(new StructureFinder('', []));
