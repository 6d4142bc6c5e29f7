import { isKnown, limitOf, NO_RUN, type Run, type Setting } from '../data/model.ts';
import type { State } from '../data/state.ts';
import { differencesOf, type Piece } from '../text/pieces.ts';

/** What the viewer shows of one setting. */
export interface Column {
  readonly setting: Setting;
  readonly run: Run;
  /** Offsets of boundaries that another setting does not have. */
  readonly differences: ReadonlySet<number>;
  /** The selected chunk; -1 for none. */
  readonly selected: number;
  /** Chunks that answer a question, with their ranks among the answers from 1. */
  readonly hits: ReadonlyMap<number, number>;
}

const NO_DIFFERENCES: ReadonlySet<number> = new Set();

/** What the columns show in a state. */
export function columnsOf({ settings, runs, selection, showsDifferences, asked }: State): Column[] {
  const shown = settings.map(({ id }) => runs.get(id) ?? NO_RUN);
  const compared = shown.filter(isKnown);
  const isCompared = showsDifferences && compared.length > 1 && shown.every(({ isStale }) => !isStale);
  const differences = isCompared ? differencesOf(compared.map(({ chunks }) => chunks)) : [];
  return settings.map((setting, index) => {
    const run = shown[index] ?? NO_RUN;
    const hits = asked.found.get(setting.id)?.hits ?? [];
    return {
      setting,
      run,
      differences: differences[compared.indexOf(run)] ?? NO_DIFFERENCES,
      selected: selection?.setting === setting.id ? selection.chunk : -1,
      hits: new Map(hits.map(({ chunk }, place) => [chunk, place + 1])),
    };
  });
}

/** The classes of a stretch of the text. Text in no chunk is marked as left out, unless the chunks are not known. */
export function classesOf(column: Column, { start, chunk, isOverlap, isStart }: Piece): string {
  const { run, setting, differences, selected, hits } = column;
  const isOver = (run.chunks[chunk]?.token_count ?? 0) > (limitOf(setting) ?? Number.POSITIVE_INFINITY);
  const classes = [
    chunk === -1 ? isKnown(run) && 'gap' : chunk % 2 === 0 ? 'even' : 'odd',
    isOverlap && 'overlap',
    isStart && 'start',
    isOver && 'over',
    differences.has(start) && isStart && 'differs',
    chunk === selected && chunk !== -1 && 'selected',
    hits.has(chunk) && 'hit',
  ];
  return classes.filter(Boolean).join(' ');
}
