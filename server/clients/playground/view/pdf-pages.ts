import type { DrawnPage } from '../data/state.ts';

/** What this page uses of pdf.js, which is not imported by name: it may not be installed. */
interface PdfJs {
  readonly GlobalWorkerOptions: { workerSrc: string };
  getDocument(source: object): LoadingTask;
}
interface LoadingTask {
  readonly promise: Promise<{ getPage(page: number): Promise<PdfPage> }>;
  destroy(): Promise<void>;
}
interface Viewport {
  readonly width: number;
  readonly height: number;
}
interface PdfPage {
  getViewport(options: { scale: number }): Viewport;
  render(options: { canvas: HTMLCanvasElement; viewport: Viewport }): RenderTask;
  cleanup(): void;
}
interface RenderTask {
  readonly promise: Promise<void>;
  cancel(): void;
}

/** Pixels of the width of a page, of its longer side, and of all of it, at most. */
const WIDTH = 1400;
const MAX_SIDE = 8000;
const MAX_PIXELS = 6_000_000;
/** Larger images are left out. */
const MAX_IMAGE_PIXELS = 100_000_000;

/** Where the server has the files of pdf.js, and the module of it, which the compiler must not look for. */
const FOLDER = new URL('../pdf/', import.meta.url);
const SCRIPT = 'pdf.min.mjs';
const at = (path: string) => new URL(path, FOLDER).href;

/** Draws pages of a PDF, one at a time; pdf.js is loaded for the first one. */
export class PdfPages {
  readonly #done: (drawn: DrawnPage | undefined) => void;
  #file: File | undefined;
  #page: number | undefined;
  /** Counts what was wanted, as the same page may be wanted again. */
  #turn = 0;
  #loading: Promise<LoadingTask> | undefined;
  #task: RenderTask | undefined;
  #canvas: HTMLCanvasElement | undefined;

  /** @param done is notified when a page has been drawn or has failed, and when it is no longer wanted */
  constructor(done: (drawn: DrawnPage | undefined) => void) {
    this.#done = done;
  }

  /** Draws another page; what an earlier one needs is freed, and with another file also what is known of its file. */
  show(wanted: { readonly file: File; readonly page: number } | undefined): void {
    const { file, page } = wanted ?? {};
    if (file === this.#file && page === this.#page) return;
    if (file !== this.#file) this.#forget();
    [this.#file, this.#page] = [file, page];
    this.#task?.cancel();
    if (this.#canvas !== undefined) this.#canvas.width = 0;
    this.#canvas = undefined;
    this.#done(undefined);
    if (wanted !== undefined) void this.#draw(wanted);
  }

  #forget(): void {
    void this.#loading?.then(
      (loading) => loading.destroy(),
      () => {},
    );
    this.#loading = undefined;
  }

  async #draw({ file, page }: { readonly file: File; readonly page: number }): Promise<void> {
    const turn = ++this.#turn;
    const isWanted = () => turn === this.#turn && file === this.#file && page === this.#page;
    try {
      this.#loading ??= open(file);
      const document = await (await this.#loading).promise;
      const found = isWanted() ? await document.getPage(page) : undefined;
      await this.#task?.promise.catch(() => {});
      if (found === undefined || !isWanted()) return;
      const canvas = await this.#render(found);
      found.cleanup();
      if (!isWanted()) return;
      this.#canvas = canvas;
      this.#done({ file, page, canvas });
    } catch {
      if (isWanted()) this.#done({ file, page, canvas: undefined });
    }
  }

  async #render(page: PdfPage): Promise<HTMLCanvasElement> {
    const { width, height } = page.getViewport({ scale: 1 });
    const most = Math.min(MAX_SIDE / Math.max(width, height), Math.sqrt(MAX_PIXELS / (width * height)));
    const viewport = page.getViewport({ scale: Math.min(WIDTH / width, most) });
    const canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.floor(viewport.width));
    canvas.height = Math.max(1, Math.floor(viewport.height));
    this.#task = page.render({ canvas, viewport });
    await this.#task.promise;
    return canvas;
  }
}

async function open(file: File): Promise<LoadingTask> {
  const library: PdfJs = await import(`../pdf/legacy/build/${SCRIPT}`);
  library.GlobalWorkerOptions.workerSrc = at('legacy/build/pdf.worker.min.mjs');
  return library.getDocument({
    data: new Uint8Array(await file.arrayBuffer()),
    cMapUrl: at('cmaps/'),
    standardFontDataUrl: at('standard_fonts/'),
    wasmUrl: at('wasm/'),
    useWasm: false,
    // Those of the system would be loaded by styles, which the policy does not allow.
    useSystemFonts: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: 0,
  });
}
