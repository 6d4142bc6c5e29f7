/** What a block is. A `list`, `item`, `quote` or `footnote` is a container: it holds other blocks. */
export type BlockKind =
  | 'front_matter'
  | 'heading'
  | 'paragraph'
  | 'fence'
  | 'indented'
  | 'html'
  | 'table'
  | 'break'
  | 'definition'
  | 'list'
  | 'item'
  | 'quote'
  | 'footnote';

/** Whole lines of a Markdown text, `[start, end)` with the last one's break. Containers come before what they hold. */
export interface MarkdownBlock {
  readonly kind: BlockKind;
  readonly start: number;
  readonly end: number;
  /** How many containers it lies in. */
  readonly depth: number;
  /** Of a heading: 1 to 6; 0 of others. */
  readonly level: number;
  /** Where the letters of its first line begin; of a table, where its first row begins, behind the delimiter row. */
  readonly inner: number;
}

/** A block that may still grow. */
export interface OpenBlock extends MarkdownBlock {
  kind: BlockKind;
  end: number;
  level: number;
  inner: number;
  /** Of an item or a footnote: columns that its lines are indented by. Of a fence: its length. */
  width: number;
  /** Of a fence, list or item: its mark. Of HTML: its kind. Of a paragraph: whether it is a label alone so far. */
  mark: number;
  /** Whether a container holds anything. */
  isFilled: boolean;
  /** Of a paragraph: where its last line begins, and where the letters of that do. */
  lastLine: number;
  lastInk: number;
}

/** Marks a paragraph that is `[label]:` so far, which the next line may complete as a definition. */
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
    isFilled: false,
    lastLine: start,
    lastInk: inner,
  };
}

/** Whether a block is text that the next line may go on with. */
export function isText(block: OpenBlock | undefined): block is OpenBlock {
  return block?.kind === 'paragraph' || block?.kind === 'definition';
}
