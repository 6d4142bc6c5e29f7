import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '../race/report.ts';
import { SOURCES } from './sources.ts';

/** Where the figures of the last runs are kept, a line of JSON for each source. */
const FILE = join(import.meta.dirname, 'figures.jsonl');

/** What a source printed, where and when. */
export interface Figures {
  readonly source: string;
  readonly command: string;
  /** When it began, as in 2026-01-31T09:30Z. */
  readonly date: string;
  readonly commit: string;
  readonly version: string;
  readonly machine: string;
  /** Percent of the cores that other processes took meanwhile; NaN, which is null in JSON, where the system does not tell. */
  readonly others: number | null;
  readonly seconds: number;
  readonly tables: readonly Table[];
}

/** The figures of the last runs, by their sources. */
export function readFigures(): ReadonlyMap<string, Figures> {
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').trimEnd().split('\n') : [];
  const all = lines.map((line) => JSON.parse(line) as Figures);
  return new Map(all.map((figures) => [figures.source, figures]));
}

/** Keeps the figures of a source in place of its former ones. */
export function keepFigures(figures: Figures): void {
  const all = new Map(readFigures()).set(figures.source, figures);
  const known = Object.keys(SOURCES).flatMap((one) => all.get(one) ?? []);
  writeFileSync(FILE, known.map((one) => `${JSON.stringify(one)}\n`).join(''));
}
