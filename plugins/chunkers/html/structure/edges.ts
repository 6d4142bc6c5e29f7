import { keepOptimised, type Outline as PackedOutline } from '../../../../core/kit.ts';

export interface Outline extends PackedOutline {
  readonly edges: readonly number[];
  readonly ranks: readonly number[];
}

/** Ranks of boundaries, best first: before headings by level (1 to 6), after `<hr>`, between blocks by depth. */
const BEHIND_RULE = 7;
const BLOCK = 8;
const MAX_DEPTH = 40;

export const NO_LEVEL = 7;

/**
 * Finds the boundaries of the outline. A run, the tags between two contents, has at most one boundary, where the fewest
 * elements are open. Opening tags stay with the next content, closing tags with the previous content.
 */
export class Edges implements Outline {
  readonly #text: string;
  readonly edges: number[] = [0];
  readonly ranks: number[] = [0];
  /** The end of the last content; 0 if there is none. */
  #contentEnd = 0;
  // State of the current run.
  #cut = -1;
  #depth = 0;
  #isOpened = false;
  #hasBlock = false;
  #level = NO_LEVEL;
  #isBehindRule = false;
  /** Whether the content before the run introduces the content after the run, as `dt` does. */
  leans = false;
  /** Depth of the last table row that begins in the run; -1 if no row begins there. */
  tableRowDepth = -1;
  /** Whether a table's header or caption ends in the run. The first row stays with both if they fit together. */
  endsHeader = false;
  /** Level of the heading directly before the run (a heading stays with its text); `NO_LEVEL` if there is none. */
  lead = NO_LEVEL;

  constructor(text: string) {
    this.#text = text;
  }

  /** Called where an element or comment begins. @param depth number of open blocks before the element or comment */
  open(offset: number, depth: number): void {
    this.#consider(offset, depth, true);
  }

  /** Called where an element or comment ends. @param depth number of open blocks after the element or comment */
  close(offset: number, depth: number): void {
    this.#consider(offset, depth, false);
  }

  /** Called for each tag of a block; a run without any has no boundary. @param level 1 to 6 for headings, else 0 */
  block(level = 0): void {
    this.#hasBlock = true;
    if (level > 0) this.#level = Math.min(this.#level, level);
  }

  /** Called after a rule (`<hr>`), which stays with the content before the rule. */
  rule(offset: number, depth: number): void {
    this.#cut = offset;
    this.#depth = depth;
    this.#isOpened = false;
    this.#isBehindRule = true;
  }

  /** Called for content `[start, end)`, which ends the run. @returns the offset in the run where the text may be cut */
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

  /** Gives the boundary before consecutive headings the rank of the highest of these headings. */
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

/** The rank between blocks. The next higher rank is for worse cuts at the same depth. */
function blockRank(depth: number): number {
  return BLOCK + 2 * Math.min(depth, MAX_DEPTH);
}

export function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13 && unit !== 11);
}
