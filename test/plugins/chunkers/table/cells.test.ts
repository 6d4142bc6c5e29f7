import assert from 'node:assert/strict';
import fc from 'fast-check';
import Papa from 'papaparse';
import { type DefaultTreeAdapterTypes, parseFragment } from 'parse5';
import t from 'tap';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';

/** What a chunk's context and rows say together is what the whole table says, read by other means than the chunker's. */

const chunk = await openChunkers();
const tableChunks = async (request: object): Promise<TableChunk[]> => chunk('table', request);

interface TableChunk extends AnswerChunk {
  readonly rows?: readonly [number, number];
  readonly context?: string;
}

type Cells = readonly (readonly string[])[];

interface MadeTable {
  readonly header: Cells;
  readonly body: Cells;
  readonly caption: string;
  readonly lineBreak: string;
}

/** A way to write tables, header first, and to read their rows again. */
interface Format {
  write(table: MadeTable): string;
  read(text: string): Cells;
}

const quoted = (cell: string) => (/[",\r\n]|^$/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);

const csv: Format = {
  write({ header, body, caption, lineBreak }) {
    const lines = [...header, ...body].map((row) => row.map(quoted).join(','));
    return [...(caption === '' ? [] : [caption]), ...lines].map((line) => line + lineBreak).join('');
  },
  read: (text) => Papa.parse<string[]>(text.trim(), { delimiter: ',' }).data,
};

const markdown: Format = {
  write({ header: [first = [], ...others], body, caption, lineBreak }) {
    const line = (row: readonly string[]) =>
      `| ${row.map((cell) => oneLine(cell).replaceAll('|', '\\|')).join(' | ')} |`;
    const rule = `|${first.map(() => ' --- |').join('')}`;
    const above = caption === '' ? [] : [caption, ''];
    const lines = [...above, line(first), rule, ...others.map(line), ...body.map(line)];
    return lines.map((one) => one + lineBreak).join('');
  },
  read(text) {
    const rows = text.split(/\r?\n/).filter((line) => line.startsWith('|') && !/^\|( --- \|)+$/.test(line));
    const cellsOf = (line: string) => line.split(/(?<!\\)\|/).slice(1, -1);
    return rows.map((line) => cellsOf(line).map((cell) => cell.trim().replaceAll('\\|', '|')));
  },
};

const html: Format = {
  write({ header, body, caption, lineBreak }) {
    const line = (name: string) => (row: readonly string[]) =>
      ` <tr>${row.map((cell) => `<${name} title="a>b">${escaped(cell)}</${name}>`).join('')}</tr>${lineBreak}`;
    const above = caption === '' ? '' : `<p>${caption}</p>${lineBreak}`;
    const rows = [...header.map(line('th')), ...body.map(line('td'))].join('');
    return `${above}<table>${lineBreak}${rows}</table>${lineBreak}`;
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

const textOf = ({ childNodes }: Element) =>
  childNodes.map((child) => ('value' in child ? child.value : '')).join('');

const escaped = (cell: string) => oneLine(cell).replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Markdown and HTML have no line breaks in cells here, and no space around them. */
const oneLine = (cell: string) => cell.replace(/\s+/g, ' ').trim();

type Element = DefaultTreeAdapterTypes.Element;

const FORMATS = { csv, markdown, html };

const ODD_CELLS = ['a|b', 'é 😀', '1,5', 'say "no"', 'two words', 'x\ny', 'x\r\ny', '<b>&', '漢字', '-'];
const anyCell = fc.oneof(
  { weight: 4, arbitrary: fc.stringMatching(/^[a-z0-9]{1,8}$/) },
  { weight: 2, arbitrary: fc.constantFrom(...ODD_CELLS) },
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
    let compared = 0;
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
        const chunks = await tableChunks(request);
        assert.equal(chunks.map((one) => one.text).join(''), text);
        for (const [at, { text: own, rows: held, context }] of chunks.entries()) {
          if (held === undefined) continue;
          // Where a neighbour names the same row, each of them has a part of it.
          if (chunks[at - 1]?.rows?.[1] === held[0] || chunks[at + 1]?.rows?.[0] === held[1]) continue;
          const body = rows.slice(header_rows + held[0] - 1, header_rows + held[1]);
          const shown = context === undefined ? behindCaption(own, table) : context + table.lineBreak + own;
          const read = format.read(shown).filter((row) => row.length > 1);
          assert.deepEqual(read, [...rows.slice(0, header_rows), ...body], JSON.stringify(request));
          compared++;
        }
      }),
      { numRuns: 100 },
    );
    t.ok(compared > 200, `${compared} chunks`);
  });
}

function behindCaption(text: string, { caption }: MadeTable): string {
  const at = caption === '' ? -1 : text.indexOf(caption);
  return at === -1 ? text : text.slice(at + caption.length);
}

t.test('whatever the text, chunks are within the limit, and rows and context are of it', async () => {
  const options = fc.record(
    {
      chunk_size: fc.integer({ min: 1, max: 120 }),
      format: fc.constantFrom('auto', 'csv', 'tsv', 'markdown', 'html'),
      count_context: fc.boolean(),
      header_rows: fc.integer({ min: 0, max: 3 }),
      rows_per_chunk: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ['chunk_size'] },
  );
  const holds = fc.asyncProperty(anyText, options, async (text, given) => {
    const { chunk_size, rows_per_chunk = Number.POSITIVE_INFINITY } = given;
    for (const one of await tableChunks({ text, ...given })) {
      const { rows: [first, last] = [1, 1], context = '' } = one;
      assert.ok(one.token_count <= chunk_size || Array.from(one.text).length === 1);
      assert.ok(first >= 1 && last >= first && last - first < rows_per_chunk, `rows ${first} to ${last}`);
      assert.ok(context === '' || Array.from(context).length + 1 <= chunk_size / 2, context);
      assert.ok(text.includes(context), 'the context is a part of the text');
    }
  });
  await fc.assert(holds, { numRuns: 500 });
});
