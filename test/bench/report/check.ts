import { printTable } from '../race/report.ts';
import type { Figures } from './figures.ts';
import { SECTIONS } from './sources.ts';

const RATIO = /^([\d.]+)x \(([\d.]+) \.\. ([\d.]+)\)$/;
/** What is counted there is the same each time. */
const COUNTED = ['exactness', 'quality'];

/** Prints for each ratio of a source that the page shows whether it is within its printed range, and for counts whether they are the same. */
export function check(printed: Figures | undefined, now: Figures): void {
  const rows: string[][] = [];
  for (const { name: section, views } of SECTIONS) {
    for (const { titles } of views.filter(({ source }) => source === now.source)) {
      for (const { title, header, rows: before } of printed?.tables.filter((one) => titles.test(one.title)) ??
        []) {
        const after = now.tables.find((one) => one.title === title)?.rows ?? [];
        for (const [who = '', ...cells] of before) {
          const found = after.find(([name]) => name === who)?.slice(1) ?? [];
          for (const [at, cell] of cells.entries()) {
            const verdict = verdictOf(cell, found[at] ?? 'none', COUNTED.includes(section));
            if (verdict !== undefined)
              rows.push([`${title}: ${who}, ${header[at + 1]}`, cell, found[at] ?? 'none', verdict]);
          }
        }
      }
    }
  }
  const kept = rows.filter(([, , , verdict]) => verdict === 'yes').length;
  printTable(`${kept} of ${rows.length} as printed`, ['', 'printed', 'now', 'within'], rows);
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
