import type { FromSchema } from 'json-schema-to-ts';
import { type Factory, reasonOf, refusedError, type SourcePlace } from '../../../core/kit.ts';
import { decodeUnicode } from '../../toolkit/decode-unicode.ts';
import { fencedCode, findMarkdownBlocks } from '../../toolkit/markdown/index.ts';
import type manifest from './manifest.ts';
import { shownIn } from './terminal.ts';

const cells = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      cell_type: { type: 'string' },
      level: { type: 'integer', minimum: 1, maximum: 6, description: 'Of a heading in nbformat 3.' },
      outputs: {
        type: 'array',
        items: { type: 'object', properties: { output_type: { type: 'string' }, data: { type: 'object' } } },
      },
    },
  },
} as const;
const notebookSchema = {
  type: 'object',
  properties: {
    cells,
    worksheets: {
      type: 'array',
      items: { type: 'object', properties: { cells } },
      description: 'In place of cells, in nbformat 3.',
    },
    metadata: {
      type: 'object',
      properties: { language_info: { type: 'object' }, kernelspec: { type: 'object' } },
    },
  },
} as const;
type Notebook = FromSchema<typeof notebookSchema>;
type Cell = FromSchema<typeof cells>[number];
type Output = NonNullable<Cell['outputs']>[number];

const DEFAULT_LANGUAGE = 'python';

type Counts = Record<'data_address' | 'image' | 'html', number>;

function writeNotebook(
  cells: readonly Cell[],
  language: string,
): { text: string; places: SourcePlace[]; counts: Counts } {
  const places: SourcePlace[] = [];
  const parts: string[] = [];
  const counts: Counts = { data_address: 0, image: 0, html: 0 };
  let length = 0;
  for (const [index, cell] of cells.entries()) {
    const text = writeCell(cell, language, counts);
    if (text === '') continue;
    const gap = length === 0 ? '' : '\n\n';
    const start = length + gap.length;
    parts.push(gap, text);
    length = start + text.length;
    places.push({ start, end: length, cell: index + 1 });
  }
  return { text: parts.join(''), places, counts };
}

function languageOf({ metadata }: Notebook): string {
  const named = metadata?.language_info?.name ?? metadata?.kernelspec?.language;
  return typeof named === 'string' && /^[\w+#.-]+$/.test(named) ? named : DEFAULT_LANGUAGE;
}

function writeCell(
  { cell_type, source, input, level = 1, outputs = [] }: Cell,
  language: string,
  counts: Counts,
): string {
  const text = textOf(source ?? input).replace(/\n$/, '');
  const shown = outputTexts(outputs, counts).map((output) => fenced(shownIn(output).trimEnd(), 'text'));
  let own = text;
  if (cell_type === 'code') own = fenced(text, language);
  else if (cell_type === 'heading') own = `${'#'.repeat(level)} ${text}`;
  else if (cell_type === 'markdown') own = withClosedFence(withoutData(text, counts));
  return [own, ...shown].filter((part) => part.trim() !== '').join('\n\n');
}

/** Pictures and files within Markdown. Short ones, such as a dot, are not left out. */
const DATA = /data:[\w.+-]+\/[\w.+-]+(?:;[\w.+-]+(?:=[\w.+-]+)?)*,[^\s"'()<>\]]{64,}/gi;

function withoutData(markdown: string, counts: Counts): string {
  return markdown.replace(DATA, () => {
    counts.data_address++;
    return '';
  });
}

/** Closes a code fence that a cell leaves open. Otherwise the fence would include the next cell. */
function withClosedFence(text: string): string {
  const last = findMarkdownBlocks(text).at(-1);
  if (last?.kind !== 'fence' || last.depth > 0) return text;
  const [opening = '', ...lines] = text.slice(last.inner).split(/\r\n|\r|\n/);
  const marker = /^(?:`{3,}|~{3,})/.exec(opening)?.[0];
  const end = /^ {0,3}(`{3,}|~{3,})[ \t]*$/.exec(lines.at(-1) ?? '')?.[1] ?? '';
  return marker === undefined || end.startsWith(marker) ? text : `${text}\n${marker}`;
}

function textOf(written: unknown): string {
  return Array.isArray(written) ? written.join('') : typeof written === 'string' ? written : '';
}

/** The texts of outputs. Streams that follow each other are one text, because a progress bar may be in several. */
function outputTexts(outputs: readonly Output[], counts: Counts): string[] {
  const texts: string[] = [];
  let before: unknown;
  for (const output of outputs) {
    const text = outputText(output, counts);
    const name = output.output_type === 'stream' ? (output.name ?? 'stdout') : undefined;
    if (name !== undefined && name === before) texts.push((texts.pop() ?? '') + text);
    else texts.push(text);
    before = name;
  }
  return texts;
}

/** What Python writes for an object that is shown as a picture: `<Figure size 640x480 with 1 Axes>`. */
const REPRESENTATION = /^\s*<[^<>\n]*>\s*$/;

function outputText({ output_type, text, data, ename, evalue }: Output, counts: Counts): string {
  if (output_type === 'error' || output_type === 'pyerr') return `${ename}: ${evalue}`;
  const markdown = textOf(data?.['text/markdown']);
  const shown = markdown === '' ? textOf(text ?? data?.['text/plain']) : withoutData(markdown, counts);
  const isImage = Object.keys(data ?? {}).some((type) => type.startsWith('image/'));
  if (isImage) counts.image++;
  else if (data?.['text/html'] !== undefined && shown === '') counts.html++;
  return isImage && REPRESENTATION.test(shown) ? '' : shown;
}

const fenced = (text: string, language: string): string =>
  text.trim() === '' ? '' : fencedCode(text, language);

const createNotebookReader: Factory<typeof manifest> = ({ createCheck }) => {
  const check = createCheck(notebookSchema);
  const refusal = (reason: string): Error => refusedError(`The notebook cannot be read: ${reason}.`);
  return {
    read(file, { signal }) {
      signal.throwIfAborted();
      const { text: json, encoding } = decodeUnicode(file);
      const book = parsed(json);
      const title = book.metadata?.title;
      const cells = book.cells ?? book.worksheets?.flatMap((sheet) => sheet.cells ?? []) ?? [];
      const { text, places, counts } = writeNotebook(cells, languageOf(book));
      return {
        // Lone surrogates cannot be encoded in UTF-8.
        text: text.toWellFormed(),
        places,
        mediaType: 'text/markdown',
        encoding,
        leftOut: Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)),
        ...(typeof title === 'string' && { title: title.toWellFormed() }),
      };
    },
  };

  function parsed(json: string): Notebook {
    let book: unknown;
    try {
      book = JSON.parse(json);
    } catch (error) {
      throw refusal(reasonOf(error));
    }
    const [problem] = check(book, '');
    if (problem !== undefined) throw refusal(problem);
    const { cells, worksheets } = book as Notebook;
    if (cells === undefined && worksheets === undefined) throw refusal('it is JSON without cells');
    return book as Notebook;
  }
};

export default createNotebookReader;
