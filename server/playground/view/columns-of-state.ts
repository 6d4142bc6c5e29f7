import { NO_RUN } from '../data/model.ts';
import type { State } from '../data/state.ts';
import { differencesOf } from '../text/differences.ts';
import type { Column } from './columns.ts';

const NO_DIFFERENCES: ReadonlySet<number> = new Set();

/** What the columns show in a state. */
export function columnsOf({ settings, runs, selection, showsDifferences, asked }: State): Column[] {
  const shown = settings.map(({ id }) => runs.get(id) ?? NO_RUN);
  const isCompared = showsDifferences && settings.length > 1 && shown.every(({ isStale }) => !isStale);
  const differences = isCompared ? differencesOf(shown.map(({ chunks }) => chunks)) : [];
  return settings.map((setting, index) => {
    const hits = asked.hits.get(setting.id) ?? [];
    return {
      setting,
      run: shown[index] ?? NO_RUN,
      differences: differences[index] ?? NO_DIFFERENCES,
      selected: selection?.setting === setting.id ? selection.chunk : -1,
      hits: new Map(hits.map(({ chunk }, place) => [chunk, place + 1])),
    };
  });
}
