import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { reasonOf, refusedError } from '../../../core/kit.ts';
import { putFallbackFont, type SystemCalls } from './fallback-font.ts';

/**
 * PDFium's functions that this reader calls, by the names of its headers (`fpdfview.h`, `fpdf_text.h`, `fpdf_edit.h`,
 * `fpdf_structtree.h`, `fpdf_annot.h`, `fpdf_doc.h`). Pointers and handles are numbers, and 0 means that there is none.
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
  'FPDFText_GetTextObject',
  'FPDFText_GetCharBox',
  'FPDFText_GetLooseCharBox',
  'FPDFText_GetCharOrigin',
  'FPDFText_GetMatrix',
  'FPDFText_GetFontSize',
  'FPDFText_GetFillColor',
  'FPDFTextObj_GetTextRenderMode',
  'FPDFTextObj_GetFont',
  'FPDFFont_GetBaseFontName',
  'FPDFFont_GetFlags',
  'FPDFFont_GetAscent',
  'FPDFFont_GetDescent',
  'FPDFPageObj_GetType',
  'FPDFPageObj_GetBounds',
  'FPDFPageObj_GetMatrix',
  'FPDFPath_CountSegments',
  'FPDFPath_GetPathSegment',
  'FPDFPath_GetDrawMode',
  'FPDFPathSegment_GetType',
  'FPDFPathSegment_GetPoint',
  'FPDFPathSegment_GetClose',
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

type Values = Readonly<Record<string, unknown>>;

/** What is used of WebAssembly, which TypeScript declares for browsers alone. */
declare const WebAssembly: {
  readonly compile: (bytes: Uint8Array) => Promise<object>;
  readonly Instance: new (program: object, imports: object) => { readonly exports: Values };
};

interface Imports {
  readonly env: SystemCalls & { emscripten_resize_heap: (bytes: number) => number };
}

interface Module {
  readonly wasmExports: Values;
  readonly HEAPU8: Uint8Array;
  readonly HEAPU16: Uint16Array;
  readonly HEAP32: Int32Array;
  readonly HEAPF32: Float32Array;
  readonly HEAPF64: Float64Array;
  readonly _malloc: (bytes: number) => number;
  readonly _free: (pointer: number) => void;
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
/** Bytes of strings that are read in one call. */
const SHORT = 1024;
/** Bytes of `OC` with its NUL. */
const LAYER_BYTES = 6;
const UTF_16 = new TextDecoder('utf-16le');
const UTF_8 = new TextDecoder();
const MEGABYTE = 1_048_576;
/** Maximum bytes of PDFium's memory, besides those of the file. */
const MAX_MEMORY = 256 * MEGABYTE;
/** PDFium has been built with a stack of 64 KB, beneath which its data lie: nested objects would overwrite these. */
const STACK = 8 * MEGABYTE;
/** Bytes of memory above which an instance is not used for another file, since memory never shrinks. */
const MAX_KEPT = 64 * MEGABYTE;

/** The state of an instance, and its limit of memory. */
interface Fate {
  /** Bytes of memory that it may have. */
  allowed: number;
  /** It asked for more, in vain. */
  isShort: boolean;
  /** A call has failed, so its state is unknown, and nothing is called any more. */
  isBroken: boolean;
}

type Arguments = readonly [number, number, number, number, number, number, number, number];

/** Notes that a call has failed, so that what closes pages and frees memory after it calls nothing. */
function guarded(of: (...values: Arguments) => number, fate: Fate): (...values: Arguments) => number {
  return (a, b, c, d, e, f, g, h) => {
    if (fate.isBroken) return 0;
    try {
      return of(a, b, c, d, e, f, g, h);
    } catch (error) {
      fate.isBroken = true;
      throw error;
    }
  };
}

/** PDFium, compiled to WebAssembly: its functions, and its memory. One instance belongs to one thread. */
export class Pdfium {
  readonly call: Functions;
  readonly #module: Module;
  readonly #fate: Fate;
  /** Where functions write their results; see `SCRATCH`. */
  readonly scratch: number;
  /** Where functions write short strings; see `SHORT`. */
  readonly #short: number;

  constructor(module: Module, fate: Fate) {
    this.#module = module;
    this.#fate = fate;
    const callable = (name: string) =>
      guarded(module.wasmExports[name] as (...values: Arguments) => number, fate);
    this.call = Object.fromEntries(FUNCTIONS.map((name) => [name, callable(name)])) as Functions;
    this.scratch = module._malloc(SCRATCH);
    this.#short = module._malloc(SHORT);
    const setStack = module.wasmExports._emscripten_stack_restore as (top: number) => void;
    setStack(module._malloc(STACK) + STACK);
    this.call.FPDF_InitLibrary();
  }

  /** Whether a call has failed for another reason than memory. */
  get hasCrashed(): boolean {
    return this.#fate.isBroken && !this.#fate.isShort;
  }

  /** Whether another file may be read with this instance. */
  get isReusable(): boolean {
    return !this.#fate.isBroken && !this.#fate.isShort && this.#module.HEAPU8.length <= MAX_KEPT;
  }

