import type { TextFormat } from '../../toolkit/markdown/index.ts';
import type { ListMark } from './numbering.ts';

/** A stretch of text, or a mark between texts. */
export interface Item {
  text: string;
  format: TextFormat;
  /** The note that the item refers to, as `Notes` names it. */
  readonly note?: string;
  /** Whether a hidden run was here. */
  readonly isHidden?: true;
}

export interface Mark {
  /** The level from 1; 0 if the paragraph is not a heading. */
  readonly heading: number;
  readonly isTitle: boolean;
  readonly list: ListMark | undefined;
}

export interface Paragraph {
  readonly items: readonly Item[];
  readonly mark: Mark | undefined;
}

export interface Cell {
  readonly blocks: readonly Block[];
  columns: number;
  rows: number;
  /** Whether the cell continues the one above. */
  continues?: boolean;
}

export interface Table {
  readonly rows: readonly (readonly Cell[])[];
}

export type Block = Paragraph | Table;

/** All items of a block, in their order. */
export function itemsIn(block: Block): readonly Item[] {
  return 'items' in block
    ? block.items
    : block.rows.flatMap((row) => row.flatMap(({ blocks }) => blocks.flatMap(itemsIn)));
}

export const checkboxText = (isChecked: boolean): string => (isChecked ? '[x] ' : '[ ] ');

/** Notes by the kind and id that references have: `footnote 2`. */
export type Notes = ReadonlyMap<string, readonly Block[]>;

/** A paragraph without text or number. It has no text, but shows that a cell is not missing. */
const EMPTY: Paragraph = { items: [], mark: undefined };

/**
 * Collects the content of an element: the text of a paragraph, the blocks of a cell, the rows of a table. Text beside
 * blocks becomes a paragraph. The blocks of a paragraph are its text boxes.
 */
export class Content {
  items: Item[] = [];
  blocks: Block[] = [];
  rows: Cell[][] = [];
  cells: Cell[] = [];

  addBlock(block: Block): void {
    this.#endText();
    this.blocks.push(block);
  }

  /** Adds a paragraph, with the text boxes that follow it. */
  addParagraph({ items, blocks }: Content, mark: Mark | undefined): void {
    this.addBlock(items.length === 0 && mark === undefined ? EMPTY : { items, mark });
    this.blocks.push(...blocks);
  }

  /** @returns all blocks, with a paragraph of the text beside them */
  end(): readonly Block[] {
    this.#endText();
    return this.blocks;
  }

  #endText(): void {
    if (this.items.length === 0) return;
    this.blocks.push({ items: this.items, mark: undefined });
    this.items = [];
  }
}
