import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Calls `use` with the path of a temporary file that holds the text. */
export async function withFile<T>(text: string, use: (file: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'chunksmith-bench-'));
  const file = join(folder, 'text');
  try {
    writeFileSync(file, text);
    return await use(file);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