  /** Allows memory for a file of this size. */
  allow(bytes: number): void {
    this.#fate.allowed = MAX_MEMORY + bytes;
  }

  /** @throws RangeError if memory was refused: PDFium silently leaves out what it has no memory for */
  checkMemory(): void {
    if (this.#fate.isShort) throw new RangeError(MEMORY_ERROR);
  }

  /** What to throw for an error of a call; other errors stay as they are. */
  failureOf(error: unknown): unknown {
    const { isShort, isBroken } = this.#fate;
    if (isShort)
      return refusal(
        `it needs more than ${MAX_MEMORY / MEGABYTE} MB of memory`,
        new RangeError(MEMORY_ERROR, { cause: error }),
      );
    return isBroken ? refusal(`PDFium fails with it: ${reasonOf(error)}`, error) : error;
  }

  /** Whether memory was refused; what asks can do without. */
  wasShort(): boolean {
    const { isShort } = this.#fate;
    this.#fate.isShort = false;
    return isShort;
  }

  /** Copies bytes into PDFium's memory. The caller frees them. */
  copied(bytes: Uint8Array): number {
    const pointer = this.#module._malloc(Math.max(bytes.length, 1));
    if (pointer === 0) throw new RangeError(MEMORY_ERROR);
    this.#module.HEAPU8.set(bytes, pointer);
    return pointer;
  }

  free(pointer: number): void {
    if (!this.#fate.isBroken) this.#module._free(pointer);
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

  /** Whether marked content belongs to a layer: its name is `OC`. */
  isLayer(mark: number): boolean {
    const { scratch } = this;
    const name = scratch + 4;
    // What is longer is not written.
    if (this.call.FPDFPageObjMark_GetName(mark, name, LAYER_BYTES, scratch) === 0) return false;
    const units = this.#module.HEAPU16;
    return this.int32() === LAYER_BYTES && units[name >> 1] === 0x4f && units[(name >> 1) + 1] === 0x43;
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
   * @param write called with a buffer and its length in bytes; writes nothing that is longer
   */
  utf16(write: (buffer: number, bytes: number) => number): string {
    return this.#written(write, UTF_16, 2);
  }

  /** As `utf16`, in UTF-8. */
  utf8(write: (buffer: number, bytes: number) => number): string {
    return this.#written(write, UTF_8, 1);
  }

  /** @param end bytes of the NUL at its end */
  #written(write: (buffer: number, bytes: number) => number, decoder: typeof UTF_16, end: number): string {
    const decoded = (pointer: number, length: number) =>
      decoder.decode(this.#module.HEAPU8.subarray(pointer, pointer + length - end));
    const bytes = write(this.#short, SHORT);
    if (bytes <= end) return '';
    if (bytes <= SHORT) return decoded(this.#short, bytes);
    const pointer = this.zeroed(bytes);
    try {
      return decoded(pointer, Math.min(write(pointer, bytes), bytes));
    } finally {
      this.free(pointer);
    }
  }
}

export const refusal = (reason: string, cause?: unknown): Error =>
  refusedError(`The PDF cannot be read: ${reason.replace(/\.$/, '')}.`, cause);

/** V8's words, by which the thread is ended: it would collect the memory of the instance too late. */
const MEMORY_ERROR = 'Array buffer allocation failed';

let compiled: Promise<object> | undefined;

/** Loads an instance of PDFium into this thread. Only the first is compiled. */
export async function loadPdfium(): Promise<Pdfium> {
  const { PDFiumModule } = await import('@hyzyla/pdfium');
  compiled ??= compile();
  const program = await compiled;
  const fate: Fate = { allowed: MAX_MEMORY, isShort: false, isBroken: false };
  let calls: SystemCalls | undefined;
  const instantiateWasm = (imports: Imports, done: (instance: object) => void): void => {
    const { env } = imports;
    const grow = env.emscripten_resize_heap;
    env.emscripten_resize_heap = (bytes: number) => {
      if (bytes >>> 0 <= fate.allowed) return grow(bytes);
      fate.isShort = true;
      return 0;
    };
    // Functions are bound when the instance is made, but those of the system are replaced later.
    calls = { ...env };
    const open = (...[folder, path, flags, mode]: Parameters<SystemCalls['__syscall_openat']>) =>
      calls?.__syscall_openat(folder, path, flags, mode) ?? -1;
    const stat = (path: number, result: number) => calls?.__syscall_stat64(path, result) ?? -1;
    done(
      new WebAssembly.Instance(program, {
        ...imports,
        env: { ...env, __syscall_openat: open, __syscall_stat64: stat },
      }),
    );
  };
  // Its messages are not about the file.
  const module = (await PDFiumModule({ instantiateWasm, printErr() {} } as object)) as unknown as Module;
  if (calls !== undefined) putFallbackFont(calls, module);
  return new Pdfium(module, fate);
}

async function compile(): Promise<object> {
  const file = fileURLToPath(import.meta.resolve('@hyzyla/pdfium/pdfium.wasm'));
  return WebAssembly.compile(await readFile(file));
}
