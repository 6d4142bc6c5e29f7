import { cleaned, withoutUnreadable } from './characters.ts';
import { addRun, type OpenPage, type Run, shownRectangle } from './page.ts';
import type { PdfFile } from './pdf-file.ts';

/** Adds what was filled into forms, and text that was put on a page, as runs at their place. */
export function addFields(open: OpenPage, runs: Map<number, Run[]>): void {
  const { call } = open.file.pdfium;
  const count = call.FPDFPage_GetAnnotCount(open.page);
  for (let index = 0; index < count; index++) {
    const annotation = call.FPDFPage_GetAnnot(open.page, index);
    if (annotation === 0) continue;
    for (const run of runsOf(open, annotation)) addRun(runs, run, 0, open);
    call.FPDFPage_CloseAnnot(annotation);
  }
}

function runsOf(open: OpenPage, annotation: number): Run[] {
  const { pdfium } = open.file;
  const lines = textOfField(open.file, annotation)
    .split(/\r\n?|\n/)
    .map((line) => withoutUnreadable(cleaned(line)).text)
    .filter((line) => line.trim() !== '');
  if (lines.length === 0 || pdfium.call.FPDFAnnot_GetRect(annotation, pdfium.scratch) === 0) return [];
  const { x0, x1, y0, y1 } = shownRectangle(open, pdfium.rectangle());
  const height = (y1 - y0) / lines.length;
  const size = Math.max(Math.min(height * 0.75, 12), 0.1);
  return lines.map((text, index) => {
    const base = y0 + index * height + (height + size * 0.7) / 2;
    return {
      text,
      x0,
      x1: Math.max(x1, x0 + 0.1),
      y0: base - size * 0.8,
      y1: base + size * 0.2,
      base,
      size,
      font: 'annotation',
      isMono: false,
      block: undefined,
    };
  });
}

/** Annotation subtypes and form field types of PDFium's headers. */
const FREE_TEXT = 3;
const WIDGET = 20;
const CHECK_BOX = 2;
const RADIO_BUTTON = 3;
const COMBO_BOX = 4;
const LIST_BOX = 5;
const TEXT_FIELD = 6;
const HIDDEN = 1 << 1;
const PASSWORD_FIELD = 1 << 13;

/** What a reader of the page sees of an annotation, besides the page's content. */
function textOfField({ pdfium, form }: PdfFile, annotation: number): string {
  const { call } = pdfium;
  if ((call.FPDFAnnot_GetFlags(annotation) & HIDDEN) !== 0) return '';
  const subtype = call.FPDFAnnot_GetSubtype(annotation);
  if (subtype === FREE_TEXT) return pdfium.annotationText(annotation, 'Contents');
  if (subtype !== WIDGET || form === 0) return '';
  const type = call.FPDFAnnot_GetFormFieldType(form, annotation);
  if (type === CHECK_BOX || type === RADIO_BUTTON)
    return call.FPDFAnnot_IsChecked(form, annotation) === 1 ? '[x]' : '[ ]';
  if (type !== TEXT_FIELD && type !== COMBO_BOX && type !== LIST_BOX) return '';
  if (type === TEXT_FIELD && (call.FPDFAnnot_GetFormFieldFlags(form, annotation) & PASSWORD_FIELD) !== 0)
    return '';
  return pdfium.utf16((buffer, bytes) => call.FPDFAnnot_GetFormFieldValue(form, annotation, buffer, bytes));
}
