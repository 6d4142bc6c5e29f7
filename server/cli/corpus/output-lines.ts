import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/** A file of lines that is there once it is whole. */
export class LinesFile {
  readonly #path: string;
  readonly #file: number;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(`${path}.tmp`, 'w');
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
