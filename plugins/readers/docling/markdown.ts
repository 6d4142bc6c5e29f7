import { delimiterRow } from '../../toolkit/markdown/index.ts';
import { type Piece, type PlacedMarkdown, writePieces } from '../../toolkit/placed-markdown.ts';
import {
  type DoclingDocument,
  type Item,
  type ItemPosition,
  positionsOf,
  positionsOfCell,
  type Reference,
  type TableCell,
  type TableData,
} from './document.ts';

interface Context {
  readonly sheet?: string | undefined;
  readonly level: number;
  readonly isInline: boolean;
  /** Whether the item is in a comment section: only there, notes are written. */
  readonly isComment: boolean;
  readonly isInCell: boolean;
  readonly depth: number;
}

const MAX_DEPTH = 100;
const BLOCKS = '\n\n';

/**
 * Writes the body of a document as Markdown, like docling-core, with the places of items. The body excludes
 * headers, footers, notes and invisible text.
 */
export function writeMarkdown(document: DoclingDocument): PlacedMarkdown {
  return writePieces(new Writer(document).body());
}

class Writer {
  readonly #document: DoclingDocument;
  /** Items written so far. An item is written only once, even if references form a cycle. */
  readonly #written = new Set<Item>();
  readonly #captions: ReadonlySet<Item | undefined>;
  readonly #images: ReadonlyMap<Item, number>;
  readonly #numbers = new Map<Item, ReadonlyMap<Item | undefined, number> | undefined>();

  constructor(document: DoclingDocument) {
    this.#document = document;
    const { texts = [], tables = [], pictures = [] } = document;
    const owners = [...texts, ...tables, ...pictures];
    this.#captions = new Set(owners.flatMap(({ captions = [] }) => captions.map((one) => this.#find(one))));
    this.#images = new Map(pictures.map((one, index) => [one, index + 1]));
  }

  body(): Piece {
    const context = { level: 0, isInline: false, isComment: false, isInCell: false, depth: 0 };
    return joined(this.#flow(this.#document.body?.children, context), BLOCKS);
  }

  #find({ $ref }: Reference): Item | undefined {
    const [, list = '', index] = $ref.split('/');
    const items = this.#document[list as keyof DoclingDocument];
    return Array.isArray(items) ? (items[Number(index)] as Item | undefined) : undefined;
  }

  #flow(references: readonly Reference[] = [], context: Context): Piece[] {
    return references.flatMap((reference) => {
      const item = this.#find(reference);
      if (item === undefined) return [];
      const own = this.#once(item, context);
      return isWhole(item) ? [own] : [own, ...this.#flow(item.children, deeper(context))];
    });
  }

  #once(item: Item, context: Context): Piece {
    if (this.#written.has(item) || this.#captions.has(item)) return '';
    this.#written.add(item);
    const { content_layer = 'body', label } = item;
    const isComment = context.isComment || label === 'comment_section';
    const isRead = content_layer === 'body' || (isComment && content_layer === 'notes');
    return isRead ? this.#write(item, deeper({ ...context, isComment })) : '';
  }

