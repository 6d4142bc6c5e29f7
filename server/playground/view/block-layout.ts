/** Pixels of a line, and of a character, by which the height of a block is guessed until it is in the page. */
const LINE = 24;
const CHARACTER = 8;

/** Where blocks stand below each other: at the heights that they are known or guessed to have. */
export interface BlockLayout {
  readonly count: number;
  /** Of all blocks, in pixels. */
  readonly height: number;
  /** Pixels above a block. */
  topOf(block: number): number;
  /** The first block that ends at or below a place. */
  firstBelow(place: number): number;
  /** Takes the heights of blocks that were measured, in rising order. */
  measured(heights: readonly (readonly [block: number, height: number])[]): void;
}

/**
 * Guesses the heights of the blocks of a text.
 *
 * @param edges where they begin, and the end of the text
 * @param width of the text, in pixels
 */
export function layoutOf(text: string, edges: readonly number[], width: number): BlockLayout {
  const count = Math.max(0, edges.length - 1);
  const perLine = Math.max(8, width / CHARACTER);
  const linesIn = (block: number) => countLines(text.slice(edges[block], edges[block + 1]), perLine);
  const heights = Float64Array.from({ length: count }, (_, block) => linesIn(block) * LINE);
  const tops = new Float64Array(count + 1);
  const addUp = (from: number) => {
    for (let at = from; at < count; at++) tops[at + 1] = (tops[at] as number) + (heights[at] as number);
  };
  addUp(0);
  return {
    count,
    get height() {
      return tops[count] as number;
    },
    topOf: (block) => tops[block] ?? 0,
    firstBelow(place) {
      let [low, high] = [0, count];
      while (low < high) {
        const middle = (low + high) >> 1;
        if ((tops[middle + 1] as number) >= place) high = middle;
        else low = middle + 1;
      }
      return low;
    },
    measured(given) {
      for (const [block, height] of given) heights[block] = height;
      if (given[0] !== undefined) addUp(given[0][0]);
    },
  };
}

function countLines(text: string, perLine: number): number {
  return text.split('\n').reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / perLine)), 0);
}
