import { appendFileSync } from 'node:fs';
import type { Result } from './race.ts';
import { ratioOf, type Spread, spreadOf } from './statistics.ts';

/** MB/s of a candidate, and how many times as fast ours is. */
export interface Speed {
  readonly name: string;
  readonly isOurs: boolean;
  readonly speed?: Spread;
  readonly ratio?: Spread;
}

/** What a table says, for `npm run bench -- report`. */
export interface Table {
  readonly title: string;
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly speeds?: readonly Speed[];
}

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
  const ours = results.find(({ isOurs }) => isOurs)?.times ?? [];
  const speeds = results.map(({ name, isOurs = false, times }): Speed => {
    if (times.length === 0) return { name, isOurs };
    const speed = spreadOf(times.map((ms) => bytes / 1e3 / ms));
    return { name, isOurs, speed, ...(!isOurs && { ratio: ratioOf(times, ours) }) };
  });
  const rows = speeds.map(({ name, speed, ratio }, at) => {
    const { times, failure } = results[at] as Result;
    if (speed === undefined) return [name, '-', failure ?? 'no round'];
    const range = `${number(speed.min)} .. ${number(speed.max)}`;
    return [name, number(speed.median), range, String(times.length), ratio ? timesAsFast(ratio) : ''];
  });
  printTable(title, ['', 'MB/s', 'min .. max', 'rounds', 'ours'], rows, speeds);
}

/** The median with its range; a dash if there is none. */
export function withRange(values: readonly number[]): string {
  const { median, min, max } = spreadOf(values);
  return Number.isNaN(median) ? '-' : `${number(median)} (${number(min)} .. ${number(max)})`;
}

/** How many times, with its range. */
export function timesAsFast({ median, min, max }: Spread): string {
  return `${number(median)}x (${number(min)} .. ${number(max)})`;
}

/** Prints a table and an empty line; the first column is aligned to the left, the others to the right. */
export function printTable(
  title: string,
  header: readonly string[],
  rows: readonly (readonly string[])[],
  speeds?: readonly Speed[],
): void {
  const { BENCH_TABLES: file } = process.env;
  const table: Table = { title, header, rows, ...(speeds && { speeds }) };
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(table)}\n`);
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
