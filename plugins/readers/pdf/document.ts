import { setImmediate } from 'node:timers/promises';
import {
  exposedError,
  type LeftOutText,
  type ReadContext,
  type ReadFile,
  type SourcePlace,
} from '../../../core/kit.ts';
import { type Bookmark, readBookmarks } from './bookmarks.ts';
import { isLanguage, withoutUnreadable } from './characters.ts';
import { extractPage, faultyPage } from './extract-page.ts';
import { findFurniture } from './furniture.ts';
import { countSources, findHeadings } from './headings.ts';
import { confidenceOf, type Line, linesOf, mostFrequent } from './lines.ts';
import type { PdfOptions } from './manifest.ts';
import { writeMarkdown } from './markdown.ts';
import type { Page } from './page.ts';
import { paragraphsOf } from './paragraphs.ts';
import type { PdfFile } from './pdf-file.ts';
import { refusal } from './pdfium.ts';
import { isDrawn, type Recognize, withScans } from './scans.ts';

const MAX_PAGES = 20_000;
const OCR = 'a reader with OCR can read it, such as docling, once DOCLING_URL is set';
const ADD_OCR =
  'run "npm install @tesseract.js-data/eng sharp tesseract.js-core" on the server and restart it, or set DOCLING_URL';

/** Reads a file that is open. @throws Error that says why it cannot be read */
export async function readDocument(
  file: PdfFile,
  context: ReadContext,
  recognize?: Recognize,
): Promise<ReadFile> {
  const count = file.pages;
  if (count === 0) throw refusal('it has no pages');
  if (count > MAX_PAGES) throw refusal(`it has ${count} pages, over the limit of ${MAX_PAGES}; divide it`);
  const extracted = await extractPages(file, context.signal);
  const pages = recognize === undefined ? extracted : await withScans(file, extracted, recognize, context);
  checkText(pages, file, recognize !== undefined);
  const properties = propertiesOf(file);
  const outline = { bookmarks: bookmarksOf(file), title: properties.title };
  const written = writePages(pages, outline, context);
  return { ...written, mediaType: 'text/markdown', ...properties };
}

/** Without bookmarks if PDFium fails on the outline, since the pages are read. */
function bookmarksOf(file: PdfFile): Bookmark[] {
  try {
    return readBookmarks(file);
  } catch (error) {
    if (!file.pdfium.hasCrashed) throw error;
    return [];
  }
}

/** Reads the pages one by one. A faulty page is empty, and does not affect the others. */
export async function extractPages(file: PdfFile, signal: AbortSignal): Promise<Page[]> {
  const pages: Page[] = [];
  for (let index = 0; index < file.pages; index++) {
    // PDFium does not wait for anything, and an abort is noticed between pages.
    await setImmediate();
    signal.throwIfAborted();
    pages.push(await pageOf(file, index));
  }
  return pages;
}

async function pageOf(file: PdfFile, index: number): Promise<Page> {
  try {
    const page = extractPage(file, index);
    file.pdfium.checkMemory();
    return page;
  } catch (error) {
    if (!file.pdfium.hasCrashed || !(await file.reopen())) throw error;
    return faultyPage(index + 1);
  }
}

const isBlank = ({ runs, figures }: Page): boolean => runs.size === 0 && figures.length === 0;

/** @throws Error if the text of the pages is not one */
function checkText(pages: readonly Page[], file: PdfFile, hasOcr: boolean): void {
  const count = pages.length;
  const faulty = pages.filter(({ isFaulty }) => isFaulty).length;
  if (faulty === count)
    throw refusal(count === 1 ? 'its page is broken' : `all of its ${count} pages are broken`);
  if (pages.every(isBlank)) throw noText(pages, file, hasOcr);
  const text = pages.flatMap(({ runs }) => [...runs.values()].flat().map((run) => run.text)).join(' ');
  const removed = pages.reduce((sum, { unreadable }) => sum + unreadable, 0);
  if (removed > text.length || !isLanguage(text, removed))
    throw refusal(`its fonts do not say what their characters are; ${OCR}`);
}

/** Pages that are looked at to tell a scan from an empty file. */
const MAX_LOOKED_AT = 20;

