import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * PDFium's functions that this reader calls, by the names of its headers (`fpdfview.h`, `fpdf_text.h`, `fpdf_edit.h`,
 * `fpdf_structtree.h`, `fpdf_annot.h`, `fpdf_doc.h`). Pointers and handles are numbers; 0 is none.
 */
const FUNCTIONS = [
  'FPDF_InitLibrary',
  'FPDF_LoadMemDocument',
  'FPDF_GetLastError',
  'FPDF_CloseDocument',
  'FPDF_GetPageCount',
  'FPDF_GetMetaText',
  'FPDF_LoadPage',
  'FPDF_ClosePage',
  'FPDF_GetPageBoundingBox',
  'FPDFPage_GetRotation',
  'FPDFPage_CountObjects',
  'FPDFPage_GetObject',
  'FPDFCatalog_IsTagged',
  'FPDFText_LoadPage',
  'FPDFText_ClosePage',
  'FPDFText_CountChars',
  'FPDFText_GetUnicode',
  'FPDFText_IsGenerated',
  'FPDFText_HasUnicodeMapError',
  'FPDFText_GetTextObject',
  'FPDFText_GetCharBox',
  'FPDFText_GetLooseCharBox',
  'FPDFText_GetCharOrigin',
  'FPDFText_GetMatrix',
  'FPDFText_GetFontSize',
  'FPDFTextObj_GetFont',
  'FPDFFont_GetBaseFontName',
  'FPDFFont_GetFlags',
  'FPDFFont_GetWeight',
  'FPDFFont_GetAscent',
  'FPDFFont_GetDescent',
  'FPDFPageObj_GetType',
  'FPDFPageObj_GetBounds',
  'FPDFFormObj_CountObjects',
  'FPDFFormObj_GetObject',
  'FPDFPageObj_GetMarkedContentID',
  'FPDFPageObj_CountMarks',
  'FPDFPageObj_GetMark',
  'FPDFPageObjMark_GetName',
  'FPDF_StructTree_GetForPage',
  'FPDF_StructTree_Close',
  'FPDF_StructTree_CountChildren',
  'FPDF_StructTree_GetChildAtIndex',
  'FPDF_StructElement_GetType',
  'FPDF_StructElement_GetAltText',
  'FPDF_StructElement_CountChildren',
  'FPDF_StructElement_GetChildAtIndex',
  'FPDF_StructElement_GetChildMarkedContentID',
  'FPDFBookmark_GetFirstChild',
  'FPDFBookmark_GetNextSibling',
  'FPDFBookmark_GetTitle',
  'FPDFBookmark_GetDest',
  'FPDFBookmark_GetAction',
  'FPDFAction_GetDest',
  'FPDFDest_GetDestPageIndex',
  'FPDFDest_GetLocationInPage',
  'FPDFPage_GetAnnotCount',
  'FPDFPage_GetAnnot',
  'FPDFPage_CloseAnnot',
  'FPDFAnnot_GetSubtype',
  'FPDFAnnot_GetRect',
  'FPDFAnnot_GetFlags',
  'FPDFAnnot_GetStringValue',
  'FPDFAnnot_GetFormFieldType',
  'FPDFAnnot_GetFormFieldFlags',
  'FPDFAnnot_GetFormFieldValue',
  'FPDFAnnot_IsChecked',
  'FPDFBitmap_CreateEx',
  'FPDFBitmap_FillRect',
  'FPDFBitmap_GetBuffer',
  'FPDFBitmap_GetStride',
  'FPDFBitmap_Destroy',
  'FPDF_RenderPageBitmap',
  'FPDFDOC_InitFormFillEnvironment',
  'FPDFDOC_ExitFormFillEnvironment',
] as const;

type Functions = Readonly<Record<(typeof FUNCTIONS)[number], (...values: number[]) => number>>;

interface Module {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
  readonly _malloc: (bytes: number) => number;
  readonly _free: (pointer: number) => void;
  readonly [name: `_${string}`]: unknown;
}

/** A rectangle in points, in the coordinates of the file: y grows upwards. */
export interface Rectangle {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

/** Bytes for what a function writes into memory that its caller gives: at most six doubles. */
const SCRATCH = 64;

/** PDFium, compiled to WebAssembly: its functions, and its memory. One instance belongs to one thread. */
export class Pdfium {
  readonly call: Functions;
  readonly #module: Module;
  /** Where functions write their results; see `SCRATCH`. */
  readonly scratch: number;

  constructor(module: Module) {
    this.#module = module;
    this.call = Object.fromEntries(FUNCTIONS.map((name) => [name, module[`_${name}`]])) as Functions;
    this.scratch = module._malloc(SCRATCH);
    this.call.FPDF_InitLibrary();
  }

  /** Copies bytes into PDFium's memory. The caller frees them. */
  copied(bytes: Uint8Array): number {
    const pointer = this.#module._malloc(bytes.length);
    if (pointer === 0) throw new RangeError('out of memory');
    this.#module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  free(pointer: number): void {
    this.#module._free(pointer);
  }

