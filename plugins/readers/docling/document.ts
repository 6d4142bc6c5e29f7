import type { SourcePosition } from '../../../core/kit.ts';
import { cellRange } from '../../toolkit/places.ts';

/**
 * The members of a DoclingDocument that are read: `docling_core.types.doc` of docling-core 2, schema versions
 * 1.0 to 1.10. Any member may be missing, because the document comes from another server.
 */
export interface DoclingDocument {
  readonly body?: Item;
  readonly groups?: readonly Item[];
  readonly texts?: readonly Item[];
  readonly tables?: readonly Item[];
  readonly pictures?: readonly Item[];
  readonly key_value_items?: readonly Item[];
  readonly form_items?: readonly Item[];
  readonly field_regions?: readonly Item[];
  readonly field_items?: readonly Item[];
  readonly pages?: Readonly<
    Record<string, { readonly size?: { readonly width?: number; readonly height?: number } }>
  >;
}

export interface Item {
  readonly self_ref?: string;
  readonly parent?: Reference | null;
  readonly children?: readonly Reference[];
  readonly content_layer?: string;
  readonly label?: string;
  readonly name?: string;
  readonly text?: string;
  readonly orig?: string;
  readonly level?: number;
  readonly enumerated?: boolean;
  readonly marker?: string;
  readonly hyperlink?: string | null;
  readonly formatting?: Partial<Record<'bold' | 'italic' | 'strikethrough', boolean>> | null;
  readonly captions?: readonly Reference[];
  readonly prov?: readonly Provenance[];
  readonly source?: readonly Track[];
  readonly data?: TableData;
  readonly meta?: {
    readonly description?: { readonly text?: string } | null;
    readonly tabular_chart?: { readonly chart_data?: TableData } | null;
  } | null;
}

/** A JSON reference: `{"$ref": "#/texts/3"}`. */
export interface Reference {
  readonly $ref: string;
}

interface Provenance {
  readonly page_no: number;
  readonly bbox: BoundingBox;
  /** Start and end within the item's text, in code points. */
  readonly charspan?: readonly [number, number];
}

/** Coordinates in points on a page, or in cells of a sheet. */
interface BoundingBox {
  readonly l: number;
  readonly t: number;
  readonly r: number;
  readonly b: number;
  readonly coord_origin?: string;
}

/** A stretch of a recording, in seconds. */
interface Track {
  readonly kind?: string;
  readonly start_time?: number;
  readonly end_time?: number;
  readonly voice?: string | null;
}

export interface TableData {
  readonly num_rows?: number;
  readonly num_cols?: number;
  readonly table_cells?: readonly TableCell[];
}

export interface TableCell {
  readonly text?: string;
  readonly bbox?: BoundingBox | null;
  /** The item that contains the content of the cell, if that is more than plain text. */
  readonly ref?: Reference;
  readonly start_row_offset_idx: number;
  readonly end_row_offset_idx: number;
  readonly start_col_offset_idx: number;
  readonly end_col_offset_idx: number;
}

export interface ItemPosition {
  readonly position: SourcePosition;
  readonly charspan: readonly [number, number] | undefined;
}

export function positionsOf(document: DoclingDocument, item: Item, sheet?: string): ItemPosition[] {
  const boxes = (item.prov ?? []).map(({ page_no, bbox, charspan }) => ({
    position: sheet === undefined ? onPage(document, page_no, bbox) : onSheet(sheet, bbox),
    charspan,
  }));
  const tracks = (item.source ?? []).filter(({ kind }) => kind === 'track');
  const times = tracks.map(({ start_time, end_time, voice }) => ({
    position: { start_time, end_time, ...(voice ? { speaker: voice } : {}) },
    charspan: undefined,
  }));
  return [...boxes, ...times];
}

/** The positions of a cell; those of the table if the cell has none. */
export function positionsOfCell(
  document: DoclingDocument,
  table: Item,
  cell: TableCell,
  sheet?: string,
): SourcePosition[] {
  const [provenance] = table.prov ?? [];
  if (provenance === undefined) return [];
  const { page_no, bbox } = provenance;
  if (sheet === undefined) return [onPage(document, page_no, cell.bbox ?? bbox)];
  const { start_col_offset_idx, start_row_offset_idx, end_col_offset_idx, end_row_offset_idx } = cell;
  const { l, t } = bbox;
  return [
    onSheet(sheet, {
      l: l + start_col_offset_idx,
      t: t + start_row_offset_idx,
      r: l + end_col_offset_idx,
      b: t + end_row_offset_idx,
    }),
  ];
}

const DECIMALS = 10_000;

function onPage(
  { pages }: DoclingDocument,
  page: number,
  { l, t, r, b, coord_origin }: BoundingBox,
): SourcePosition {
  const { width = 0, height = 0 } = pages?.[page]?.size ?? {};
  if (!(width > 0 && height > 0)) return { page };
  const fraction = (length: number, whole: number) =>
    Math.round(Math.min(Math.max(length / whole, 0), 1) * DECIMALS) / DECIMALS;
  const isFromBottom = coord_origin === 'BOTTOMLEFT';
  const x0 = fraction(l, width);
  const x1 = fraction(r, width);
  const y0 = fraction(isFromBottom ? height - t : t, height);
  const y1 = fraction(isFromBottom ? height - b : b, height);
  return { page, box: [Math.min(x0, x1), Math.min(y0, y1), Math.max(x0, x1), Math.max(y0, y1)] };
}

/** The position of a box on a sheet. Boxes count cells from 0; right and bottom are exclusive. */
function onSheet(sheet: string, { l, t, r, b }: BoundingBox): SourcePosition {
  return { sheet, cells: cellRange(l + 1, t + 1, Math.max(r, l + 1), Math.max(b, t + 1)) };
}
