import { fileURLToPath } from 'node:url';
import type { PDFDocumentProxy } from 'pdfjs-dist';
import { type Factory, type ReadContext, type ReadFile, reasonOf, refusedError } from '../../../core/kit.ts';
import { findFurniture } from './furniture.ts';
import { findHeadings, type OutlineItem } from './headings.ts';
import { linesOf } from './lines.ts';
import type manifest from './manifest.ts';
import { writeMarkdown } from './markdown.ts';
import { extractPage, type Page } from './page.ts';
import { paragraphsOf } from './paragraphs.ts';

/** A stub: letter shapes are never drawn here, pdf.js only asks for their size. */
class UnusedMatrix {
  scaleSelf(): this {
    return this;
  }

  translateSelf(): this {
    return this;
  }
}

/** Loads pdf.js, which runs in the calling thread. */
export async function loadPdfJs() {
  // Otherwise pdf.js loads @napi-rs/canvas, which container images lack.
  Object.assign(globalThis, { DOMMatrix: UnusedMatrix });
  // @ts-expect-error: this build has the types of the package, without declaring them.
  const pdfjs: typeof import('pdfjs-dist') = await import('pdfjs-dist/legacy/build/pdf.min.mjs');
  const { getDocument, GlobalWorkerOptions } = pdfjs;
  GlobalWorkerOptions.workerSrc = import.meta.resolve('pdfjs-dist/legacy/build/pdf.worker.min.mjs');
  const folder = (name: string) =>
    fileURLToPath(new URL(name, import.meta.resolve('pdfjs-dist/package.json')));
  const options = {
    cMapUrl: folder('cmaps/'),
    cMapPacked: true,
    standardFontDataUrl: folder('standard_fonts/'),
    useSystemFonts: false,
    disableFontFace: true,
    useWorkerFetch: false,
    isOffscreenCanvasSupported: false,
    isEvalSupported: false,
    // Otherwise pdf.js drops the rest of a broken page.
    stopAtErrors: true,
    verbosity: 0,
  };
  return (data: Uint8Array) => getDocument({ data, ...options });
}

const createPdfReader: Factory<typeof manifest> = async () => {
  const open = await loadPdfJs();
  return {
    async read({ bytes }, context) {
      context.signal.throwIfAborted();
      // pdf.js detaches the buffer.
      const task = open(new Uint8Array(bytes));
      try {
        const document = await task.promise.catch((error: unknown) => {
          throw refusal(problemOf(error));
        });
        return await readDocument(document, context);
      } finally {
        await task.destroy();
      }
    },
  };
};

export default createPdfReader;

function problemOf(error: unknown): string {
  if (error instanceof Error && error.name === 'PasswordException')
    return 'it has a password; save it without';
  return `it is not a PDF, or broken: ${reasonOf(error)}`;
}

const MAX_PAGES = 20_000;
const OCR = 'a reader with OCR can read it, such as docling, once DOCLING_URL is set';

/** Share of the text that may be characters without a meaning. */
const MAX_ODD = 0.2;
// biome-ignore lint/suspicious/noControlCharactersInRegex: fonts without a character map yield them.
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;
const ODD = /[\p{Cc}\p{Co}\p{Cn}\ufffd]/gu;

const refusal = (reason: string): Error =>
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
  // The types of pdf.js wrongly call it an object.
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

/** The value of a part that a file can be read without, if it is not broken. */
const optional = <Value>(value: Promise<Value>): Promise<Value | undefined> => value.catch(() => undefined);

const isBlank = ({ runs, figures }: Page): boolean => runs.size === 0 && figures.length === 0;

/** @throws Error if the pages have no text, or one without meaning */
function checkText(pages: readonly Page[]): void {
  const count = pages.length;
  if (pages.every(isBlank))
    throw refusal(
      `${count === 1 ? 'its page has no text' : `none of its ${count} pages has text`}: it is a scan, or drawn; ${OCR}`,
    );
  let odd = 0;
  let all = 0;
  for (const { runs } of pages)
    for (const { text } of [...runs.values()].flat()) {
      const visible = text.replace(/\s+/g, '');
      odd += visible.match(ODD)?.length ?? 0;
      all += visible.length;
    }
  if (odd > MAX_ODD * all) throw refusal(`its fonts do not say what their characters are; ${OCR}`);
}

/** Writes the pages as a text, without headers and footers unless they have nothing else. */
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