function noText(pages: readonly Page[], file: PdfFile, hasOcr: boolean): Error {
  const count = pages.length;
  const none = count === 1 ? 'its page has no text' : `none of its ${count} pages has text`;
  if (pages.some(({ scan }) => scan === 'unreadable'))
    return refusal(`${none}, and the writing of its pictures cannot be recognized; ${OCR}`);
  if (hasOcr) return refusal(`${none}, and none was found in its pictures`);
  const isScan = pages.slice(0, MAX_LOOKED_AT).some((page) => isDrawn(file, page));
  return isScan
    ? exposedError(`The PDF cannot be read: ${none}: it is a scan, or drawn; ${ADD_OCR}`)
    : refusal(`${none}, and nothing is drawn there`);
}

/** Writes the pages as a text. What pages repeat is left out, unless there is nothing else. */
function writePages(
  pages: readonly Page[],
  { bookmarks, title }: { readonly bookmarks: readonly Bookmark[]; readonly title: string | undefined },
  { report, options }: ReadContext,
) {
  const { keep_furniture: keepsFurniture = false, tables = 'auto' } = options as Partial<PdfOptions>;
  const lines = pages.map(linesOf);
  const all = lines.flat();
  const furniture = keepsFurniture ? NONE : findFurniture(lines, usualSizeOf(all));
  const leftOutLines = furniture.size < all.length ? all.filter((line) => furniture.has(line)) : [];
  const body = leftOutLines.length > 0 ? all.filter((line) => !furniture.has(line)) : all;
  const blank = pages.filter((page) => isBlank(page) && !page.isFaulty).map(({ number }) => number);
  const faulty = pages.filter(({ isFaulty }) => isFaulty).map(({ number }) => number);
  const repeated = leftOutLines.length;
  const unreadable = pages.reduce((sum, page) => sum + page.unreadable, 0);
  if (unreadable > 0) report('unreadable-characters', `${unreadable}`);
  const inferred = pages.reduce((sum, page) => sum + page.inferred, 0);
  if (inferred > 0) report('inferred-ligatures', `${inferred}`);
  const hidden = pages.flatMap(({ number, hidden }) =>
    hidden.map((one) => ({ ...one, page: number, isBelow: true })),
  );
  const cut = hidden.filter(({ kind }) => kind === 'rest_of_long_string').length;
  const unreadableLines = hidden.filter(({ kind }) => kind === 'unreadable_line').length;
  const unseen = hidden.length - cut - unreadableLines;
  if (unseen > 0) report('hidden-texts', `${unseen}`);
  if (cut > 0) report('cut-strings', `${cut}`);
  reportScans(pages, all, unreadableLines, report);
  if (faulty.length > 0) report('unread-pages', rangesOf(faulty));
  if (blank.length > 0) report('pages-without-text', rangesOf(blank));
  const paragraphs = paragraphsOf(body);
  findHeadings(paragraphs, bookmarks, title);
  const sources = countSources(paragraphs);
  if (sources !== '') report('heading-sources', sources);
  const { repeatedHeads, ...written } = writeMarkdown(paragraphs, pages.length, {
    tables,
    keep_furniture: keepsFurniture,
  });
  const count = repeated + repeatedHeads.length;
  if (count > 0) report('left-out-lines', `${count}`);
  const leftOut = {
    ...(repeated > 0 && { [FURNITURE]: repeated }),
    ...(faulty.length > 0 && { unread_page: faulty.length }),
    ...(blank.length > 0 && { page_without_text: blank.length }),
    ...Object.fromEntries(
      Array.from(
        Map.groupBy(hidden, ({ kind }) => kind),
        ([kind, texts]) => [kind, texts.length],
      ),
    ),
    ...(unreadable > 0 && { unreadable_character: unreadable }),
    ...(repeatedHeads.length > 0 && { [REPEATED_HEAD]: repeatedHeads.length }),
  };
  return {
    ...written,
    leftOut,
    leftOutTexts: placesOf(
      [
        ...leftOutLines.map((line) => omittedLine(line, FURNITURE)),
        ...repeatedHeads.map((line) => omittedLine(line, REPEATED_HEAD)),
        ...hidden,
      ],
      written,
    ),
  };
}

