import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../../../core/errors.ts';
import type { Interval } from '../../../engine/operations/evaluation/bootstrap.ts';
import type { Retriever } from '../../../engine/operations/evaluation/schemas.ts';

export interface Point {
  readonly retriever: Retriever;
  readonly recall: number;
  readonly interval: Interval;
  readonly tokens: number;
  readonly chunks: number;
  readonly largest: number;
  readonly recalls: readonly number[];
}

interface KeptTrial {
  readonly key: string;
  readonly name: string;
  readonly points: readonly Point[];
}

/** The file in the user's folder from which a stopped run resumes. */
export class KeptTrials {
  readonly #file: string;
  #isAnnounced = false;

  constructor(file: string) {
    this.#file = file;
  }

  add(trial: KeptTrial): void {
    const folder = dirname(this.#file);
    try {
      const isNew = mkdirSync(folder, { recursive: true }) !== undefined;
      if (isNew) writeFileSync(join(folder, '.gitignore'), '*\n');
      appendFileSync(this.#file, `${JSON.stringify(trial)}\n`);
      if (!this.#isAnnounced) console.error(`${this.#file} keeps what is measured, for --resume`);
      this.#isAnnounced = true;
    } catch (error) {
      console.error(`--resume will not be possible: ${reasonOf(error)}`);
    }
  }

  load(): Map<string, readonly Point[]> {
    const known = new Map<string, readonly Point[]>();
    if (!existsSync(this.#file)) return known;
    for (const line of readFileSync(this.#file, 'utf8').split('\n')) {
      try {
        const { key, points } = JSON.parse(line) as KeptTrial;
        known.set(key, points);
      } catch {}
    }
    return known;
  }

  forget(): void {
    rmSync(this.#file, { force: true });
  }
}
