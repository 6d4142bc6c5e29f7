import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../../../core/errors.ts';
import type { Interval } from '../../../engine/operations/evaluation/bootstrap.ts';
import type { Retriever } from '../../../engine/operations/evaluation/schemas.ts';

/** How well a chunking with a retriever answers the questions. Plain data that is kept in a file. */
export interface Point {
  readonly retriever: Retriever;
  readonly recall: number;
  readonly interval: Interval;
  /** Tokens that a question finds, on average. */
  readonly tokens: number;
  readonly chunks: number;
  /** Tokens of the largest chunk that was found. */
  readonly largest: number;
  readonly recalls: readonly number[];
}

interface KeptTrial {
  /** A digest of the documents, the questions, the options and the chunking. */
  readonly key: string;
  readonly name: string;
  readonly points: readonly Point[];
}

/** The file in the user's folder from which a stopped run is continued. The first line prints its path. */
export class KeptTrials {
  readonly #file: string;
  #isAnnounced = false;

  constructor(file: string) {
    this.#file = file;
  }

  /** A folder that cannot be written only means that an interrupted run begins again. */
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

  /** What is known, by key. A line that was cut off is ignored. */
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