/** @param unreadable how many lines could not be recognized */
function reportScans(
  pages: readonly Page[],
  lines: readonly Line[],
  unreadable: number,
  report: ReadContext['report'],
): void {
  const numbersOf = (scan: Page['scan']) =>
    pages.filter((page) => page.scan === scan).map(({ number }) => number);
  const [recognized, unread] = [numbersOf('recognized'), numbersOf('unreadable')];
  if (unread.length > 0) report('unreadable-pages', rangesOf(unread));
  if (recognized.length === 0) return;
  report('ocr-pages', rangesOf(recognized));
  const confidence = confidenceOf(lines.filter((line) => line.confidence !== undefined));
  report('ocr-confidence', `${confidence}`);
  const uncertain = pages.reduce((total, page) => total + (page.uncertain ?? 0), 0);
  if (uncertain > 0) report('uncertain-lines', `${uncertain}`);
  if (unreadable > 0) report('unreadable-lines', `${unreadable}`);
}

const NONE: ReadonlySet<Line> = new Set();
const FURNITURE = 'header_or_footer_line';
const REPEATED_HEAD = 'repeated_table_header_row';

/** A text that is left out. */
interface Omitted extends Pick<LeftOutText, 'kind' | 'text' | 'box'> {
  readonly page: number;
  /** It stands after the text of its page, not before it. */
  readonly isBelow: boolean;
}

function omittedLine({ text, page, box, turns }: Line, kind: string): Omitted {
  const isBelow = turns === 0 && box !== undefined && box[1] > 0.5;
  return { kind, text, page, isBelow, ...(box && { box }) };
}

/** Where texts stood that are left out. */
function placesOf(
  omitted: readonly Omitted[],
  { text, places }: { text: string; places: readonly SourcePlace[] },
): LeftOutText[] {
  const starts = new Map<number, number>();
  const ends = new Map<number, number>();
  for (const { start, end, page = 0 } of places) {
    if (!starts.has(page)) starts.set(page, start);
    ends.set(page, end);
  }
  const down = omitted
    .map((one) => ({ one, start: (one.isBelow ? ends : starts).get(one.page) ?? text.length }))
    .sort((a, b) => a.one.page - b.one.page || a.start - b.start);
  let reached = 0;
  return down.map(({ one: { isBelow: _, ...one }, start }) => {
    reached = Math.max(reached, start);
    return { ...one, start: reached, end: reached };
  });
}

/** Longer lists are cut, since they become headers. */
const MAX_RANGES = 500;

/** Numbers that rise, as `3 7-9`. */
function rangesOf(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  const written = ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`));
  return written.length <= MAX_RANGES
    ? written.join(' ')
    : `${written.slice(0, MAX_RANGES).join(' ')} and ${written.length - MAX_RANGES} more`;
}

function usualSizeOf(lines: readonly Line[]): number {
  const characters = new Map<number, number>();
  for (const { size, text } of lines) characters.set(size, (characters.get(size) ?? 0) + text.length);
  return mostFrequent(characters) ?? 0;
}

function propertiesOf(file: PdfFile) {
  const text = (name: string) =>
    withoutUnreadable(file.property(name).toWellFormed()).text.trim() || undefined;
  const author = text('Author');
  const title = text('Title');
  return {
    title: title === undefined || isFileName(title) ? undefined : title,
    ...(author !== undefined && { metadata: { authors: [author] } }),
  };
}

/** Extensions of file names that programs write into the title. */
const ENDING =
  /\.(?:dvi|pdf|e?ps|tex|doc[xm]?|dot[xm]?|rtf|od[tspg]|sxw|ppt[xm]?|pps[xm]?|xls[xmb]?|pub|indd|qx[dp]|fm|wp[ds]|pmd|p65|lyx|mif|cdr|tiff?|jpe?g|png)$/i;
/** Extensions that a title of several words may end with by chance. */
const ENDING_OF_ONE_WORD = /^\S+\.(?:txt|text|md|html?|csv|log|xml|key|pages|numbers|book|ai|prn)$/i;
const PROGRAM = /^Microsoft (?:Office )?\p{L}+ - /u;
const PATH = /^(?:[a-z]:\\|\\\\|\/\S+\/|file:)/i;
const PLACEHOLDER = /^(?:untitled|document|unnamed)(?:[-_ ]?\d+)?$/i;

/** Whether a title is a placeholder, or the name of the file that the PDF was made from. */
export function isFileName(title: string): boolean {
  return [ENDING, ENDING_OF_ONE_WORD, PROGRAM, PATH, PLACEHOLDER].some((pattern) => pattern.test(title));
}
