import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire, stripTypeScriptTypes } from 'node:module';
import { dirname, extname, join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../clients/playground');
const LIBRARY = 'lit-html';
const LIBRARY_FOLDER = dirname(createRequire(import.meta.url).resolve(LIBRARY));

export interface PageFile {
  readonly type: string;
  readonly content: string | Buffer;
}

/** The package that draws pages of PDFs. It is installed if the PDF reader is, which uses the same files. */
const PDF = '@hyzyla/pdfium';
const PDF_FILES = ['index.esm.js', 'pdfium.wasm'];

/**
 * Finds the files of the playground. TypeScript is served without types. The UI library is below `lib/`: a
 * page cannot resolve packages. Files of the PDF package are below `pdf/`, if it is installed.
 *
 * @returns a function that reads a file by its path below the playground; `undefined` for other paths
 */
export function findPageFiles(): (path: string) => Promise<PageFile> | undefined {
  const own = globSync('**/*.{ts,css,html}', { cwd: FOLDER });
  const library = globSync(['*.js', 'directives/*.js'], { cwd: LIBRARY_FOLDER });
  const pdf = findPdfFolder();
  const readers = new Map<string, () => Promise<PageFile>>([
    ...own.map((path) => [path, () => readOwn(path)] as const),
    ...library.map((path) => [`lib/${path}`, () => readLibrary(path)] as const),
    ...(pdf === undefined ? [] : PDF_FILES).map(
      (name) => [`pdf/${name}`, () => readAsIs(`${pdf}/${name}`)] as const,
    ),
  ]);
  const read = new Map<string, Promise<PageFile>>();
  return (path) => {
    const reader = readers.get(path);
    if (reader !== undefined && !read.has(path)) read.set(path, reader());
    return read.get(path);
  };
}

function findPdfFolder(): string | undefined {
  try {
    return dirname(createRequire(import.meta.url).resolve(`${PDF}/pdfium.wasm`));
  } catch {
    return undefined;
  }
}

const TYPES: Readonly<Record<string, string>> = {
  ts: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  wasm: 'application/wasm',
};

async function readAsIs(path: string): Promise<PageFile> {
  return { type: TYPES[extname(path).slice(1)] as string, content: await readFile(path) };
}

async function readOwn(path: string): Promise<PageFile> {
  const type = TYPES[path.split('.').at(-1) as string] as string;
  const source = await readFile(join(FOLDER, path), 'utf8');
  if (!path.endsWith('.ts')) return { type, content: source };
  const toRoot = '../'.repeat(path.split('/').length - 1) || './';
  const imported = new RegExp(`(from |import )'${LIBRARY}(/[a-z/-]+\\.js)?'`, 'g');
  const script = stripTypes(source).replace(
    imported,
    (_, before: string, file = `/${LIBRARY}.js`) => `${before}'${toRoot}lib${file}'`,
  );
  return { type, content: script };
}

async function readLibrary(path: string): Promise<PageFile> {
  const source = await readFile(join(LIBRARY_FOLDER, path), 'utf8');
  return { type: TYPES.ts as string, content: source.replace(/\n\/\/# sourceMappingURL=.*/, '') };
}

/**
 * Replaces types in TypeScript with spaces. Hides Node's warning that its function for this is experimental,
 * because operators can do nothing about it.
 */
export function stripTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}
