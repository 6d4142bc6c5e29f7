import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Place } from '../data/model.ts';
import type { DrawnPage, State } from '../data/state.ts';
import { placesOf } from '../text/where.ts';
import type { Wiring } from './wiring.ts';

export function pagesOf(state: State): readonly number[] {
  const { origin } = state;
  const canShow = (place: Place) => place.box !== undefined || isPdf(origin?.file);
  const pages = placesOf(state).flatMap((place) => (canShow(place) ? (place.page ?? []) : []));
  return [...new Set(pages)].sort((a, b) => a - b);
}

function isPdf(file: File | undefined): boolean {
  return file?.type === 'application/pdf' || /\.pdf$/i.test(file?.name ?? '');
}

function currentOf({ page }: State, pages: readonly number[]): number {
  return pages.find((one) => one === page) ?? (pages[0] as number);
}

export function pageShown(state: State): { readonly file: File; readonly page: number } | undefined {
  const { origin, showsPages } = state;
  const pages = showsPages && isPdf(origin?.file) ? pagesOf(state) : [];
  if (origin === undefined || pages.length === 0) return undefined;
  return { file: origin.file, page: currentOf(state, pages) };
}

export function pagePanel(state: State, { store, viewer }: Wiring): TemplateResult | typeof nothing {
  const pages = state.showsPages ? pagesOf(state) : [];
  if (pages.length === 0) return nothing;
  const page = currentOf(state, pages);
  const at = pages.indexOf(page);
  const show = (index: number) => store.change({ page: pages[index] });
  const close = () => {
    store.change({ showsPages: false });
    viewer.focus({ preventScroll: true });
  };
  const turns = html`<button class="plain" aria-label="The previous page of the chunk" ?disabled=${at === 0} @click=${() => show(at - 1)}>←</button>
    <button class="plain" aria-label="The next page of the chunk" ?disabled=${at === pages.length - 1} @click=${() => show(at + 1)}>→</button>`;
  return html`<section class="source" aria-label="Where the chunk comes from">
    <header>
      <h2 aria-live="polite">Page ${page} <small>${state.source}</small></h2>
      ${pages.length > 1 ? turns : nothing}
      <button class="plain" aria-label="Close the page" @click=${close}>✕</button>
    </header>
    <div class="desk" tabindex="0" role="group" aria-label="The page">${sheet(state, page)}</div>
  </section>`;
}

function sheet(state: State, page: number): TemplateResult {
  const { origin, drawn } = state;
  const isDrawn = drawn?.file === origin?.file && drawn?.page === page;
  const canvas = isDrawn ? drawn?.canvas : undefined;
  const boxes = placesOf(state).flatMap((place) => (place.page === page ? (place.box ?? []) : []));
  const shape = canvas !== undefined ? '' : isPdf(origin?.file) ? 'blank' : 'blank slide';
  return html`<div class="sheet ${shape}">
      ${canvas ?? nothing}
      ${boxesOf(boxes)}
    </div>
    ${isPdf(origin?.file) && canvas === undefined ? html`<p class="brief" role="status">${isDrawn ? CANNOT : 'Loading the page …'}</p>` : nothing}`;
}

const CANNOT = 'The page cannot be drawn here; the boxes show where on it the chunk is.';

/** Scrolls to the first box, unless the box is visible. `scrollIntoView` would also scroll outer elements. */
export function revealBox(root: ParentNode): void {
  const desk = root.querySelector('.desk');
  const box = desk?.querySelector('rect')?.getBoundingClientRect();
  if (!desk || box === undefined) return;
  const { top, bottom } = desk.getBoundingClientRect();
  if (box.top < top || box.bottom > bottom) desk.scrollTop += box.top - top - ABOVE;
}

/** Pixels that stay visible above the first box after scrolling. */
const ABOVE = 60;

/** Draws boxes, each given by four edges. Attributes place them: the Content Security Policy forbids styles. */
function boxesOf(edges: readonly number[]): TemplateResult {
  const rectangles = [];
  for (let at = 0; at < edges.length; at += 4) {
    const [left = 0, top = 0, right = 0, bottom = 0] = edges.slice(at, at + 4);
    rectangles.push(svg`<rect x=${left} y=${top} width=${right - left} height=${bottom - top}></rect>`);
  }
  const label = `The chunk is in ${rectangles.length} place${rectangles.length === 1 ? '' : 's'} of the page`;
  return html`<svg class="boxes" viewBox="0 0 1 1" preserveAspectRatio="none" role="img" aria-label=${label}>${rectangles}</svg>`;
}

/** The used parts of pdf.js. They are declared here, because pdf.js may not be installed. */
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

/** Pixels of a drawn page: its usual width, the maximum of its longer side, and the maximum of its area. */
const WIDTH = 1400;
const MAX_SIDE = 8000;
const MAX_PIXELS = 6_000_000;
/** pdf.js leaves out images with more pixels. */
const MAX_IMAGE_PIXELS = 100_000_000;

/** The folder of pdf.js on the server. The compiler does not resolve an import whose path contains a variable. */
const FOLDER = new URL('../pdf/', import.meta.url);
const SCRIPT = 'pdf.min.mjs';
const at = (path: string) => new URL(path, FOLDER).href;

export class PdfPages {
  readonly #done: (drawn: DrawnPage | undefined) => void;
  #file: File | undefined;
  #page: number | undefined;
  /** Number of the latest request. A request is not identified by its page, because a page may be requested again. */
  #turn = 0;
  #loading: Promise<LoadingTask> | undefined;
  #task: RenderTask | undefined;
  #canvas: HTMLCanvasElement | undefined;

  /** @param done called without a page when another page is wanted, and later with that page or its failure */
  constructor(done: (drawn: DrawnPage | undefined) => void) {
    this.#done = done;
  }

  /** Draws the wanted page, and frees the previous page. If the file changes, frees the previous document too. */
  show(wanted: { readonly file: File; readonly page: number } | undefined): void {
    const { file, page } = wanted ?? {};
    if (file === this.#file && page === this.#page) return;
    if (file !== this.#file) this.#forget();
    this.#file = file;
    this.#page = page;
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
    // pdf.js would load system fonts by inline styles, but the Content Security Policy forbids these.
    useSystemFonts: false,
    maxImageSize: MAX_IMAGE_PIXELS,
    verbosity: 0,
  });
}
