import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFileNames } from '../../../../../plugins/chunkers/code/detection/file-names.ts';
import type { LanguageName } from '../../../../../plugins/chunkers/code/manifest.ts';

/** A file of at least 500 bytes whose extension tells its language. */
export interface KnownFile {
  readonly path: string;
  readonly text: string;
  readonly language: LanguageName;
}

const LEAST_BYTES = 500;
const MOST_BYTES = 1_000_000;
const IGNORED: ReadonlySet<string> = new Set(['.git']);
const fileNames = await loadFileNames();

/**
 * Reads the files of a folder and of those in it. Left out are links, what is not UTF-8, what contains NUL, and
 * files whose extension does not tell: of several languages (`.h`), of none, or shared with a language that the
 * service does not know, if the text shows that.
 */
export async function readKnownFiles(folder: string): Promise<KnownFile[]> {
  const files: KnownFile[] = [];
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  for (const path of paths.sort()) {
    const [language, ...others] = fileNames.languagesOf(path);
    if (language === undefined || others.length > 0 || path.split('/').some((part) => IGNORED.has(part)))
      continue;
    const text = await readText(path);
    if (text !== undefined && !isOfAnother(language.name, text))
      files.push({ path, text, language: language.name });
  }
  return files;
}

const decoder = new TextDecoder('utf-8', { fatal: true });

async function readText(path: string): Promise<string | undefined> {
  const bytes = await readFile(path);
  if (bytes.length < LEAST_BYTES || bytes.length > MOST_BYTES || bytes.includes(0)) return undefined;
  try {
    return decoder.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Translations of Qt are `.ts`, Prolog is `.pl` too, RenderScript `.rs`, and so on. */
const OTHERS: Readonly<Partial<Record<LanguageName, RegExp>>> = {
  typescript: /^\s*<(\?xml|!DOCTYPE TS)/,
  perl: /^:- |^\w+\(.*\) :-$/m,
  rust: /^#pragma version|^\s*<\?xml/m,
  r: /^\s*REBOL\b/,
  csharp: /^!\w+ methodsFor:/m,
  markdown: /^\s*\(define_/m,
};

function isOfAnother(language: LanguageName, text: string): boolean {
  return OTHERS[language]?.test(text) === true;
}
