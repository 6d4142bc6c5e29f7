import { keepOptimised } from '../keep-optimised.ts';
import { type BlockKind, isText, type OpenBlock, openBlock } from './block.ts';
import { Line } from './line.ts';

/** Deeper containers are treated as text, which bounds the cost of a line. */
export const MOST_CONTAINERS = 32;

/** What a line has begun. */
export type Begun = 'leaf' | 'container';

/** A pass over the lines of a Markdown text: the current line, the blocks so far, and the open ones. */
export class Scan {
  readonly text: string;
  readonly line: Line;
  readonly found: OpenBlock[] = [];
  /** The open containers, outermost first. */
  readonly open: OpenBlock[] = [];
  /** The open leaf block in the innermost container. */
  leaf: OpenBlock | undefined;
  /** End of the last line that belongs to a block. */
  #lastEnd = 0;

  constructor(text: string) {
    this.text = text;
    this.line = new Line(text);
  }

  /** The open text, which a line may continue. */
  get openText(): OpenBlock | undefined {
    return isText(this.leaf) ? this.leaf : undefined;
  }

  /** Begins a leaf that the next lines may continue. */
  begin(kind: BlockKind, depth: number): OpenBlock {
    const leaf = this.add(kind, depth);
    this.leaf = leaf;
    return leaf;
  }

  beginContainer(kind: BlockKind, depth: number): OpenBlock {
    const container = this.add(kind, depth);
    this.open.push(container);
    return container;
  }

  /** Replaces the open leaf by one that follows it in the same containers. */
  follow(leaf: OpenBlock): void {
    this.found.push(leaf);
    this.leaf = leaf;
  }

  /** Adds the current line to a block. */
  extend(leaf: OpenBlock): void {
    leaf.end = this.line.next;
    this.#lastEnd = this.line.next;
  }

  /** Closes the leaf, and all containers deeper than this. */
  closeTo(depth: number): void {
    this.leaf = undefined;
    while (this.open.length > depth) (this.open.pop() as OpenBlock).end = this.#lastEnd;
  }

  /** Adds a block of the current line in this many of the open containers, and closes the others. */
  add(kind: BlockKind, depth: number): OpenBlock {
    // A list holds nothing but items.
    this.closeTo(this.open[depth - 1]?.kind === 'list' && kind !== 'item' ? depth - 1 : depth);
    const around = this.open.at(-1);
    if (around !== undefined) around.isFilled = true;
    const { start, next, ink } = this.line;
    const block = openBlock(kind, start, next, this.open.length, ink);
    this.found.push(block);
    this.#lastEnd = next;
    return block;
  }
}

keepOptimised([new Scan(''), openBlock('paragraph', 0, 0, 0, 0)]);
