import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type ReadContext, type ReadFile, reasonOf, refusedError } from '../../../core/kit.ts';
import { findFurniture } from './furniture.ts';
import { findHeadings, type OutlineItem } from './headings.ts';
import { linesOf } from './lines.ts';
import { writeMarkdown } from './markdown.ts';
import { extractPage, type Page } from './page.ts';
import { paragraphsOf } from './paragraphs.ts';
import { isFileName } from './titles.ts';

const MAX_PAGES = 20_000;
const OCR = 'a reader with OCR can read it, such as docling, once DOCLING_URL is set';

/** How much of a text may be characters that no font should have, before it is not a text. */
const MAX_ODD = 0.2;
// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a table of characters give them.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const ODD = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu;

export const refusal = (reason: string): Error =>
  refusedError(`The PDF cannot be read: ${reason.replace(/\.$/, '')}.`);

/** Reads a document that is open. @throws Error that says why it cannot be read */
export async function readDocument(document: PDFDocumentProxy, context: ReadContext): Promise<ReadFile> {
  const count = document.numPages;
  if (count > MAX_PAGES) throw refusal(`it has ${count} pages, over the limit of ${MAX_PAGES}; divide it`);
  const pages = await extractPages(document, context.signal);
  checkText(pages);
  const outline = (await optional(document.getOutline())) ?? [];
  const written = writePages(pages, outline as readonly OutlineItem[], context);
  return { ...written, mediaType: 'text/markdown', ...(await propertiesOf(document)) };
}

/** @throws Error that names the page that cannot be read */
export async function extractPages(document: PDFDocumentProxy, signal: AbortSignal): Promise<Page[]> {
  // Its types say that it is an object.
  const marks = (await optional(document.getMarkInfo())) as ReadonlyMap<string, boolean> | null | undefined;
  const isTagged = marks?.get('Marked') === true;
  const pages: Page[] = [];
  for (let number = 1; number <= document.numPages; number++) {
    signal.throwIfAborted();
    try {
      const page = await document.getPage(number);
      pages.push(await extractPage(page, isTagged));
      page.cleanup();
    } catch (error) {
      signal.throwIfAborted();
      throw refusal(`page ${number} of ${document.numPages} cannot be read: ${reasonOf(error)}`);
    }
  }
  return pages;
}

/** What a file may lack or have in a broken form, and can be read without. */
const optional = <Value>(value: Promise<Value>): Promise<Value | undefined> => value.catch(() => undefined);

const isBlank = ({ runs, figures }: Page): boolean => runs.size === 0 && figures.length === 0;

/** @throws Error if the text of the pages is not one */
function checkText(pages: readonly Page[]): void {
  const count = pages.length;
  if (pages.every(isBlank))
    throw refusal(
      `${count === 1 ? 'its page has no text' : `none of its ${count} pages has text`}: it is a scan, or drawn; ${OCR}`,
    );
  let [odd, all] = [0, 0];
  for (const { runs } of pages)
    for (const { text } of [...runs.values()].flat()) {
      const visible = text.replace(/\s+/g, '');
      odd += visible.match(ODD)?.length ?? 0;
      all += visible.length;
    }
  if (odd > MAX_ODD * all) throw refusal(`its fonts do not say what their characters are; ${OCR}`);
}

/** Writes the pages as a text. What all pages repeat is left out, unless there is nothing else. */
function writePages(pages: readonly Page[], outline: readonly OutlineItem[], { report }: ReadContext) {
  const lines = pages.map(linesOf);
  const all = lines.flat();
  const furniture = findFurniture(lines);
  const body = furniture.size < all.length ? all.filter((line) => !furniture.has(line)) : all;
  const blank = pages.filter(isBlank).map(({ number }) => number);
  const repeated = all.length - body.length;
  if (repeated > 0) report('left-out-lines', `${repeated}`);
  if (blank.length > 0) report('pages-without-text', blank.join(' '));
  const paragraphs = paragraphsOf(body);
  findHeadings(paragraphs, outline);
  const leftOut = {
    ...(repeated > 0 && { header_or_footer_line: repeated }),
    ...(blank.length > 0 && { page_without_text: blank.length }),
  };
  return { ...writeMarkdown(paragraphs, pages.length), leftOut };
}

async function propertiesOf(document: PDFDocumentProxy) {
  const info = (await optional(document.getMetadata()))?.info as Record<string, unknown> | undefined;
  const text = (value: unknown): string | undefined =>
    typeof value === 'string' ? value.toWellFormed().replace(CONTROLS, '').trim() || undefined : undefined;
  const author = text(info?.Author);
  const title = text(info?.Title);
  return {
    title: title === undefined || isFileName(title) ? undefined : title,
    ...(author !== undefined && { metadata: { authors: [author] } }),
  };
}
