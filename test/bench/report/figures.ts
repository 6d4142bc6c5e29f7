import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Table } from '../race/report.ts';

/** Where the figures of the last runs are kept, a line of JSON for each source. */
export const FILE = join(import.meta.dirname, 'figures.jsonl');

/** What a source printed, where and when. */
export interface Figures {
  readonly source: string;
  readonly command: string;
  /** As in 2026-01-31. */
  readonly date: string;
  readonly commit: string;
  readonly version: string;
  readonly machine: string;
  /** Processes that waited for a core in the minute before, on average. */
  readonly load: number;
  readonly seconds: number;
  readonly tables: readonly Table[];
}

/** The figures of the last runs, by their sources. */
export function readFigures(): ReadonlyMap<string, Figures> {
  const lines = existsSync(FILE) ? readFileSync(FILE, 'utf8').trimEnd().split('\n') : [];
  const all = lines.map((line) => JSON.parse(line) as Figures);
  return new Map(all.map((figures) => [figures.source, figures]));
}
