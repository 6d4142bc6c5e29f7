import { keepOptimised } from '../../../../core/kit.ts';

/** Ranks of boundaries: before headings by their level, after rules, and between blocks by depth. */
const BEHIND_RULE = 7;
const BLOCK = 8;
const MAX_DEPTH = 40;

/** Level for anything but a heading. */
export const NO_LEVEL = 7;

/**
 * Finds the boundaries of the outline. Between two stretches of content there is a run of tags with at most one
 * boundary: where the fewest elements are open, so that opening tags go with what follows, and closing tags with what
 * precedes.
 */
export class Places {
  readonly #text: string;
  readonly edges: number[] = [0];
  readonly ranks: number[] = [0];
  /** After the content before the run; 0 if there is none. */
  #contentEnd = 0;
  // The run so far.
  #cut = -1;
  #depth = 0;
  #isOpened = false;
  #hasBlock = false;
  #level = NO_LEVEL;
  #isBehindRule = false;
  /** Whether what follows needs what was before. */
  leans = false;
  /** The depth of the rows of a table whose header the run of tags ends; -1 if it ends none. */
  tableRowDepth = -1;
  /** Whether the header or caption of a table ends: it is cut from the first row only if they do not fit together. */
  endsHeader = false;
  /** Level of the heading before the run, from which nothing is cut; `NO_LEVEL` if there is none. */
  lead = NO_LEVEL;

  constructor(text: string) {
    this.#text = text;
  }

  /** A tag or comment that begins something, with this many blocks open before it. */
  open(offset: number, depth: number): void {
    this.#consider(offset, depth, true);
  }

  /** A tag that ends something, with this many blocks open after it. */
  close(offset: number, depth: number): void {
    this.#consider(offset, depth, false);
  }

  /** One of the tags is a block's: the run separates what is before it from what is after it. */
  block(level = 0): void {
    this.#hasBlock = true;
    if (level > 0) this.#level = Math.min(this.#level, level);
  }

  /** A rule ends here, and stays with what was before. */
  rule(offset: number, depth: number): void {
    this.#cut = offset;
    this.#depth = depth;
    this.#isOpened = false;
    this.#isBehindRule = true;
  }

  /**
   * Content `[start, end)` ends the run.
   *
   * @param depth number of open blocks
   * @returns where the text after the run begins
   */
  content(start: number, end: number, depth: number): number {
    if (this.#cut !== -1) this.#consider(start, depth, true);
    const cut = this.#cut === -1 ? start : this.#cut;
    const isLed = this.lead !== NO_LEVEL;
    if (isLed) this.#improve(this.#level);
    else if (this.#hasBlock && this.#contentEnd > 0) this.#add(cut, this.#rank());
    this.#startRow();
    this.lead = NO_LEVEL;
    this.#contentEnd = end;
    return cut;
  }

  /** A boundary regardless of the tags, followed by a new run. */
  cutAt(offset: number): void {
    this.#startRow();
    this.lead = NO_LEVEL;
    this.#contentEnd = offset;
    this.#add(offset, 0);
  }

  #startRow(): void {
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

  /** The cut before headings in a row is as good as that before the highest of them. */
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

keepOptimised(new Places(''));

const COLON = 58;

/** The rank between blocks; one more is worse, and still better than between deeper blocks. */
function blockRank(depth: number): number {
  return BLOCK + 2 * Math.min(depth, MAX_DEPTH);
}

/** Whether a unit is HTML white space. */
export function isSpace(unit: number): boolean {
  return unit === 32 || (unit >= 9 && unit <= 13 && unit !== 11);
}