  /** Allocates zeroed memory. */
  zeroed(bytes: number): number {
    return this.copied(new Uint8Array(bytes));
  }

  int32(index = 0): number {
    return this.#module.HEAP32[(this.scratch >> 2) + index] as number;
  }

  float32(index = 0): number {
    return this.#module.HEAPF32[(this.scratch >> 2) + index] as number;
  }

  float64(index = 0): number {
    return this.#module.HEAPF64[(this.scratch >> 3) + index] as number;
  }

  /** Bytes of PDFium's memory, until its next call. */
  bytes(pointer: number, length: number): Uint8Array {
    return this.#module.HEAPU8.subarray(pointer, pointer + length);
  }

  /** A rectangle that a function has written, as `FS_RECTF`. */
  rectangle(): Rectangle {
    const [left, top, right, bottom] = [0, 1, 2, 3].map((index) => this.float32(index)) as [
      number,
      number,
      number,
      number,
    ];
    return {
      left: Math.min(left, right),
      right: Math.max(left, right),
      top: Math.max(top, bottom),
      bottom: Math.min(top, bottom),
    };
  }

  /** The name of marked content, such as `Artifact`. */
  markName(mark: number): string {
    const { call, scratch } = this;
    if (call.FPDFPageObjMark_GetName(mark, 0, 0, scratch) === 0) return '';
    return this.utf16((buffer, bytes) => {
      if (buffer !== 0) call.FPDFPageObjMark_GetName(mark, buffer, bytes, scratch);
      return this.int32();
    });
  }

  /** A string of an annotation's dictionary; empty if it has none. */
  annotationText(annotation: number, name: string): string {
    const key = this.copied(new TextEncoder().encode(`${name}\0`));
    try {
      return this.utf16((buffer, bytes) =>
        this.call.FPDFAnnot_GetStringValue(annotation, key, buffer, bytes),
      );
    } finally {
      this.free(key);
    }
  }

  setInt32(pointer: number, value: number): void {
    this.#module.HEAP32[pointer >> 2] = value;
  }

  /**
   * A string that a function writes as UTF-16 with a NUL at its end, and whose bytes it returns.
   *
   * @param write called with a buffer and its length in bytes, first without a buffer
   */
  utf16(write: (buffer: number, bytes: number) => number): string {
    const bytes = write(0, 0);
    if (bytes <= 2) return '';
    return this.#written(bytes, write, (pointer, length) =>
      new TextDecoder('utf-16le').decode(this.#module.HEAPU8.subarray(pointer, pointer + length - 2)),
    );
  }

  /** As `utf16`, in UTF-8. */
  utf8(write: (buffer: number, bytes: number) => number): string {
    const bytes = write(0, 0);
    if (bytes <= 1) return '';
    return this.#written(bytes, write, (pointer, length) =>
      new TextDecoder().decode(this.#module.HEAPU8.subarray(pointer, pointer + length - 1)),
    );
  }

  #written(
    bytes: number,
    write: (buffer: number, bytes: number) => number,
    decode: (pointer: number, length: number) => string,
  ): string {
    const pointer = this.zeroed(bytes);
    try {
      return decode(pointer, Math.min(write(pointer, bytes), bytes));
    } finally {
      this.free(pointer);
    }
  }
}

/** Loads PDFium into this thread. */
export async function loadPdfium(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  const file = fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
  const { buffer: wasmBinary } = new Uint8Array(await readFile(file));
  return new Pdfium((await PDFiumModule({ wasmBinary })) as unknown as Module);
}

const PASSWORD_ERROR = 4;

/** A file that is open, and the page of it that is. */
export class PdfFile {
  readonly pdfium: Pdfium;
  readonly document: number;
  readonly form: number;
  readonly #bytes: number;
  readonly #formInfo: number;

  /** @throws Error that says why it cannot be opened */
  constructor(pdfium: Pdfium, bytes: Uint8Array) {
    this.pdfium = pdfium;
    this.#bytes = pdfium.copied(bytes);
    this.document = pdfium.call.FPDF_LoadMemDocument(this.#bytes, bytes.length, 0);
    if (this.document === 0) {
      const hasPassword = pdfium.call.FPDF_GetLastError() === PASSWORD_ERROR;
      pdfium.free(this.#bytes);
      throw new Error(hasPassword ? 'it has a password; save it without' : 'it is not a PDF, or broken');
    }
    // FPDF_FORMFILLINFO of version 1, without callbacks: nothing is drawn, and no script runs.
    this.#formInfo = pdfium.zeroed(256);
    pdfium.setInt32(this.#formInfo, 1);
    this.form = pdfium.call.FPDFDOC_InitFormFillEnvironment(this.document, this.#formInfo);
  }

  get pages(): number {
    return this.pdfium.call.FPDF_GetPageCount(this.document);
  }

  get isTagged(): boolean {
    return this.pdfium.call.FPDFCatalog_IsTagged(this.document) !== 0;
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
