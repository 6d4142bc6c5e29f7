import { setImmediate } from 'node:timers/promises';
import type { ReadContext, Reader, RecognizedLine, RecognizedPage } from '../../../core/kit.ts';
import { drawPage, isBlank } from './layers.ts';
import { addRun, type HiddenText, type Page, type Run } from './page.ts';
import type { PdfFile } from './pdf-file.ts';
import { renderPage } from './render.ts';

/** Recognizes text in pictures. */
export type Recognize = NonNullable<Reader['recognize']>;

/** Pages of a file that are recognized: each takes seconds. */
const MAX_SCANS = 500;
/** Recognizes the text of pages that have none. A page without writing, or with writing that cannot be read, stays as it is. */
export async function withScans(
  file: PdfFile,
  pages: readonly Page[],
  recognize: Recognize,
  { signal, options, progress }: ReadContext,
): Promise<Page[]> {
  const read: Page[] = [];
  let scans = 0;
  for (const page of pages) {
    const isScan = !page.isFaulty && page.runs.size === 0 && isDrawn(file, page);
    if (!isScan || ++scans > MAX_SCANS) {
      read.push(page);
      continue;
    }
    await setImmediate();
    signal.throwIfAborted();
    read.push(await recognized(file, page, (picture) => recognize(picture, ocrOptions(options))));
    progress?.();
  }
  return read;
}

const ocrOptions = ({ ocr = {} }: ReadContext['options']): ReadContext['options'] =>
  ocr as ReadContext['options'];

const WHOLE = [0, 0, 1, 1];

/** Whether something is drawn on a page. */
export function isDrawn(file: PdfFile, { number, width, height }: Page): boolean {
  const { call } = file.pdfium;
  const page = width > 0 && height > 0 ? call.FPDF_LoadPage(file.document, number - 1) : 0;
  if (page === 0) return false;
  try {
    const drawing = drawPage(file, page, width, height);
    return drawing === undefined || !isBlank(drawing, WHOLE);
  } finally {
    call.FPDF_ClosePage(page);
  }
}

async function recognized(
  file: PdfFile,
  page: Page,
  recognize: (picture: Parameters<Recognize>[0]) => ReturnType<Recognize>,
): Promise<Page> {
  const picture = renderPage(file, page.number - 1);
  if (picture === undefined) return page;
  const found = await recognize(picture);
  if (found.lines.length === 0) return page;
  if (!found.isReadable) return { ...page, scan: 'unreadable' };
  return pageOf(page, found, page.width / picture.width);
}

/** @param scale points of a pixel */
function pageOf(page: Page, { lines, turns, skew }: RecognizedPage, scale: number): Page {
  const runs = new Map<number, Run[]>();
  const hidden: HiddenText[] = [...page.hidden];
  const uncertain = lines.filter(({ legibility }) => legibility === 'uncertain').length;
  const recognized = { ...page, runs, hidden, skew, uncertain, scan: 'recognized' } as const;
  for (const line of lines) {
    if (line.legibility === 'unreadable') hidden.push({ kind: 'unreadable_line', text: line.text });
    else addRun(runs, runOf(line, scale), turns, page);
  }
  return recognized;
}

/** Points to which sizes are rounded: they are measured. */
const SIZE_STEP = 0.5;

function runOf({ text, x0, x1, y0, y1, base, size, confidence }: RecognizedLine, scale: number): Run {
  return {
    text,
    x0: x0 * scale,
    x1: x1 * scale,
    y0: y0 * scale,
    y1: y1 * scale,
    base: base * scale,
    size: Math.max(Math.round((size * scale) / SIZE_STEP), 1) * SIZE_STEP,
    font: '',
    isMono: false,
    block: undefined,
    confidence,
  };
}
