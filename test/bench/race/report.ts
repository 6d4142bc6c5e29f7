import { median, type Result } from './race.ts';

/** Prints a heading that says what is measured. */
export function printTitle(title: string): void {
  console.log(`\n## ${title}\n`);
}

/**
 * Prints a table of speeds, and how many times as fast ours is as each of the others, with the range over the rounds.
 *
 * @param bytes that every candidate processes in a round
 */
export function printSpeeds(title: string, results: readonly Result[], bytes: number): void {
  const speed = (ms: number | undefined = Number.NaN) => number(bytes / 1e3 / ms);
  const ours = results.find(({ isOurs }) => isOurs)?.times ?? [];
  const rows = results.map(({ name, isOurs, times, failure }) => {
    if (times.length === 0) return [name, '-', failure ?? 'no round'];
    const range = `${speed(Math.max(...times))} .. ${speed(Math.min(...times))}`;
    return [name, speed(median(times)), range, String(times.length), isOurs ? '' : ratioOf(times, ours)];
  });
  printTable(title, ['', 'MB/s', 'min .. max', 'rounds', 'ours'], rows);
}

/** The median of the ratios of the rounds that both took part in, and their range. */
function ratioOf(times: readonly number[], ours: readonly number[]): string {
  const rounds = Math.min(times.length, ours.length);
  const ratios = Array.from({ length: rounds }, (_, at) => (times[at] as number) / (ours[at] as number));
  return `${number(median(ratios))}x (${number(Math.min(...ratios))} .. ${number(Math.max(...ratios))})`;
}

/** Prints a table and an empty line; the first column is aligned to the left, the others to the right. */
export function printTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
): void {
  const widths = header.map((cell, column) =>
    Math.max(cell.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) =>
        column === 0 ? cell.padEnd(widths[0] as number) : cell.padStart(widths[column] as number),
      )
      .join('  ');
  console.log([title, ...[header, ...rows].map((row) => `  ${line(row)}`.trimEnd()), ''].join('\n'));
}

/** A number with three significant digits or so. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return value.toFixed([100, 10, 1].filter((least) => Math.abs(value) < least).length);
}
