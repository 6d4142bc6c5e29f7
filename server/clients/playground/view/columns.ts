import { piecesOf } from '../text/pieces.ts';
import { type Column, classesOf } from './columns-of-state.ts';

/**
 * Renders the text of a block in a column, as spans that contain only text: each is a stretch with uniform display.
 */
export function blockIn(column: Column, text: string, from: number, to: number): DocumentFragment {
  const { run, hits } = column;
  const fragment = document.createDocumentFragment();
  for (const piece of piecesOf(run.chunks, from, to)) {
    const { start, end, chunk } = piece;
    const span = document.createElement('span');
    const hit = hits.get(chunk);
    span.className = classesOf(column, piece);
    span.dataset.start = String(start);
    span.dataset.chunk = String(chunk);
    if (hit !== undefined && run.chunks[chunk]?.start_index === start) span.dataset.hit = String(hit);
    span.append(text.slice(start, end));
    fragment.append(span);
  }
  return fragment;
}
