import { spawnSync } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import type { SourceFile } from '../../../core/contracts/reader.ts';
import { unzip } from '../../../plugins/toolkit/office/index.ts';
import { readWith } from '../../plugins/readers/reading.ts';
import { zipOf } from '../../plugins/toolkit/office/zip-files.ts';
import { factoryOf } from '../../support/here.ts';

/** What a program reads in a file, as plain text; undefined if the program cannot read it. */
type TextOf = (path: string) => string | undefined | Promise<string | undefined>;

export interface Reference {
  readonly kind: string;
  readonly endings: RegExp;
  /** Programs that read files of the kind, prepared for these files. */
  readonly texts: readonly ((paths: readonly string[]) => TextOf)[];
}

const CSV = 'csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,true,false,false,-1';
export const REFERENCES: readonly Reference[] = [
  {
    kind: 'odt',
    endings: /\.(?:odt|ott|fodt)$/i,
    texts: [() => pandoc, (paths) => libreOffice(paths, 'txt:Text (encoded):UTF8')],
  },
  {
    kind: 'ods',
    endings: /\.(?:ods|ots|fods)$/i,
    texts: [(paths) => libreOffice(paths, CSV, withSavedTexts)],
  },
  // A PDF would separate the letters of words.
  { kind: 'odp', endings: /\.(?:odp|otp|fodp)$/i, texts: [(paths) => libreOffice(paths, 'pptx')] },
  { kind: 'epub', endings: /\.epub$/i, texts: [() => pandocOfBook] },
  { kind: 'mail', endings: /\.(?:eml|mbox)$/i, texts: [python] },
];

function run(program: string, parameters: readonly string[]): string | undefined {
  const { stdout, error, status } = spawnSync(program, parameters, { maxBuffer: 1 << 28, timeout: 300_000 });
  if (error !== undefined && 'code' in error && error.code === 'ENOENT')
    throw new Error(`${program} is not installed`);
  return status === 0 ? stdout.toString() : undefined;
}

function pandoc(path: string): string | undefined {
  const format = extname(path).slice(1).toLowerCase();
  if (format !== 'odt' && format !== 'epub') return undefined;
  const text = run('pandoc', ['-f', format, '-t', 'plain', '--wrap=none', path]);
  return text
    ?.replace(/[\u00b2\u00b3\u00b9\u2070-\u2079]+/g, ' $&')
    .replace(/\^\((.*?)\)/g, ' $1')
    .replace(NOTE_NUMBER, ' ');
}

/** Numbers that pandoc gives to notes. */
const NOTE_NUMBER = /\[\d+\]/g;
/** What a reader of books does not show in the text: tables of contents, and what replaces media and scripts. */
const NOT_SHOWN = /<nav\s[^>]*epub:type[^>]*>.*?<\/nav>|<(audio|video|canvas|datalist)\b.*?<\/\1>/gs;

