import { median, type Result } from './race.ts';

/** Prints a heading that says what is measured. */
export function printTitle(title: string): void {
  console.log(`\n## ${title}\n`);
}

/**
 * Prints a table of speeds, and the ratio of ours to the best of the others.
 *
 * @param bytes that every candidate processes in a round
 */
export function printSpeeds(title: string, results: readonly Result[], bytes: number): void {
  const speed = (ms: number) => bytes / 1e3 / ms;
  const rows = results.map(({ name, times, failure }) => {
    if (times.length === 0) return [name, '-', failure ?? 'no round', ''];
    const range = `${number(speed(times.at(-1) as number))} .. ${number(speed(times[0] as number))}`;
    return [name, number(speed(median(times))), range, String(times.length)];
  });
  printTable(title, ['', 'MB/s', 'min .. max', 'rounds'], rows);
  console.log(`${ratioLine(results)}\n`);
}

function ratioLine(results: readonly Result[]): string {
  const ran = results.filter(({ times }) => times.length > 0);
  const ours = ran.find(({ isOurs }) => isOurs);
  const others = ran.filter(({ isOurs }) => !isOurs);
  const best = others.toSorted((a, b) => median(a.times) - median(b.times))[0];
  if (ours === undefined || best === undefined) return '  no ratio: nothing to compare with';
  const list = others.map((other) => `${times(other, ours)} ${other.name}`);
  return `  ratio: ${times(best, ours)} the best peer (${best.name}); ${list.join(', ')}`;
}

function times(other: Result, ours: Result): string {
  return `${number(median(other.times) / median(ours.times))}x`;
}

/** Prints a table; the first column is aligned to the left, the others to the right. */
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
  console.log([title, ...[header, ...rows].map((row) => `  ${line(row)}`.trimEnd())].join('\n'));
}

/** A number with three significant digits or so. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return '-';
  return value.toFixed(value >= 100 ? 0 : value >= 10 ? 1 : 2);
}
