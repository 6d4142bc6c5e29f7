import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

const MIN_BYTES = 2_000;
const MAX_BYTES = 200_000;
const FILES = 150;

/** A file of Markdown. */
export interface Page {
  readonly path: string;
  readonly text: string;
}

/** READMEs of 2 to 200 KB that lie in a folder, each text once; of more than 150, as many evenly spread over their paths. */
export function readPages(folder: string): Page[] {
  const options = { cwd: folder, withFileTypes: false } as const;
  const paths = globSync('**/*.{md,markdown}', options).filter((path) => /^readme/i.test(basename(path)));
  const found = new Map<string, Page>();
  for (const path of paths.sort()) {
    const bytes = readFileSync(join(folder, path));
    if (bytes.length < MIN_BYTES || bytes.length > MAX_BYTES) continue;
    const text = bytes.toString('utf8').replace(/^\ufeff/, '');
    if (!found.has(text)) found.set(text, { path, text });
  }
  const pages = [...found.values()];
  if (pages.length <= FILES) return pages;
  return Array.from({ length: FILES }, (_, at) => pages[Math.floor((at * pages.length) / FILES)] as Page);
}
