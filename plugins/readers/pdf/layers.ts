import type { PdfFile } from './pdf-file.ts';

/** A page that has been drawn in shades of grey. Layers that are off are not drawn. */
export interface Drawing {
  readonly pixels: Uint8Array;
  readonly stride: number;
  readonly columns: number;
  readonly rows: number;
}

/** Pixels of a drawing, and bytes of its memory. */
const MAX_PIXELS = 1_000_000;
const GRAY = 1;
const WHITE = 0xffffffff;
/** Shades above are those of blank paper. */
const PAPER = 250;

/** Draws a page to see what is visible on it. @returns undefined if memory is short: then all of it counts as visible */
export function drawPage(
  { pdfium }: PdfFile,
  page: number,
  width: number,
  height: number,
): Drawing | undefined {
  const { call } = pdfium;
  const scale = Math.min(1, Math.sqrt(MAX_PIXELS / Math.max(width * height, 1)));
  const columns = Math.max(Math.ceil(width * scale), 1);
  const rows = Math.max(Math.ceil(height * scale), 1);
  const bitmap = call.FPDFBitmap_CreateEx(columns, rows, GRAY, 0, 0);
  if (bitmap === 0) {
    pdfium.wasShort();
    return undefined;
  }
  try {
    call.FPDFBitmap_FillRect(bitmap, 0, 0, columns, rows, WHITE);
    call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, columns, rows, 0, 0);
    if (pdfium.wasShort()) return undefined;
    const stride = call.FPDFBitmap_GetStride(bitmap);
    const pixels = pdfium.bytes(call.FPDFBitmap_GetBuffer(bitmap), stride * rows).slice();
    return { pixels, stride, columns, rows };
  } finally {
    call.FPDFBitmap_Destroy(bitmap);
  }
}

/** Whether nothing is drawn in a part of the page. @param box left, top, right and bottom, as fractions of the page */
export function isBlank(drawing: Drawing, [left, top, right, bottom]: readonly number[]): boolean {
  const { pixels, stride, columns, rows } = drawing;
  const firstColumn = Math.max(Math.floor((left ?? 0) * columns), 0);
  const lastColumn = Math.min(Math.ceil((right ?? 1) * columns), columns);
  for (
    let row = Math.max(Math.floor((top ?? 0) * rows), 0);
    row < Math.min(Math.ceil((bottom ?? 1) * rows), rows);
    row++
  )
    for (let column = firstColumn; column < lastColumn; column++)
      if ((pixels[row * stride + column] ?? PAPER) < PAPER) return false;
  return true;
}
