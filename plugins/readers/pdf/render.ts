import type { PagePicture } from '../../../core/kit.ts';
import type { PdfFile } from './pdf-file.ts';

const GRAY = 1;
const WHITE = 0xffffffff;
const POINTS_PER_INCH = 72;
const DPI = 300;
/** Pixels of a picture: A4 at 300 dpi has 8.7 million. */
const MAX_PIXELS = 12_000_000;
/** A page of a few points is a spot. */
const MIN_SIDE = 16;

/**
 * Draws a page in shades of grey, as it is shown, at 300 dpi or, if it is large, with fewer.
 *
 * @returns undefined if it cannot be drawn
 */
export function renderPage({ pdfium, document }: PdfFile, index: number): PagePicture | undefined {
  const { call } = pdfium;
  const page = call.FPDF_LoadPage(document, index);
  if (page === 0) return undefined;
  let bitmap = 0;
  try {
    call.FPDF_GetPageBoundingBox(page, pdfium.scratch);
    const { left, right, top, bottom } = pdfium.rectangle();
    const isUpright = call.FPDFPage_GetRotation(page) % 2 === 0;
    const [across, up] = isUpright ? [right - left, top - bottom] : [top - bottom, right - left];
    const scale = Math.min(DPI / POINTS_PER_INCH, Math.sqrt(MAX_PIXELS / Math.max(across * up, 1)));
    const [width, height] = [Math.floor(across * scale), Math.floor(up * scale)];
    if (width < MIN_SIDE || height < MIN_SIDE) return undefined;
    bitmap = call.FPDFBitmap_CreateEx(width, height, GRAY, 0, 0);
    if (bitmap === 0) return undefined;
    call.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    call.FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, 0);
    if (pdfium.wasShort()) return undefined;
    const stride = call.FPDFBitmap_GetStride(bitmap);
    const rows = pdfium.bytes(call.FPDFBitmap_GetBuffer(bitmap), stride * height);
    const pixels = new Uint8Array(width * height);
    for (let y = 0; y < height; y++) pixels.set(rows.subarray(y * stride, y * stride + width), y * width);
    return { pixels, width, height };
  } finally {
    if (bitmap !== 0) call.FPDFBitmap_Destroy(bitmap);
    call.FPDF_ClosePage(page);
  }
}
