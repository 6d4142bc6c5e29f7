import { addFields } from './fields.ts';
import { findFigures } from './figures.ts';
import type { OpenPage, Page } from './page.ts';
import type { PdfFile } from './pdf-file.ts';
import { findRoles, type Roles } from './roles.ts';
import { withTables } from './tables.ts';
import { readText } from './text.ts';

/** Extracts what a page says: its content, what was filled into forms, and descriptions of pictures. */
export function extractPage(file: PdfFile, index: number): Page {
  const { call } = file.pdfium;
  const number = index + 1;
  const page = call.FPDF_LoadPage(file.document, index);
  if (page === 0) return faultyPage(number);
  try {
    const open = openPage(file, page);
    const { width, height } = open;
    const { runs, runOfObject, unreadable, inferred, hidden } = readText(open);
    addFields(open, runs);
    return {
      number,
      width,
      height,
      runs: withTables(open, runs),
      figures: findFigures(open, runOfObject),
      unreadable,
      hidden,
      inferred,
      isFaulty: false,
    };
  } finally {
    call.FPDF_ClosePage(page);
  }
}

export const faultyPage = (number: number): Page => ({
  number,
  width: 0,
  height: 0,
  runs: new Map(),
  figures: [],
  unreadable: 0,
  hidden: [],
  inferred: 0,
  isFaulty: true,
});

function openPage(file: PdfFile, page: number): OpenPage {
  const { pdfium } = file;
  pdfium.call.FPDF_GetPageBoundingBox(page, pdfium.scratch);
  const box = pdfium.rectangle();
  const rotation = pdfium.call.FPDFPage_GetRotation(page);
  const across = box.right - box.left;
  const up = box.top - box.bottom;
  const [width, height] = rotation % 2 === 0 ? [across, up] : [up, across];
  const roles = file.isTagged ? findRoles(pdfium, page) : NO_ROLES;
  return { file, page, box, rotation, width, height, roles };
}

const NO_ROLES: Roles = new Map();
