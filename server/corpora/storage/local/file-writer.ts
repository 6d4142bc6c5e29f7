import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, link, open, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { release } from '../../../engine/memory.ts';
import type { FileWriter, WrittenFile } from '../storage.ts';
import { attempt, storageFailed } from './failures.ts';
import { syncFolder } from './paths.ts';

/** Bytes that are gathered for one write to the disk. */
const GATHERED = 256 * 1024;

/**
 * Writes a complete file, unless one exists at its path.
 *
 * @returns whether it was written
 */
export async function createFileOnce(path: string, bytes: Uint8Array): Promise<boolean> {
  const temporary = `${path}.tmp-${randomUUID()}`;
  try {
    await writeFile(temporary, bytes, { flag: 'wx', flush: true });
    await link(temporary, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(temporary, { force: true });
  }
  await syncFolder(dirname(path));
  return true;
}

/** Writes a file beside its path, and renames it once it is complete. Calls are made one after the other. */
export class LocalFileWriter implements FileWriter {
  readonly #name: string;
  readonly #label: string;
  readonly #path: string;
  readonly #temporary: string;
  readonly #handle: FileHandle;
  readonly #hash = createHash('sha256');
  #gathered: Uint8Array[] = [];
  #gatheredBytes = 0;
  #bytes = 0;
  #isOpen = true;

  private constructor(name: string, label: string, path: string, temporary: string, handle: FileHandle) {
    this.#name = name;
    this.#label = label;
    this.#path = path;
    this.#temporary = temporary;
    this.#handle = handle;
  }

  /** @param path of the file; its folder must exist */
  static async open(name: string, label: string, path: string): Promise<LocalFileWriter> {
    const temporary = `${path}.tmp-${randomUUID()}`;
    const handle = await attempt(label, () => open(temporary, 'wx'));
    return new LocalFileWriter(name, label, path, temporary, handle);
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#gathered.push(bytes);
    this.#gatheredBytes += bytes.length;
    if (this.#gatheredBytes >= GATHERED) await this.#orDiscard(() => this.#flush());
  }

  async finish(): Promise<WrittenFile> {
    await this.#orDiscard(async () => {
      await this.#flush();
      await this.#handle.sync();
      await this.#handle.close();
      await rename(this.#temporary, this.#path);
      this.#isOpen = false;
      await syncFolder(dirname(this.#path));
    });
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#gathered = [];
    await this.#handle.close().catch(() => undefined);
    await rm(this.#temporary, { force: true }).catch(() => undefined);
  }

  /** Writes everything, however much of it the disk takes at once. */
  async #flush(): Promise<void> {
    const gathered = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    const [first] = gathered;
    if (first === undefined) return;
    const whole = gathered.length === 1 ? first : Buffer.concat(gathered);
    await this.#handle.appendFile(whole);
    for (const bytes of [whole, ...gathered]) release(bytes);
  }

  async #orDiscard(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      await this.discard();
      throw storageFailed(this.#label, error);
    }
  }
}
