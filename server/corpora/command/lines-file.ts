import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';
import { reasonOf } from '../../../core/errors.ts';
import { UsageError } from '../../cli/errors.ts';

/** Opens a file for writing, replacing its content. @throws UsageError */
export function openToWrite(path: string): number {
  try {
    return openSync(path, 'w');
  } catch (error) {
    throw new UsageError(`${path}: the file cannot be written: ${reasonOf(error)}`);
  }
}

/** A file of lines that appears under its name only when complete. */
export class LinesFile {
  readonly #path: string;
  readonly #file: number;

  /** @throws UsageError if it cannot be written there */
  constructor(path: string) {
    this.#path = path;
    this.#file = openToWrite(`${path}.tmp`);
  }

  write(lines: string): void {
    writeSync(this.#file, lines);
  }

  finish(): void {
    fsyncSync(this.#file);
    closeSync(this.#file);
    renameSync(`${this.#path}.tmp`, this.#path);
  }

  discard(): void {
    closeSync(this.#file);
    rmSync(`${this.#path}.tmp`, { force: true });
  }
}
