import { isUtf8 } from 'node:buffer';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { indexFileNames } from '../../../../../plugins/chunkers/code/detection/detect.ts';
import type { LanguageName } from '../../../../../plugins/chunkers/code/manifest.ts';

/** A file of at least 500 bytes whose extension tells its language. */
export interface KnownFile {
  readonly path: string;
  readonly text: string;
  readonly language: LanguageName;
}

const MIN_BYTES = 500;
const MAX_BYTES = 1_000_000;
const languagesOf = indexFileNames();

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
    const [language, ...others] = languagesOf(path);
    if (language === undefined || 'tags' in language) continue;
    if (others.length > 0 || path.split('/').includes('.git')) continue;
    const text = textOf(await readFile(path));
    if (text !== undefined && !OTHERS[language.name]?.test(text))
      files.push({ path, text, language: language.name });
  }
  return files;
}

function textOf(bytes: Buffer): string | undefined {
  const isText = bytes.length >= MIN_BYTES && bytes.length <= MAX_BYTES && !bytes.includes(0);
  return isText && isUtf8(bytes) ? new TextDecoder().decode(bytes) : undefined;
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
