import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Place } from '../data/model.ts';
import type { DrawnPage, State } from '../data/state.ts';
import { placesOf } from '../text/where.ts';
import type { Answer, Request } from './pdf-worker.ts';
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

export function pageShown(state: State): Request | undefined {
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

const WORKER = new URL('./pdf-worker.ts', import.meta.url);
/** Milliseconds after which a page is given up: a hostile one can keep PDFium busy for ever. */
const MAX_MS = 30_000;

export class PdfPages {
  readonly #done: (drawn: DrawnPage | undefined) => void;
  #wanted: Request | undefined;
  /** The page that the worker draws. It draws one at a time, so that pages turned over quickly are never drawn. */
  #drawing: number | undefined;
  #worker: Worker | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #canvas: HTMLCanvasElement | undefined;

  /** @param done called without a page when another page is wanted, and later with that page or its failure */
  constructor(done: (drawn: DrawnPage | undefined) => void) {
    this.#done = done;
  }

  /** Draws the wanted page, and frees the previous page. If the file changes, frees the previous document too. */
  show(wanted: Request | undefined): void {
    const before = this.#wanted;
    if (wanted?.file === before?.file && wanted?.page === before?.page) return;
    this.#wanted = wanted;
    if (wanted?.file !== before?.file) this.#end();
    if (this.#canvas !== undefined) this.#canvas.width = 0;
    this.#canvas = undefined;
    this.#done(undefined);
    if (this.#drawing === undefined) this.#draw();
  }

  #draw(): void {
    if (this.#wanted === undefined) return;
    this.#worker ??= this.#start();
    this.#drawing = this.#wanted.page;
    this.#timer = setTimeout(() => this.#finish(undefined), MAX_MS);
    this.#worker.postMessage(this.#wanted);
  }

  #start(): Worker {
    const worker = new Worker(WORKER, { type: 'module' });
    worker.onmessage = ({ data }: MessageEvent<Answer>) => this.#finish(data);
    worker.onerror = () => this.#finish(undefined);
    return worker;
  }

  #end(): void {
    this.#worker?.terminate();
    this.#worker = undefined;
    this.#drawing = undefined;
    clearTimeout(this.#timer);
  }

  #finish(pixels: Answer): void {
    const page = this.#drawing;
    this.#drawing = undefined;
    clearTimeout(this.#timer);
    // PDFium may be unusable after a failure.
    if (pixels === undefined) this.#end();
    if (this.#wanted?.page === page && this.#wanted !== undefined) {
      this.#canvas = pixels && canvasOf(pixels);
      this.#done({ ...this.#wanted, canvas: this.#canvas });
    } else this.#draw();
  }
}

function canvasOf(pixels: ImageData): HTMLCanvasElement {
  const canvas = document.createElement('canvas');
  canvas.width = pixels.width;
  canvas.height = pixels.height;
  canvas.getContext('2d')?.putImageData(pixels, 0, 0);
  return canvas;
}
