import { appendFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { reasonOf } from '../../../../core/errors.ts';
import type { Point } from './search.ts';

interface KeptTrial {
  /** Of the documents, the questions, the options and the chunking. */
  readonly key: string;
  readonly name: string;
  readonly points: readonly Point[];
}

/** The file in the user's folder from which a stopped run is continued. The user is told of it at the first line. */
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
