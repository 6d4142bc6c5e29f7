import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { parseReference } from '../../../support/markdown/reference.ts';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

interface MarkdownChunk {
  readonly text: string;
  readonly token_count: number;
  readonly context?: string;
  readonly rows?: readonly [number, number];
}

async function markdown(text: string, options: object): Promise<MarkdownChunk[]> {
  return (await chunk('markdown', { text, ...options })) as MarkdownChunk[];
}

/** The cells of the first table of a text, by another parser. */
function cellsOf(text: string): string[][] {
  const table = parseReference(text).children.find(({ type }) => type === 'table');
  if (table?.type !== 'table') return [];
  return table.children.map(({ children }) =>
    children.map(({ position }) =>
      text
        .slice(position?.start.offset, position?.end.offset)
        .replace(/^\||\|$/g, '')
        .trim(),
    ),
  );
}

const cell = fc
  .array(fc.constantFrom('tea', 'a b', '3.5 %', '\\|', '`x`', '漢字', '😀', 'é', '-', '1'), { maxLength: 3 })
  .map((parts) => parts.join(' ') || 'x');
const table = fc
  .record({
    columns: fc.integer({ min: 1, max: 4 }),
    rows: fc.integer({ min: 1, max: 14 }),
    caption: fc.constantFrom('', 'Table 1: *Milk*\n\n'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    outer: fc.boolean(),
  })
  .chain(({ columns, rows, ...rest }) =>
    fc
      .array(fc.array(cell, { minLength: columns, maxLength: columns }), {
        minLength: rows + 1,
        maxLength: rows + 1,
      })
      .map((cells) => ({ cells, ...rest })),
  )
  .map(({ cells, caption, end, outer }) => {
    const isOuter = outer || cells[0]?.length === 1;
    const line = (row: readonly string[]) => (isOuter ? `| ${row.join(' | ')} |` : row.join(' | '));
    const [header = [], ...rows] = cells.map(line);
    const delimiters = line((cells[0] as string[]).map(() => '---'));
    return {
      caption: caption.replaceAll('\n', end),
      table: [header, delimiters, ...rows, ''].join(end),
      header,
      end,
    };
  });

t.test('header and rows of every chunk parse to the cells of the whole table', async () => {
  await fc.assert(
    fc.asyncProperty(
      table,
      fc.integer({ min: 40, max: 200 }),
      async ({ caption, table, header, end }, chunk_size) => {
        const text = caption + table;
        const whole = cellsOf(text);
        const found: string[][] = [];
        for (const { text: own, context, rows } of await markdown(text, { chunk_size })) {
          if (rows === undefined) continue;
          const [first, last] = rows;
          const expected = whole.slice(first, last + 1);
          // A row that alone is too large, and a header of more than half of the limit, are not put together again.
          if (
            expected.some((row) => row.join(' | ').length > chunk_size / 2) ||
            header.length > chunk_size / 6
          )
            return;
          const cells = cellsOf(context === undefined ? own : `${context}${end}${own}`);
          assert.deepEqual(cells[0], whole[0]);
          assert.deepEqual(cells.slice(1), expected);
          found.push(...cells.slice(1));
        }
        assert.deepEqual(found, whole.slice(1));
      },
    ),
    { numRuns: 200 },
  );
});

const BLOCKS = [
  ...[
    '# One',
    '## Two *x*',
    '### Three',
    'A paragraph of words. And a sentence!',
    'Title\n=====',
    '---',
    '***',
  ],
  ...[
    '- a\n- b\n\n  c',
    '1. d\n   - e\n2. f',
    '> quote\n> > deeper\nlazy',
    '```js\nlet a;\n\nlet b;\n```',
    '~~~\nopen',
  ],
  ...[
    '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |',
    '<div>\n\n# x\n\n</div>',
    '[l]: /u',
    '[^1]: note',
    '    code',
    '漢字。漢字！',
  ],
];
const document = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...BLOCKS), fc.string({ unit: 'binary' })), { maxLength: 14 }),
    fc.constantFrom('\n', '\r\n', '\r'),
  )
  .map(([blocks, end]) => blocks.join('\n\n').replaceAll('\n', end))
  .filter((text) => text.trim() !== '');

t.test('the limit holds for context and text together if the request says so', async () => {
  await fc.assert(
    fc.asyncProperty(
      document,
      fc.integer({ min: 4, max: 120 }),
      fc.subarray(['headings', 'header', 'fence']),
      fc.constantFrom('character', 'cl100k_base'),
      async (text, chunk_size, carry, tokenizer) => {
        const options = { chunk_size, carry, tokenizer, count_context: true };
        const chunks = await markdown(text, options);
        assert.equal(chunks.map((one) => one.text).join(''), text);
        for (const { text: own, context, token_count } of chunks) {
          if (context === undefined || [...own].length === 1) continue;
          const [both] = await chunk('token', { text: `${context}\n${own}`, chunk_size: 100_000, tokenizer });
          assert.ok((both?.token_count as number) <= chunk_size, `${token_count}: ${context}`);
        }
      },
    ),
  );
});

t.test('no row, item line or line of a fence is cut that fits', async () => {
  await fc.assert(
    fc.asyncProperty(document, fc.integer({ min: 30, max: 200 }), async (text, chunk_size) => {
      const chunks = await markdown(text, { chunk_size });
      let at = 0;
      for (const { text: own } of chunks.slice(0, -1)) {
        at += own.length;
        const line = text
          .slice(0, at)
          .split(/\r\n|\r|\n/)
          .at(-1) as string;
        const rest = text.slice(at).split(/\r\n|\r|\n/, 1)[0] as string;
        if (line === '') continue;
        assert.ok([...(line + rest)].length > chunk_size / 2, JSON.stringify([line, rest]));
      }
    }),
  );
});
