/** Draws pages of one PDF in a thread of its own, which the page ends when PDFium takes too long. */

/** The page that is asked for, and its file, which is the same in all requests. */
export interface Request {
  readonly file: File;
  readonly page: number;
}

/** The drawn page; `undefined` if it cannot be drawn. */
export type Answer = ImageData | undefined;

/** The used parts of PDFium, which may not be installed. Handles are numbers, and a function that fails returns 0. */
type Call = (...values: readonly number[]) => number;
type Name =
  | 'FPDF_InitLibrary'
  | `FPDF_${'LoadMemDocument' | 'LoadPage' | 'ClosePage' | 'GetPageWidthF' | 'GetPageHeightF' | 'RenderPageBitmap'}`
  | `FPDFBitmap_${'Create' | 'FillRect' | 'GetBuffer' | 'Destroy'}`
  | 'malloc';
interface Pdfium extends Readonly<Record<`_${Name}`, Call>> {
  readonly HEAPU8: Uint8Array;
}
interface Library {
  PDFiumModule(options: object): Promise<Pdfium>;
}
interface OpenFile {
  readonly pdfium: Pdfium;
  readonly document: number;
}

/** Pixels of a drawn page: its usual width, the maximum of its longer side, and the maximum of its area. */
const WIDTH = 1400;
const MAX_SIDE = 8000;
const MAX_PIXELS = 6_000_000;

const WITH_ALPHA = 1;
const WHITE = 0xffffffff;
/** Annotations are drawn, and pixels are written as RGBA instead of BGRA. */
const FLAGS = 0x01 | 0x10;

/** The compiler does not resolve an import whose path contains a variable. */
const SCRIPT = 'index.esm.js';

async function open(file: File): Promise<OpenFile> {
  const library: Library = await import(`../pdf/${SCRIPT}`);
  const locateFile = (name: string) => new URL(`../pdf/${name}`, import.meta.url).href;
  const pdfium = await library.PDFiumModule({ locateFile, print() {}, printErr() {} });
  pdfium._FPDF_InitLibrary();
  const bytes = new Uint8Array(await file.arrayBuffer());
  const pointer = pdfium._malloc(bytes.length);
  if (pointer === 0) throw new RangeError('out of memory');
  pdfium.HEAPU8.set(bytes, pointer);
  return { pdfium, document: pdfium._FPDF_LoadMemDocument(pointer, bytes.length, 0) };
}

function draw({ pdfium, document }: OpenFile, number: number): ImageData | undefined {
  const page = document && pdfium._FPDF_LoadPage(document, number - 1);
  if (page === 0) return undefined;
  const [across, up] = [pdfium._FPDF_GetPageWidthF(page), pdfium._FPDF_GetPageHeightF(page)];
  const most = Math.min(MAX_SIDE / Math.max(across, up), Math.sqrt(MAX_PIXELS / (across * up)));
  const scale = Math.min(WIDTH / across, most);
  const width = Math.max(1, Math.floor(across * scale));
  const height = Math.max(1, Math.floor(up * scale));
  const bitmap = pdfium._FPDFBitmap_Create(width, height, WITH_ALPHA);
  if (bitmap !== 0) {
    pdfium._FPDFBitmap_FillRect(bitmap, 0, 0, width, height, WHITE);
    pdfium._FPDF_RenderPageBitmap(bitmap, page, 0, 0, width, height, 0, FLAGS);
  }
  const start = bitmap && pdfium._FPDFBitmap_GetBuffer(bitmap);
  const pixels = new Uint8ClampedArray(pdfium.HEAPU8.slice(start, start + 4 * width * height).buffer);
  pdfium._FPDFBitmap_Destroy(bitmap);
  pdfium._FPDF_ClosePage(page);
  return bitmap === 0 ? undefined : new ImageData(pixels, width, height);
}

let opened: Promise<OpenFile> | undefined;

addEventListener('message', async ({ data: { file, page } }: MessageEvent<Request>) => {
  const answer = (pixels: Answer) =>
    postMessage(pixels, { transfer: pixels === undefined ? [] : [pixels.data.buffer] });
  try {
    opened ??= open(file);
    answer(draw(await opened, page));
  } catch {
    answer(undefined);
  }
});
