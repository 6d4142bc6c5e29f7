import type { PdfFile } from './pdf-file.ts';

/** An entry of the outline. */
export interface Bookmark {
  readonly title: string;
  /** From 1. */
  readonly level: number;
  /** From 1; 0 if it leads to no page of the file. */
  readonly page: number;
  /** Points above the lower edge of the page. */
  readonly y: number | undefined;
}

const MAX_BOOKMARKS = 20_000;
const MAX_LEVEL = 6;

/** Reads the outline, in its order. An outline that contains itself ends where it repeats. */
export function readBookmarks({ pdfium, document }: PdfFile): Bookmark[] {
  const { call, scratch } = pdfium;
  const seen = new Set<number>();
  const bookmarks: Bookmark[] = [];
  const placeOf = (bookmark: number): Pick<Bookmark, 'page' | 'y'> => {
    const own = call.FPDFBookmark_GetDest(document, bookmark);
    const action = own === 0 ? call.FPDFBookmark_GetAction(bookmark) : 0;
    const destination = action === 0 ? own : call.FPDFAction_GetDest(document, action);
    if (destination === 0) return { page: 0, y: undefined };
    const page = call.FPDFDest_GetDestPageIndex(document, destination) + 1;
    const results = [0, 4, 8, 12, 16, 20].map((offset) => scratch + offset);
    const isKnown = call.FPDFDest_GetLocationInPage(destination, ...results) !== 0 && pdfium.int32(1) !== 0;
    return { page, y: isKnown ? pdfium.float32(4) : undefined };
  };
  const walk = (parent: number, level: number): void => {
    let bookmark = call.FPDFBookmark_GetFirstChild(document, parent);
    while (bookmark !== 0 && !seen.has(bookmark) && seen.size < MAX_BOOKMARKS) {
      seen.add(bookmark);
      const at = bookmark;
      const title = pdfium.utf16((buffer, bytes) => call.FPDFBookmark_GetTitle(at, buffer, bytes));
      bookmarks.push({ title: title.toWellFormed(), level, ...placeOf(bookmark) });
      if (level < MAX_LEVEL) walk(bookmark, level + 1);
      bookmark = call.FPDFBookmark_GetNextSibling(document, bookmark);
    }
  };
  walk(0, 1);
  return bookmarks;
}
