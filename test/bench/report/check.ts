import { printTable, type Table } from '../race/report.ts';
import type { Figures } from './figures.ts';
import { SECTIONS } from './sources.ts';

const RATIO = /^([\d.]+)x \(([\d.]+) \.\. ([\d.]+)\)$/;
/** What is counted there is the same each time. */
const COUNTED = ['exactness', 'quality'];

/** Prints for each ratio of a source that the page shows whether it is within its printed range, and for counts whether they are the same. */
export function check(printed: Figures | undefined, now: Figures): void {
  const rows = SECTIONS.flatMap(({ name, views }) =>
    views
      .filter(({ source }) => source === now.source)
      .flatMap(({ titles }) => printed?.tables.filter(({ title }) => titles.test(title)) ?? [])
      .flatMap((table) => rowsOf(table, now, COUNTED.includes(name))),
  );
  const kept = rows.filter(([, , , verdict]) => verdict === 'yes').length;
  printTable(`${kept} of ${rows.length} as printed`, ['', 'printed', 'now', 'within'], rows);
}

/** The ratios and counts of a table, with what they are now. */
function rowsOf({ title, header, rows, speeds }: Table, now: Figures, isCounted: boolean): string[][] {
  const after = now.tables.find((one) => one.title === title)?.rows ?? [];
  // The page has no ratios of ours to ours.
  const shown = rows.filter(([who = '']) => speeds === undefined || !who.startsWith('chunksmith'));
  return shown.flatMap(([who = '', ...cells]) => {
    const found = after.find(([name]) => name === who)?.slice(1) ?? [];
    return cells.flatMap((cell, at) => {
      const verdict = verdictOf(cell, found[at] ?? 'none', isCounted);
      const what = `${title}: ${who}, ${header[at + 1]}`;
      return verdict === undefined ? [] : [[what, cell, found[at] ?? 'none', verdict]];
    });
  });
}

/** What to say of a cell; undefined of times, which are those of a machine. */
export function verdictOf(printed: string, now: string, isCounted: boolean): string | undefined {
  const [, , low, high] = RATIO.exec(printed) ?? [];
  if (low === undefined || high === undefined)
    return isCounted ? (printed === now ? 'yes' : 'no') : undefined;
  const ratio = Number(RATIO.exec(now)?.[1]);
  if (Number.isNaN(ratio)) return 'no';
  const off = ratio < Number(low) ? ratio / Number(low) : ratio / Math.min(ratio, Number(high));
  return off === 1 ? 'yes' : `${(100 * (off - 1)).toFixed(0)} % off`;
}
