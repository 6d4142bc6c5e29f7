import { html, nothing, svg, type TemplateResult } from 'lit-html';
import type { Place } from '../data/model.ts';
import type { State } from '../data/state.ts';
import { placesOf } from '../text/where.ts';
import type { Wiring } from './wiring.ts';

/** The pages that the selected chunk is on, rising; none if they cannot be shown. */
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

/** The page of a PDF that the state shows. */
export function pageShown(state: State): { readonly file: File; readonly page: number } | undefined {
  const { origin, showsPages } = state;
  const pages = showsPages && isPdf(origin?.file) ? pagesOf(state) : [];
  if (origin === undefined || pages.length === 0) return undefined;
  return { file: origin.file, page: currentOf(state, pages) };
}

/** The page of the source that the selected chunk is on, with boxes around what is of it. */
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

/** Scrolls the page to its first box, unless that is in sight; what is around the page stays. */
export function revealBox(root: ParentNode): void {
  const desk = root.querySelector('.desk');
  const box = desk?.querySelector('rect')?.getBoundingClientRect();
  if (!desk || box === undefined) return;
  const { top, bottom } = desk.getBoundingClientRect();
  if (box.top < top || box.bottom > bottom) desk.scrollTop += box.top - top - ABOVE;
}

/** Pixels of the page that are shown above its first box. */
const ABOVE = 60;

/** Boxes on a page, one after the other with their four edges. Attributes of SVG place them: the policy allows no styles. */
function boxesOf(edges: readonly number[]): TemplateResult {
  const rectangles = [];
  for (let at = 0; at < edges.length; at += 4) {
    const [left = 0, top = 0, right = 0, bottom = 0] = edges.slice(at, at + 4);
    rectangles.push(svg`<rect x=${left} y=${top} width=${right - left} height=${bottom - top}></rect>`);
  }
  const label = `The chunk is in ${rectangles.length} place${rectangles.length === 1 ? '' : 's'} of the page`;
  return html`<svg class="boxes" viewBox="0 0 1 1" preserveAspectRatio="none" role="img" aria-label=${label}>${rectangles}</svg>`;
}
