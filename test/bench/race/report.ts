import { medians, type Result } from './race.ts';

/** Prints a heading that says what is measured. */
export function printTitle(title: string): void {
  console.log(`\n## ${title}\n`);
}

/**
 * Prints a table of speeds, and the ratio of ours to each of the others.
 *
 * @param bytes that every candidate processes in a round
 */
export function printSpeeds(title: string, results: readonly Result[], bytes: number): void {
  const speed = (ms: number | undefined = Number.NaN) => number(bytes / 1e3 / ms);
  const middles = medians(results);
  const ours = middles[results.findIndex(({ isOurs }) => isOurs)] ?? Number.NaN;
  const rows = results.map(({ name, isOurs, times, failure }, index) => {
    if (times.length === 0) return [name, '-', failure ?? 'no round'];
    const middle = middles[index] as number;
    const range = `${speed(times.at(-1))} .. ${speed(times[0])}`;
    return [name, speed(middle), range, String(times.length), isOurs ? '' : `${number(middle / ours)}x`];
  });
  printTable(title, ['', 'MB/s', 'min .. max', 'rounds', 'ours'], rows);
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
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
