import { keepOptimised, type Outline as PackedOutline } from '../../../../core/kit.ts';

export interface Outline extends PackedOutline {
  readonly edges: readonly number[];
  readonly ranks: readonly number[];
}

/** Ranks of boundaries: before headings by their level, after rules, and between blocks by depth. */
const BEHIND_RULE = 7;
const BLOCK = 8;
const MAX_DEPTH = 40;

export const NO_LEVEL = 7;

/**
 * Finds the boundaries of the outline. A run of tags between two contents has at most one boundary, where the fewest
 * elements are open. Opening tags stay with what follows, closing tags with what precedes.
 */
export class Edges implements Outline {
  readonly #text: string;
  readonly edges: number[] = [0];
  readonly ranks: number[] = [0];
  /** Where the content before the run ends; 0 if there is none. */
  #contentEnd = 0;
  // State of the current run.
  #cut = -1;
  #depth = 0;
  #isOpened = false;
  #hasBlock = false;
  #level = NO_LEVEL;
  #isBehindRule = false;
  /** Whether the content after the run needs the content before it. */
  leans = false;
  /** Depth of the last table row that begins in the run; -1 if none does. */
  tableRowDepth = -1;
  /** Whether the run ends the header or caption of a table, which stays with the first row if both fit. */
  endsHeader = false;
  /** Level of the heading before the run, which stays with its text; `NO_LEVEL` if there is none. */
  lead = NO_LEVEL;

  constructor(text: string) {
    this.#text = text;
  }

  /** Called where an element or comment begins. @param depth number of open blocks before it */
  open(offset: number, depth: number): void {
    this.#consider(offset, depth, true);
  }

  /** Called where an element or comment ends. @param depth number of open blocks after it */
  close(offset: number, depth: number): void {
    this.#consider(offset, depth, false);
  }

  /** Called for the tag of a block, so that the run separates contents. */
  block(level = 0): void {
    this.#hasBlock = true;
    if (level > 0) this.#level = Math.min(this.#level, level);
  }

  /** Called after a rule, which stays with the content before it. */
  rule(offset: number, depth: number): void {
    this.#cut = offset;
    this.#depth = depth;
    this.#isOpened = false;
    this.#isBehindRule = true;
  }

  /** Called for content `[start, end)`, which ends the run. @returns where the text after the run begins */
  content(start: number, end: number, depth: number): number {
    if (this.#cut !== -1) this.#consider(start, depth, true);
    const cut = this.#cut === -1 ? start : this.#cut;
    const isLed = this.lead !== NO_LEVEL;
    if (isLed) this.#improve(this.#level);
    else if (this.#hasBlock && this.#contentEnd > 0) this.#add(cut, this.#rank());
    this.#startRun();
    this.lead = NO_LEVEL;
    this.#contentEnd = end;
    return cut;
  }

  cutAt(offset: number): void {
    this.#startRun();
    this.lead = NO_LEVEL;
    this.#contentEnd = offset;
    this.#add(offset, 0);
  }

  #startRun(): void {
    this.#cut = -1;
    this.#isOpened = false;
    this.#hasBlock = false;
    this.#level = NO_LEVEL;
    this.#isBehindRule = false;
    this.leans = false;
    this.tableRowDepth = -1;
    this.endsHeader = false;
  }

  #consider(offset: number, depth: number, isOpening: boolean): void {
    if (this.#cut !== -1 && (depth > this.#depth || (depth === this.#depth && this.#isOpened))) return;
    this.#cut = offset;
    this.#depth = depth;
    this.#isOpened = isOpening;
  }

  #add(offset: number, rank: number): void {
    if (offset <= (this.edges.at(-1) ?? 0)) return;
    this.edges.push(offset);
    this.ranks.push(rank);
  }

  /** Ranks the boundary before several headings by the highest heading. */
  #improve(level: number): void {
    const last = this.ranks.length - 1;
    if (last > 0 && level < NO_LEVEL) this.ranks[last] = Math.min(this.ranks[last] as number, level);
  }

  #rank(): number {
    if (this.#level < NO_LEVEL) return this.#level;
    if (this.#isBehindRule) return BEHIND_RULE;
    if (this.endsHeader && this.tableRowDepth >= 0) return blockRank(this.tableRowDepth) + 1;
    return blockRank(this.#depth) + (this.leans || this.endsHeader || this.#isBehindColon() ? 1 : 0);
  }

  #isBehindColon(): boolean {
    let last = this.#contentEnd - 1;
    while (last >= 0 && isSpace(this.#text.charCodeAt(last))) last--;
    return this.#text.charCodeAt(last) === COLON;
  }
}

const COLON = 58;

keepOptimised(new Edges(''));

/** The rank between blocks. The next rank is for worse cuts at the same depth. */
function blockRank(depth: number): number {
  return BLOCK + 2 * Math.min(depth, MAX_DEPTH);
}

export function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13 && unit !== 11);
}
