/**
 * What a block is. Only MDX has `esm`: imports and exports. `raw` is math, or what a template or a note program keeps from
 * Markdown. A `list`, `item`, `quote` or `footnote` is a container: it holds other blocks.
 */
export type BlockKind =
  | 'front_matter'
  | 'heading'
  | 'paragraph'
  | 'fence'
  | 'indented'
  | 'html'
  | 'raw'
  | 'esm'
  | 'table'
  | 'break'
  | 'definition'
  | 'list'
  | 'item'
  | 'quote'
  | 'footnote';

/**
 * Whole lines of a Markdown text, `[start, end)`, including the last line break. Containers come before their
 * contents.
 */
export interface MarkdownBlock {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  /** The number of containers around it. */
  readonly depth: number;
  /** Headings: 1 to 6; others: 0. */
  readonly level: number;
  /** Where the text of its first line begins; for a table, where its first row begins, after the delimiter row. */
  readonly inner: number;
}

/** A block that may still grow. */
export interface OpenBlock extends MarkdownBlock {
  kind: BlockKind;
  end: number;
  level: number;
  inner: number;
  /** Item, footnote: columns that its lines are indented by. Fence: its length. */
  width: number;
  /** Fence, list, item: the marker. HTML: the block type. Paragraph: 1 while it holds only a link label. */
  mark: number;
}

/** Marks a paragraph that is only `[label]:` so far, which the next line may complete as a definition. */
export const LABEL_ALONE = 1;

export function openBlock(
  kind: BlockKind,
  start: number,
  end: number,
  depth: number,
  inner: number,
): OpenBlock {
  return {
    kind,
    start,
    end,
    depth,
    level: 0,
    inner,
    width: 0,
    mark: 0,
  };
}