/** pandoc joins a word and its reading, and shows what is not part of the text. */
function pandocOfBook(path: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  const copy = join(folder, 'book.epub');
  try {
    const files = unzip(readFileSync(path), () => true, 1 << 28);
    const shown = (page: Uint8Array) =>
      Buffer.from(page)
        .toString()
        .replace(NOT_SHOWN, ' ')
        .replace(/<r[tp]\b/g, ' $&');
    writeFileSync(
      copy,
      zipOf([...files].map(([name, data]) => ({ name, data: /html?$/i.test(name) ? shown(data) : data }))),
    );
    return pandoc(copy);
  } catch {
    return undefined;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Converts the files together, because LibreOffice takes seconds to start. The others are converted after one that ends it. */
function libreOffice(
  paths: readonly string[],
  to: string,
  prepared: (file: Buffer) => Buffer = (file) => file,
): TextOf {
  const folder = mkdtempSync(join(tmpdir(), 'words-'));
  const names = new Map(paths.map((path, index) => [path, `${index}${extname(path)}`]));
  for (const [path, name] of names) writeFileSync(join(folder, name), prepared(readFileSync(path)));
  const convert = (files: readonly string[]) =>
    run('soffice', [
      `-env:UserInstallation=file://${folder}/profile`,
      '--headless',
      '--convert-to',
      to,
      '--outdir',
      `${folder}/out`,
      ...files.map((name) => join(folder, name)),
    ]);
  const outputsOf = (name: string) =>
    globSync(`out/${name.replace(/\..*/, '')}{.txt,.pptx,.csv,-*.csv}`, { cwd: folder }).sort();
  for (let left = [...names.values()]; left.length > 0; ) {
    convert(left);
    const rest = left.filter((name) => outputsOf(name).length === 0);
    left = rest.slice(rest.length === left.length ? 1 : 0);
  }
  const texts = new Map(
    [...names].map(([path, name]) => {
      const outputs = outputsOf(name).map((output) => join(folder, output));
      return [path, outputs.length === 0 ? undefined : outputs.map(textOf).join('\n')];
    }),
  );
  rmSync(folder, { recursive: true });
  return (path) => texts.get(path);
}

const textOf = (output: string): string =>
  output.endsWith('.pptx') ? textOfSlides(output) : readFileSync(output, 'utf8');

const FORMULA = / table:formula="[^"]*"/g;
const TYPE_OF_SHOWN = /(<table:table-cell\b[^>]*?) office:value-type="\w+"([^>]*>\s*<text:p)/g;

/**
 * A spreadsheet whose cells are the texts that are saved in it, as its program showed them. LibreOffice would compute them
 * anew, and write numbers and dates in the language of this machine. Cells without a saved text stay.
 */
function withSavedTexts(file: Buffer): Buffer {
  const cleaned = (xml: Uint8Array) =>
    Buffer.from(xml)
      .toString()
      .replace(FORMULA, '')
      .replace(/ calcext:value-type="\w+"/g, '')
      .replace(TYPE_OF_SHOWN, '$1 office:value-type="string"$2');
  if (file.toString('latin1', 0, 2) !== 'PK') return Buffer.from(cleaned(file));
  const files = [...unzip(file, () => true, 1 << 28)];
  return zipOf(files.map(([name, data]) => ({ name, data: name === 'content.xml' ? cleaned(data) : data })));
}

/** Shapes with dates, footers and numbers, which come from the master of the slides. */
const FURNITURE = /<p:sp>(?:(?!<\/p:sp>).)*?<p:ph type="(?:dt|ftr|hdr|sldNum)".*?<\/p:sp>/gs;

const NUMBER = /<a:fld [^>]*type="slidenum".*?<\/a:fld>/gs;

/** The paragraphs of slides and their notes, without markup. */
function textOfSlides(path: string): string {
  const files = unzip(
    readFileSync(path),
    (name) => /^ppt\/(?:slides|notesSlides)\/\w+\.xml$/.test(name),
    1 << 28,
  );
  const paragraphs = [...files.values()].flatMap((slide) =>
    Buffer.from(slide).toString().replace(FURNITURE, '').replace(NUMBER, '').split('</a:p>'),
  );
  return paragraphs
    .map((paragraph) => {
      const texts = paragraph.matchAll(/<a:t>(.*?)<\/a:t>|<a:br\b/gs);
      return Array.from(texts, ([, text = '\n']) =>
        text.replace(/&#?(\w+);/g, (_, name: string) => ENTITIES[name] ?? ' '),
      ).join('');
    })
    .join('\n');
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/** Markdown without the addresses of links, marks of emphasis, and signs of notes. */
export const plain = (markdown: string): string =>
  markdown
    .replace(/\[\^(\d+)\]/g, ' $1 ')
    .replace(/!\[/g, ' [')
    .replace(new RegExp(`\\[((?:\\\\.|[^[\\]\\\\])*)\\]${ADDRESS}`, 'g'), '$1')
    .replace(new RegExp(`\\]${ADDRESS}`, 'g'), '] ')
    .replace(/(?<!\\)(?:`|~~|\*\*)/g, '');

/** The address of a link in Markdown. */
const ADDRESS = String.raw`\((?:\\.|[^\s()\\]|\([^\s()]*\))*\)`;

/** Reads a file with one of the readers, which gets those that read the bodies of mail. */
export async function readText(
  reader: string,
  bytes: Uint8Array | string,
  more: Partial<SourceFile>,
): Promise<string> {
  const create = await factoryOf('reader', reader);
  const { text } = await readWith(
    async (given) => {
      const bodies = ['html', 'rtf', 'text'].map(
        async (name) => [`reader/${name}`, await (await factoryOf('reader', name))(given)] as const,
      );
      return create({ ...given, ...Object.fromEntries(await Promise.all(bodies)) });
    },
    bytes,
    more,
  );
  return text;
}

interface Body {
  readonly isHtml: boolean;
  readonly text: string;
}

/** The bodies that Python's `email` finds. HTML is read by the reader of this project, because Python has none. */
function python(paths: readonly string[]): TextOf {
  const found = run('python3', [join(import.meta.dirname, 'mail.py'), ...paths]);
  const bodies = new Map(Object.entries(JSON.parse(found ?? '{}') as Record<string, readonly Body[]>));
  return async (path) => {
    const texts = bodies
      .get(path)
      ?.map(async ({ isHtml, text }) =>
        isHtml ? plain(await readText('html', text, { charset: 'utf-8' })) : text,
      );
    return texts && (await Promise.all(texts)).join('\n');
  };
}
