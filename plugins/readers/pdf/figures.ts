import { boxOf, type Figure, type OpenPage, type Run, shownRectangle, type Turnable } from './page.ts';
import type { Block } from './roles.ts';

/** Type of a page object that has objects of its own, and how deep these are looked at. */
const FORM = 5;
const MAX_FORMS = 8;

/**
 * Finds the described pictures of a tagged file, each after the text that is drawn before it.
 *
 * @param runOfObject the last run of each text object
 */
export function findFigures(open: OpenPage, runOfObject: ReadonlyMap<number, Run>): Figure[] {
  const { roles, page, file } = open;
  const described = new Set([...roles.values()].filter(({ figure }) => figure !== undefined));
  if (described.size === 0) return [];
  const { call } = file.pdfium;
  const found = new Map<Block, { readonly after: Run | undefined; readonly box: Turnable | undefined }>();
  let last: Run | undefined;
  const walk = (count: number, at: (index: number) => number, depth: number): void => {
    for (let index = 0; index < count; index++) {
      const object = at(index);
      last = runOfObject.get(object) ?? last;
      const block = roles.get(call.FPDFPageObj_GetMarkedContentID(object));
      if (block !== undefined && described.has(block)) {
        const known = found.get(block);
        found.set(block, {
          after: known === undefined ? last : known.after,
          box: around(open, object, known?.box),
        });
      }
      if (call.FPDFPageObj_GetType(object) !== FORM || depth >= MAX_FORMS) continue;
      const inner = (at: number) => call.FPDFFormObj_GetObject(object, at);
      walk(call.FPDFFormObj_CountObjects(object), inner, depth + 1);
    }
  };
  walk(call.FPDFPage_CountObjects(page), (index) => call.FPDFPage_GetObject(page, index), 0);
  return [...described].map((block) => {
    const { after, box } = found.get(block) ?? { after: last, box: undefined };
    return { text: block.figure ?? '', box: box && boxOf(box, open), after };
  });
}

/** The smallest rectangle around a box and what an object draws. */
function around(open: OpenPage, object: number, box: Turnable | undefined): Turnable | undefined {
  const { pdfium } = open.file;
  const at = pdfium.scratch;
  if (pdfium.call.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12) === 0) return box;
  const rectangle = {
    left: pdfium.float32(0),
    bottom: pdfium.float32(1),
    right: pdfium.float32(2),
    top: pdfium.float32(3),
  };
  const own = shownRectangle(open, rectangle);
  if (box === undefined) return own;
  return {
    x0: Math.min(own.x0, box.x0),
    x1: Math.max(own.x1, box.x1),
    y0: Math.min(own.y0, box.y0),
    y1: Math.max(own.y1, box.y1),
  };
}
