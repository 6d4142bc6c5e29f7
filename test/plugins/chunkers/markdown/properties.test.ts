import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { parseReference } from '../../../support/markdown/reference.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

interface MarkdownChunk extends AnswerChunk {
  readonly context?: string;
  readonly rows?: readonly [number, number];
}

const markdown = async (text: string, options: object): Promise<MarkdownChunk[]> =>
  chunk('markdown', { text, ...options });

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
    cells: fc.array(fc.array(cell, { minLength: 4, maxLength: 4 }), { minLength: 2, maxLength: 15 }),
    caption: fc.constantFrom('', 'Table 1: *Milk*\n\n'),
    end: fc.constantFrom('\n', '\r\n', '\r'),
    outer: fc.boolean(),
  })
  .map(({ columns, cells, caption, end, outer }) => {
    const line = (row: readonly string[]) => {
      const own = row.slice(0, columns).join(' | ');
      return outer || columns === 1 ? `| ${own} |` : own;
    };
    const [header = '', ...rows] = cells.map(line);
    const lines = [header, line(Array(4).fill('---')), ...rows, ''];
    return { text: caption.replaceAll('\n', end) + lines.join(end), header, end };
  });

t.test('header and rows of every chunk parse to the cells of the whole table', async () => {
  const holds = fc.asyncProperty(table, fc.integer({ min: 40, max: 200 }), async (given, chunk_size) => {
    const { text, header, end } = given;
    const [head, ...body] = cellsOf(text);
    const found: string[][] = [];
    for (const { text: own, context, rows } of await markdown(text, { chunk_size })) {
      if (rows === undefined) continue;
      const expected = body.slice(rows[0] - 1, rows[1]);
      // A row that alone is too large, and a header of more than half of the limit, are not put together again.
      const isTooLarge = expected.some((row) => row.join(' | ').length > chunk_size / 2);
      if (isTooLarge || header.length > chunk_size / 6) return;
      const cells = cellsOf(context === undefined ? own : `${context}${end}${own}`);
      assert.deepEqual(cells, [head, ...expected]);
      found.push(...cells.slice(1));
    }
    assert.deepEqual(found, body);
  });
  await fc.assert(holds, { numRuns: 200 });
});

const BLOCKS = [
  ...['# One', '## Two *x*', 'A paragraph of words. And a sentence!', 'Title\n=====', '---', '    code'],
  ...['- a\n- b\n\n  c', '1. d\n   - e\n2. f', '> quote\n> > deeper\nlazy', '```js\nlet a;\n\nlet b;\n```'],
  ...['~~~\nopen', '| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |', '<div>\n\n# x\n\n</div>', '漢字。漢字！'],
];
const document = fc
  .array(fc.oneof(fc.constantFrom(...BLOCKS), fc.string({ unit: 'binary' })), { minLength: 1, maxLength: 14 })
  .map((blocks) => blocks.join('\n\n'))
  .filter((text) => text.trim() !== '');

t.test('the limit holds for context and text together if the request says so', async () => {
  const options = fc.record({
    chunk_size: fc.integer({ min: 4, max: 120 }),
    carry: fc.subarray(['headings', 'header', 'fence']),
    tokenizer: fc.constantFrom('character', 'cl100k_base'),
    count_context: fc.constant(true),
  });
  const holds = fc.asyncProperty(document, options, async (text, given) => {
    const { tokenizer, chunk_size } = given;
    const chunks = await markdown(text, given);
    assert.equal(chunks.map((one) => one.text).join(''), text);
    for (const { text: own, context } of chunks) {
      if (context === undefined || [...own].length === 1) continue;
      const [both] = await chunk('token', { text: `${context}\n${own}`, chunk_size: 100_000, tokenizer });
      assert.ok((both?.token_count as number) <= chunk_size, context);
    }
  });
  await fc.assert(holds);
});

/** A row, the line of an item or a quotation, or one that is indented. */
const MARKED = /^(?:\||>|\s*[-*+]\s|\s*\d+\.\s| {2})/;

t.test('no row, item line or line of a fence is cut that fits', async () => {
  const holds = fc.asyncProperty(document, fc.integer({ min: 30, max: 200 }), async (text, chunk_size) => {
    for (const { end_index: at } of await markdown(text, { chunk_size, offset_unit: 'utf16' })) {
      const line = text
        .slice(0, at)
        .split(/\r\n|\r|\n/)
        .at(-1) as string;
      const rest = text.slice(at).split(/\r\n|\r|\n/, 1)[0] as string;
      const isWhole = line === '' || at === text.length;
      // Prose below headings is cut between sentences, so that its beginning stays with them.
      const isBetweenSentences = !MARKED.test(line) && /[.!?。！]\s*$/.test(line);
      const isLong = [...(line + rest)].length > chunk_size / 2;
      assert.ok(isWhole || isBetweenSentences || isLong, JSON.stringify([line, rest]));
    }
  });
  const titles = '## Two *x*\n\n## Two *x*\n\n| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |';
  await fc.assert(holds, { examples: [[titles, 32]] });
});
