import { loadPdfium, type Pdfium, refusal } from './pdfium.ts';

const FORMAT_ERROR = 3;
/** By the errors of `FPDF_GetLastError`. */
const OPEN_ERRORS: Readonly<Record<number, string>> = {
  4: 'it has a password; save it without',
  5: 'its encryption is not supported; save it without',
};

/** Bytes before the name of the catalog in which its object begins. */
const MAX_BEFORE_CATALOG = 1000;

/** Appends a trailer to a file that ends before its own. PDFium finds all objects, but not which one is the catalog. */
function withTrailer(content: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const at = bytes.lastIndexOf('/Catalog');
  if (at === -1) return undefined;
  const before = bytes.toString('latin1', Math.max(at - MAX_BEFORE_CATALOG, 0), at);
  const object = [...before.matchAll(/\b(\d{1,10} \d{1,5}) obj\b/g)].at(-1)?.[1];
  if (object === undefined) return undefined;
  return Buffer.concat([bytes, Buffer.from(`\ntrailer\n<</Root ${object} R>>\n%%EOF`)]);
}

/** Pages of a file that may crash PDFium: each takes memory that is freed late. */
const MAX_CRASHES = 3;

/** A file that is open. */
export class PdfFile {
  pdfium: Pdfium;
  document = 0;
  form = 0;
  readonly #content: Uint8Array;
  #bytes = 0;
  #formInfo = 0;
  #crashes = 0;

  /** @throws Error that says why it cannot be opened */
  constructor(pdfium: Pdfium, content: Uint8Array) {
    this.pdfium = pdfium;
    this.#content = content;
    this.#open();
  }

  #open(): void {
    const { pdfium } = this;
    pdfium.allow(this.#content.length);
    let error = this.#load(this.#content);
    const repaired = error === FORMAT_ERROR ? withTrailer(this.#content) : undefined;
    if (repaired !== undefined) error = this.#load(repaired);
    if (error !== 0) throw refusal(OPEN_ERRORS[error] ?? 'it is not a PDF, or broken');
    // FPDF_FORMFILLINFO of version 1, without callbacks: nothing is drawn, and no script runs.
    this.#formInfo = pdfium.zeroed(256);
    pdfium.setInt32(this.#formInfo, 1);
    this.form = pdfium.call.FPDFDOC_InitFormFillEnvironment(this.document, this.#formInfo);
  }

  /** @returns the error, or 0 */
  #load(content: Uint8Array): number {
    const { pdfium } = this;
    this.#bytes = pdfium.copied(content);
    this.document = pdfium.call.FPDF_LoadMemDocument(this.#bytes, content.length, 0);
    if (this.document !== 0) return 0;
    const error = pdfium.call.FPDF_GetLastError();
    pdfium.free(this.#bytes);
    pdfium.checkMemory();
    return error || FORMAT_ERROR;
  }

  /** Opens the file again in another instance, a few times. @returns whether it is open */
  async reopen(): Promise<boolean> {
    if (this.#crashes === MAX_CRASHES) return false;
    this.#crashes++;
    this.pdfium = await loadPdfium();
    this.#open();
    return true;
  }

  get pages(): number {
    return this.pdfium.call.FPDF_GetPageCount(this.document);
  }

  #isTagged: boolean | undefined;

  get isTagged(): boolean {
    this.#isTagged ??= this.pdfium.call.FPDFCatalog_IsTagged(this.document) !== 0;
    return this.#isTagged;
  }

  /** A property of the document, such as `Title`; empty if it has none. */
  property(name: string): string {
    const { pdfium, document } = this;
    const tag = pdfium.copied(new TextEncoder().encode(`${name}\0`));
    try {
      return pdfium.utf16((buffer, bytes) => pdfium.call.FPDF_GetMetaText(document, tag, buffer, bytes));
    } finally {
      pdfium.free(tag);
    }
  }

  close(): void {
    const { pdfium, document, form } = this;
    if (form !== 0) pdfium.call.FPDFDOC_ExitFormFillEnvironment(form);
    pdfium.call.FPDF_CloseDocument(document);
    pdfium.free(this.#formInfo);
    pdfium.free(this.#bytes);
  }
}
