import fc from 'fast-check';
import Papa from 'papaparse';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

/** What a chunk's context and rows say together is what the whole table says, read by other means than the chunker's. */

const chunk = await openChunkers();

type Cells = readonly (readonly string[])[];

type Element = DefaultTreeAdapterTypes.Element;

/** A way to write tables and to read them again. */
interface Format {
  /** Writes rows, header first. */
  write(table: MadeTable): string;
  read(text: string): Cells;
}

interface MadeTable {
  readonly header: Cells;
  readonly body: Cells;
  readonly caption: string;
  readonly lineBreak: string;
}

const quoted = (cell: string) => (/[",\r\n]|^$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const csv: Format = {
  write: ({ header, body, caption, lineBreak }) =>
    [...(caption === '' ? [] : [caption]), ...[...header, ...body].map((row) => row.map(quoted).join(','))]
      .map((line) => line + lineBreak)
      .join(''),
  read: (text) => Papa.parse<string[]>(text.trim(), { delimiter: ',' }).data,
};

const markdown: Format = {
  write({ header, body, caption, lineBreak }) {
    const line = (row: readonly string[]) =>
      `| ${row.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
    const [first = [], ...others] = header;
    const rule = `|${first.map(() => ' --- |').join('')}`;
    const lines = [line(first), rule, ...others.map(line), ...body.map(line)];
    const above = caption === '' ? [] : [caption, ''];
    return [...above, ...lines].map((one) => one + lineBreak).join('');
  },
  read: (text) =>
    text
      .split(/\r?\n/)
      .filter((line) => line.startsWith('|') && !/^\|( --- \|)+$/.test(line))
      .map((line) =>
        line
          .split(/(?<!\\)\|/)
          .slice(1, -1)
          .map((cell) => cell.trim().replaceAll('\\|', '|')),
      ),
};

const html: Format = {
  write({ header, body, caption, lineBreak }) {
    const line = (name: string) => (row: readonly string[]) =>
      ` <tr>${row.map((cell) => `<${name} title="a>b">${escaped(cell)}</${name}>`).join('')}</tr>${lineBreak}`;
    const above = caption === '' ? '' : `<p>${caption}</p>${lineBreak}`;
    return `${above}<table>${lineBreak}${header.map(line('th')).join('')}${body.map(line('td')).join('')}</table>${lineBreak}`;
  },
  read: (text) =>
    elementsIn(parseFragment(text), ['tr']).map((row) => elementsIn(row, ['td', 'th']).map(textOf)),
};

/** The elements of some names within a node, in the order of the text. */
function elementsIn(node: DefaultTreeAdapterTypes.ParentNode, names: readonly string[]): Element[] {
  return node.childNodes.flatMap((child) => {
    if (!('childNodes' in child)) return [];
    const own = 'tagName' in child && names.includes(child.tagName) ? [child] : [];
    return [...own, ...elementsIn(child, names)];
  });
}

function textOf({ childNodes }: Element): string {
  return childNodes.map((child) => ('value' in child ? child.value : '')).join('');
}

const escaped = (cell: string) => oneLine(cell).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Markdown and HTML have no line breaks in cells here, and no space around them. */
function oneLine(cell: string): string {
  return cell.replace(/\s+/g, ' ').trim();
}

const FORMATS = { csv, markdown, html };

const anyCell = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9]{1,8}$/) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      'a|b',
      'é 😀',
      '1,5',
      'say "no"',
      'two words',
      'x\ny',
      'x\r\ny',
      '<b>&',
      '漢字',
      '-',
    ),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[a-z ]{60,150}$/).map((cell) => `w${cell}w`) },
);

const anyTable = fc.integer({ min: 2, max: 5 }).chain((columns) => {
  const row = (cell: fc.Arbitrary<string>) => fc.array(cell, { minLength: columns, maxLength: columns });
  return fc.record({
    header: fc.array(row(fc.stringMatching(/^[a-z]{1,8}$/)), { minLength: 1, maxLength: 2 }),
    // As many that the usual number of fields is that of the table.
    body: fc.array(row(anyCell), { minLength: 3, maxLength: 25 }),
    caption: fc.constantFrom('', '# a comment', 'Table 1'),
    lineBreak: fc.constantFrom('\n', '\r\n'),
  });
});

for (const [name, format] of Object.entries(FORMATS)) {
  t.test(`${name}: header and rows of every chunk are read as the same cells as the whole`, async (t) => {
    let [compared, cut] = [0, 0];
    const cases = fc.record({
      table: anyTable,
      size: fc.integer({ min: 0, max: 400 }),
      options: fc.constantFrom({}, { rows_per_chunk: 3 }, { min_chunk_size: 0 }, { format: name }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ table, size, options }) => {
        const text = format.write(table);
        const header_rows = table.header.length;
        const header = format.write({ ...table, body: [] });
        const request = { text, header_rows, chunk_size: 2 * header.length + 2 + size, ...options };
        const whole = format.read(behindCaption(text, table));
        const rows = whole.filter((row) => row.length === table.header[0]?.length);
        const chunks = await chunk('table', request);
        if (chunks.map(({ text }) => text).join('') !== text) throw new Error('text is lost');
        for (const one of chunks) {
          const { rows: held, context = '' } = one as { rows?: [number, number]; context?: string };
          if (held === undefined) continue;
          const [first, last] = held;
          const expected = [
            ...rows.slice(0, header_rows),
            ...rows.slice(header_rows + first - 1, header_rows + last),
          ];
          const shown =
            context === '' ? behindCaption(one.text, table) : context + table.lineBreak + one.text;
          const read = format.read(shown).filter((row) => row.length > 1);
          if (isPart(chunks, one.start_index)) cut++;
          else if (JSON.stringify(read) !== JSON.stringify(expected))
            throw new Error(JSON.stringify({ request, one, read, expected }));
          else compared++;
        }
      }),
      { numRuns: 200 },
    );
    t.ok(compared > 400, `${compared} chunks, and ${cut} with parts of a row`);
  });
}

function behindCaption(text: string, { caption }: MadeTable): string {
  const at = caption === '' ? -1 : text.indexOf(caption);
  return at === -1 ? text : text.slice(at + caption.length);
}

/** Whether a chunk holds only a part of a row: its neighbour names the same row. */
function isPart(chunks: readonly { start_index: number }[], start: number): boolean {
  const at = chunks.findIndex(({ start_index }) => start_index === start);
  const rowsOf = (index: number) => (chunks[index] as { rows?: [number, number] } | undefined)?.rows;
  const own = rowsOf(at);
  return own !== undefined && (rowsOf(at - 1)?.[1] === own[0] || rowsOf(at + 1)?.[0] === own[1]);
}
