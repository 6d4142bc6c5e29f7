import { readdir, readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { PagePicture } from '../../../core/kit.ts';
import { refusedError } from '../../../core/kit.ts';

/** What is used of Tesseract, compiled to WebAssembly. */
interface Tesseract {
  readonly FS: {
    writeFile(path: string, bytes: Uint8Array): void;
    unlink(path: string): void;
  };
  readonly TessBaseAPI: new () => TessBaseApi;
}

interface TessBaseApi {
  Init(folder: null, languages: string, mode: number): number;
  SetVariable(name: string, value: string): boolean;
  /** Reads the file `/input`. @returns 1 if it cannot */
  SetImageFile(orientation: number, angle: number): number;
  Recognize(monitor: null): number;
  GetJSONText(): string;
  Clear(): void;
  End(): void;
}

type CreateTesseract = (options: object) => Promise<Tesseract>;

export interface Box {
  readonly x0: number;
  readonly y0: number;
  readonly x1: number;
  readonly y1: number;
}

interface Found {
  readonly text: string;
  readonly bbox: Box;
  /** From 0 to 100. */
  readonly confidence: number;
}

export interface FoundLine extends Found {
  readonly words: readonly Found[];
  readonly baseline: Box;
  readonly rowAttributes: { readonly rowHeight: number };
}

export interface FoundBlock {
  readonly paragraphs: readonly { readonly lines: readonly FoundLine[] }[] | null;
}

const LSTM_ONLY = 1;
const SETTINGS = {
  // Inverted lines would be tried for each uncertain line.
  tessedit_do_invert: '0',
  // Tables that are found lose words; rows and cells are found by where words are.
  textord_tabfind_find_tables: '0',
  user_defined_dpi: '300',
};
const LAYOUTS = { page: '3', sparse: '11' } as const;
const INPUT = '/input';

/** Tesseract with the models of some languages. It belongs to one thread. */
export class Engine {
  readonly languages: readonly string[];
  readonly #tesseract: Tesseract;
  readonly #api: TessBaseApi;

  constructor(tesseract: Tesseract, api: TessBaseApi, languages: readonly string[]) {
    this.#tesseract = tesseract;
    this.#api = api;
    this.languages = languages;
  }

  /**
   * Finds the text of a picture that is upright and has letters of a usual size.
   *
   * @param layout of a page, with blocks in reading order, or of words anywhere
   */
  find({ pixels, width, height }: PagePicture, layout: keyof typeof LAYOUTS): readonly FoundBlock[] {
    const { FS } = this.#tesseract;
    FS.writeFile(INPUT, Buffer.concat([Buffer.from(`P5\n${width} ${height}\n255\n`), pixels]));
    const failed = this.#api.SetImageFile(1, 0) === 1;
    FS.unlink(INPUT);
    this.#api.SetVariable('tessedit_pageseg_mode', LAYOUTS[layout]);
    if (failed) throw refusedError('The picture cannot be read by Tesseract.');
    try {
      this.#api.Recognize(null);
      return (JSON.parse(this.#api.GetJSONText()) as { blocks: FoundBlock[] | null }).blocks ?? [];
    } finally {
      this.#api.Clear();
    }
  }
}

const PACKAGE = '@tesseract.js-data';

/** The folder with one package for each language. */
const languagesFolder = (): string =>
  dirname(dirname(fileURLToPath(import.meta.resolve('@tesseract.js-data/eng'))));

/** Models of other things than a language. */
const NO_LANGUAGES = new Set(['osd', 'equ']);
const MOST_LANGUAGES = 6;

/**
 * The languages to read, of those that are installed.
 *
 * @throws Error if one of those that are asked for is not installed
 */
export async function languagesOf(asked: readonly string[]): Promise<readonly string[]> {
  const names = (await readdir(languagesFolder())).map((name) => basename(name));
  const installed = names.filter((name) => !NO_LANGUAGES.has(name)).sort();
  const missing = asked.filter((name) => !installed.includes(name));
  if (missing.length > 0)
    throw refusedError(
      `languages: not installed: ${missing.join(', ')}; installed: ${installed.join(', ')}. "npm install ${missing.map((name) => `${PACKAGE}/${name}`).join(' ')}" on the server adds what is missing, if there is a package of that name.`,
    );
  return asked.length > 0 ? asked : installed.slice(0, MOST_LANGUAGES);
}

/** The build without the old engine, which takes the same time as those with instructions that are not exact. */
const BUILD = 'tesseract-core-simd-lstm';

/** Loads an engine into this thread. */
export async function loadEngine(languages: readonly string[]): Promise<Engine> {
  const { default: createTesseract }: { default: CreateTesseract } = await import(
    `tesseract.js-core/${BUILD}.js`
  );
  const program = fileURLToPath(import.meta.resolve(`tesseract.js-core/${BUILD}.wasm`));
  const wasmBinary = await readFile(program);
  const tesseract = await createTesseract({ wasmBinary, print() {}, printErr() {} });
  for (const name of languages) {
    const model = join(languagesFolder(), name, '4.0.0_best_int', `${name}.traineddata.gz`);
    tesseract.FS.writeFile(`/${name}.traineddata`, gunzipSync(await readFile(model)));
  }
  const api = new tesseract.TessBaseAPI();
  if (api.Init(null, languages.join('+'), LSTM_ONLY) !== 0)
    throw new Error(`Tesseract cannot be started with ${languages.join(', ')}`);
  for (const [name, value] of Object.entries(SETTINGS)) api.SetVariable(name, value);
  // The engine has copied the models.
  for (const name of languages) tesseract.FS.unlink(`/${name}.traineddata`);
  return new Engine(tesseract, api, languages);
}
