import type { Span } from '../../../../core/contracts/chunk.ts';
import { bitOf, Contents, type KindBits } from './contents.ts';
import type { Block } from './elements.ts';
import { Headings } from './headings.ts';
import type { OpenElement } from './open-elements.ts';
import { Places } from './places.ts';
import { Tables } from './tables.ts';

/** A block of which is known what it stands in. */
export interface Element extends OpenElement {
  /** Its own kind and those of all blocks around it. */
  readonly kinds: KindBits;
  readonly unit: Unit | undefined;
  /** Whether it is left out, so that nothing is recorded of it. */
  readonly isSkipped: boolean;
}

/** What `oversize: keep` keeps whole. */
interface Unit {
  readonly start: number;
  end: number;
  isKept: boolean;
}

const CODE = new Set(['code', 'script', 'style']);
/** They only lead into what comes. */
const LEADING = new Set(['dt', 'summary', 'legend']);

/** Records the structure of a text as its tags and contents come, each with how many blocks are open around it. */
export class StructureRecord {
  readonly places: Places;
  readonly headings: Headings;
  readonly tables: Tables;
  readonly contents = new Contents();
  readonly #length: number;
  readonly #units: Unit[] = [];
  /** The rows of tables that are open. */
  readonly #rows: Unit[] = [];

  constructor(text: string) {
    this.places = new Places(text);
    this.headings = new Headings(text);
    this.tables = new Tables(text);
    this.#length = text.length;
  }

  /** What is kept whole, none within another. */
  get units(): readonly Span[] {
    let end = 0;
    return this.#units.filter((unit) => {
      const isOutermost = unit.isKept && unit.start >= end;
      if (isOutermost) end = unit.end;
      return isOutermost;
    });
  }

  content(start: number, end: number, depth: number, kinds: KindBits): void {
    const cut = this.places.content(start, end, depth);
    this.headings.content(cut, start);
    this.contents.add(start, end, kinds);
  }

  /** The opening tag `[start, end)` of a block. */
  open(block: Block, start: number, end: number, depth: number, around: KindBits): Element {
    const { places } = this;
    const kinds = around | bitOf(block.kind);
    places.open(start, depth);
    places.block(block.level);
    if (block.name === 'hr') places.rule(end, depth);
    if (block.isShown) this.content(start, end, depth, kinds);
    if (block.isScope) this.headings.enterScope();
    if (block.level > 0) this.headings.open(block.level, end);
    this.#openPart(block.name, start, depth);
    return { block, kinds, unit: this.#openUnit(block, start), isSkipped: false };
  }

  /** The closing tag of a block ends. */
  close(end: number, depth: number): void {
    this.places.close(end, depth);
    this.places.block();
  }

  /** A block ends, with or without a closing tag. */
  leave({ block, unit }: Element, inner: number, end: number): void {
    const { places, headings } = this;
    if (unit !== undefined) unit.end = end;
    if (block.isScope) headings.leaveScope();
    if (block.isItem) places.endLead();
    if (block.level > 0 && headings.close(inner, end)) places.lead(block.level);
    if (LEADING.has(block.name)) places.lean();
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
      this.places.tableRow(depth);
    } else if (name === 'td' || name === 'th') tables.cell(name === 'th');
  }

  #leavePart(name: string, end: number): void {
    const { tables, places } = this;
    if (name === 'table') tables.close(end);
    else if (name === 'thead') tables.closeHead(end);
    else if (name === 'tr') {
      this.#rows.pop();
      if (tables.closeRow(end)) places.header();
    } else if (name === 'caption') places.header();
  }

  #openUnit({ name, kind = 'text' }: Block, start: number): Unit | undefined {
    if (name !== 'tr' && !CODE.has(kind)) return undefined;
    const unit = { start, end: this.#length, isKept: true };
    this.#units.push(unit);
    if (name === 'tr') this.#rows.push(unit);
    return unit;
  }
}
