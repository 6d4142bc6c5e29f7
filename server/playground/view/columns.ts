import type { Run, Setting } from '../data/model.ts';
import { limitOf } from '../data/model.ts';
import { piecesOf } from '../text/pieces.ts';

/** What the viewer shows of one setting. */
export interface Column {
  readonly setting: Setting;
  readonly run: Run;
  /** Offsets of boundaries that another setting does not have. */
  readonly differences: ReadonlySet<number>;
  /** The chunk that is looked at; -1 for none. */
  readonly selected: number;
  /** Chunks that answer a question, with their places among the answers from 1. */
  readonly hits: ReadonlyMap<number, number>;
}

/**
 * Makes the text of a block in a column, as spans with nothing but text in them: each is a stretch of the text that is
 * shown in one way.
 */
export function blockIn(column: Column, text: string, from: number, to: number): DocumentFragment {
  const { run, setting, differences, selected, hits } = column;
  const limit = limitOf(setting) ?? Number.POSITIVE_INFINITY;
  const fragment = document.createDocumentFragment();
  for (const { start, end, chunk, isOverlap, isStart } of piecesOf(run.chunks, from, to)) {
    const span = document.createElement('span');
    const isOver = (run.chunks[chunk]?.token_count ?? 0) > limit;
    const hit = hits.get(chunk);
    const classes = [
      chunk === -1 ? 'gap' : chunk % 2 === 0 ? 'even' : 'odd',
      isOverlap && 'overlap',
      isStart && 'start',
      isOver && 'over',
      differences.has(start) && isStart && 'differs',
      chunk === selected && chunk !== -1 && 'selected',
      hit !== undefined && 'hit',
    ];
    span.className = classes.filter(Boolean).join(' ');
    span.dataset.start = String(start);
    span.dataset.chunk = String(chunk);
    if (hit !== undefined && run.chunks[chunk]?.start_index === start) span.dataset.hit = String(hit);
    span.append(text.slice(start, end));
    fragment.append(span);
  }
  return fragment;
}