  #write(item: Item, context: Context): Piece {
    const { label, name = '', children } = item;
    switch (label) {
      case 'sheet': {
        const sheet = name.replace(/^sheet: ?/, '');
        return joined([`## ${sheet}`, ...this.#flow(children, { ...context, sheet })], BLOCKS);
      }
      case 'list':
      case 'ordered_list':
        return joined(this.#list(children, context), '\n');
      case 'inline':
        return joined(this.#flow(children, { ...context, isInline: true }), ' ');
      case 'table':
      case 'document_index':
        return joined([this.#captionsOf(item, context), this.#table(item, context)], BLOCKS);
      case 'picture':
      case 'chart':
        return this.#picture(item, context);
    }
    if (isGroup(item)) return joined(this.#flow(children, context), BLOCKS);
    return joined([this.#text(item, context), this.#captionsOf(item, context)], BLOCKS);
  }

  #captionsOf({ captions = [] }: Item, context: Context): Piece {
    const items = captions.flatMap((one) => this.#find(one) ?? []).filter((one) => !this.#written.has(one));
    return joined(
      items.map((item) => {
        this.#written.add(item);
        return this.#plain(item, context, escaped);
      }),
      ' ',
    );
  }

  #list(references: readonly Reference[] = [], context: Context): Piece[] {
    const indent = ' '.repeat(4 * context.level);
    return references.flatMap((reference) => {
      const item = this.#find(reference);
      if (item === undefined) return [];
      if (isList(item)) return [this.#once(item, { ...context, level: context.level + 1 })];
      const own = this.#once(item, context);
      const line = isEmpty(own) ? '' : [indent, own];
      return isWhole(item) ? [line] : [line, ...this.#list(item.children, deeper(context))];
    });
  }

  #text(item: Item, context: Context): Piece {
    const { label, text = '', orig, level = 1 } = item;
    const body = (): Piece => this.#content(item, context);
    const code = (open: string, close: string) =>
      this.#formatted(item, [open, this.#plain(item, context, String), close]);
    const headed = (head: string): Piece => {
      const own = body();
      return isEmpty(own) ? '' : [head, own];
    };
    switch (label) {
      case 'title':
        return headed('# ');
      case 'section_header':
        return headed(`${'#'.repeat(level + 1)} `);
      case 'list_item':
        return headed(this.#marker(item));
      case 'checkbox_selected':
        return headed('- [x] ');
      case 'checkbox_unselected':
        return headed('- [ ] ');
      case 'code':
        return context.isInline || item.hyperlink ? code('`', '`') : code('```\n', '\n```');
      case 'formula': {
        if (text !== '') return context.isInline ? code('$', '$') : code('$$', '$$');
        const positions = this.#positions(item, context).map(({ position }) => position);
        return orig ? { text: '<!-- formula-not-decoded -->', positions } : '';
      }
      default:
        return body();
    }
  }

  #content(item: Item, context: Context): Piece {
    const line = this.#line(item);
    if (line !== undefined) return this.#once(line, { ...context, level: 0 });
    return this.#formatted(item, this.#plain(item, context, escaped));
  }

  /** The inline group that contains the text of an item; undefined if the item has its own text. */
  #line({ text, children: [first] = [] }: Item): Item | undefined {
    const line = text === '' && first !== undefined ? this.#find(first) : undefined;
    return line?.label === 'inline' ? line : undefined;
  }

  #formatted({ formatting, hyperlink }: Item, text: Piece): Piece {
    if (isEmpty(text)) return '';
    const { bold, italic, strikethrough } = formatting ?? {};
    const marks = [bold ? '**' : '', italic ? '*' : '', strikethrough ? '~~' : ''];
    const marked = [marks.toReversed().join(''), text, marks.join('')];
    return hyperlink ? ['[', marked, `](${hyperlink})`] : marked;
  }

  #plain(item: Item, context: Context, write: (text: string) => string): Piece {
    const { text = '' } = item;
    const positions = this.#positions(item, context);
    const characters = positions.length > 1 ? [...text] : [];
    if (!divides(positions, characters))
      return { text: write(text), positions: positions.map(({ position }) => position) };
    return positions.map(({ position }, index) => {
      const from = index === 0 ? 0 : positions[index]?.charspan?.[0];
      const to = positions[index + 1]?.charspan?.[0];
      return { text: write(characters.slice(from, to).join('')), positions: [position] };
    });
  }

  #positions(item: Item, { sheet }: Context): ItemPosition[] {
    return positionsOf(this.#document, item, sheet);
  }

  #marker(item: Item): string {
    const { marker = '', parent } = item;
    if (/^([-*+]|\d+\.)$/.test(marker)) return `${marker} `;
    const list = parent ? this.#find(parent) : undefined;
    const number = list === undefined || marker !== '' ? undefined : this.#numbersOf(list)?.get(item);
    const sign = number === undefined ? '-' : `${number}.`;
    return /[a-z0-9]/i.test(marker) ? `${sign} ${marker} ` : `${sign} `;
  }

  #numbersOf(list: Item): ReadonlyMap<Item | undefined, number> | undefined {
    if (!this.#numbers.has(list)) {
      const items = (list.children ?? []).map((one) => this.#find(one));
      const isNumbered = items.find((one) => one?.label === 'list_item')?.enumerated === true;
      this.#numbers.set(list, isNumbered ? new Map(items.map((one, at) => [one, at + 1])) : undefined);
    }
    return this.#numbers.get(list);
  }

  #picture(item: Item, context: Context): Piece {
    const image = { image: this.#images.get(item) };
    const own = this.#positions(item, context).map(({ position }) => ({ ...position, ...image }));
    const positions = own.length === 0 ? [image] : own;
    const { description, tabular_chart } = item.meta ?? {};
    const chart = tabular_chart?.chart_data ?? undefined;
    const written = [
      this.#captionsOf(item, context),
      { text: '<!-- image -->', positions },
      { text: escaped(description?.text ?? ''), positions },
      chart === undefined ? '' : rowsOf(gridOf(chart), (cell) => ({ text: cell.text ?? '', positions })),
    ];
    return joined(written, BLOCKS);
  }

  #table(item: Item, context: Context): Piece {
    const grid = gridOf(item.data ?? {});
    const write = (cell: TableCell): Piece => {
      const rich = cell.ref && this.#find(cell.ref);
      if (rich !== undefined && this.#written.has(rich)) return '';
      const content = rich === undefined ? '' : this.#once(rich, { ...context, isInCell: true });
      if (!isEmpty(content)) return content;
      return { text: cell.text ?? '', positions: positionsOfCell(this.#document, item, cell, context.sheet) };
    };
    // Markdown has no tables within cells.
    return context.isInCell ? joined(cellsOf(grid).map(write), ' ') : rowsOf(grid, write);
  }
}

/** The context one level deeper. @throws Error if items are nested too deep */
function deeper(context: Context): Context {
  if (context.depth === MAX_DEPTH) throw new Error(`its items are nested more than ${MAX_DEPTH} deep`);
  return { ...context, depth: context.depth + 1 };
}

function isGroup({ self_ref = '' }: Item): boolean {
  return self_ref === '#/body' || self_ref.startsWith('#/groups/');
}

function isList(item: Item): boolean {
  return isGroup(item) && (item.label === 'list' || item.label === 'ordered_list');
}

const WHOLE: ReadonlySet<string | undefined> = new Set(['table', 'document_index', 'picture', 'chart']);

/** Whether the text written for an item already includes its children. */
function isWhole(item: Item): boolean {
  return isGroup(item) || WHOLE.has(item.label);
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };

function escaped(text: string): string {
  const signs = text.replace(/[&<>]/g, (sign) => ESCAPES[sign] as string);
  return signs.replace(/(?<!\\)_/g, '\\_').replaceAll('\n', '  \n');
}

function divides(positions: readonly ItemPosition[], { length }: readonly string[]): boolean {
  let end = 0;
  for (const { charspan } of positions) {
    if (charspan === undefined || charspan[0] < end || charspan[1] <= charspan[0] || charspan[1] > length)
      return false;
    end = charspan[1];
  }
  return positions.length > 1;
}

type Grid = readonly (readonly (TableCell | undefined)[])[];

const MAX_CELLS = 1_000_000;

/** Cells by row and column. A spanning cell is in each place it covers. @throws Error for too many cells */
function gridOf({ num_rows = 0, num_cols = 0, table_cells = [] }: TableData): Grid {
  if (num_rows * num_cols > MAX_CELLS)
    throw new Error(`a table has ${num_rows} x ${num_cols} cells, over the limit of ${MAX_CELLS}`);
  const grid = Array.from({ length: num_rows }, () =>
    new Array<TableCell | undefined>(num_cols).fill(undefined),
  );
  for (const cell of table_cells) {
    const columnEnd = Math.min(cell.end_col_offset_idx, num_cols);
    for (let row = cell.start_row_offset_idx; row < Math.min(cell.end_row_offset_idx, num_rows); row++)
      for (let column = cell.start_col_offset_idx; column < columnEnd; column++)
        (grid[row] as (TableCell | undefined)[])[column] = cell;
  }
  return grid;
}

function cellsOf(grid: Grid): TableCell[] {
  return [...new Set(grid.flat())].filter((cell) => cell !== undefined);
}

/** Writes the rows of a table without padding, because padding would cost tokens. */
function rowsOf(grid: Grid, write: (cell: TableCell) => Piece): Piece {
  const rows = grid.map((row) => [
    '|',
    ...row.flatMap((cell): Piece[] => [' ', cell === undefined ? '' : { cell: write(cell) }, ' |']),
  ]);
  const [head = '', ...others] = rows;
  return grid.length === 0 ? '' : joined([head, delimiterRow(grid[0]?.length ?? 0), ...others], '\n');
}

function isEmpty(piece: Piece): boolean {
  if (typeof piece === 'string') return piece === '';
  if ('text' in piece) return piece.text === '';
  if ('cell' in piece) return isEmpty(piece.cell);
  return !('startsPage' in piece) && piece.every(isEmpty);
}

function joined(pieces: readonly Piece[], separator: string): readonly Piece[] {
  return pieces
    .filter((piece) => !isEmpty(piece))
    .flatMap((piece, index) => (index === 0 ? [piece] : [separator, piece]));
}
