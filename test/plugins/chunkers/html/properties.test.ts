import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { MarkupReader } from '../../../../plugins/chunkers/html/structure/markup.ts';
import { openChunkers } from '../../../support/service.ts';
import { anyHtml, anyTable, cellsOf } from './generated.ts';
import { PAGE } from './page.ts';

interface HtmlChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  readonly context?: string;
  readonly rows?: readonly [number, number];
}

const send = await openChunkers();
const chunk = async (request: object): Promise<HtmlChunk[]> =>
  send('html', { offset_unit: 'utf16', ...request });

const anySize = fc.integer({ min: 70, max: 200 });

async function checkLossless(text: string, options: { chunk_size: number }): Promise<HtmlChunk[]> {
  const chunks = await chunk({ text, ...options });
  assert.equal(chunks.map((one) => one.text).join(''), text.trim() === '' ? '' : text);
  for (const { token_count, start_index, end_index, text: own } of chunks) {
    assert.ok(token_count <= options.chunk_size);
    assert.equal(own, text.slice(start_index, end_index));
  }
  return chunks;
}

t.test('generated pages are never cut in a tag, a comment or an entity that would fit', async () => {
  await fc.assert(
    fc.asyncProperty(anyHtml, anySize, fc.nat(6), async ({ text, whole }, chunk_size, split_level) => {
      const chunks = await checkLossless(text, { chunk_size, ...{ split_level, min_chunk_size: 0.1 } });
      for (const { start_index: at } of chunks) {
        const cut = whole.find(({ start, end }) => start < at && at < end);
        assert.equal(cut && text.slice(cut.start, cut.end), undefined);
      }
    }),
    { numRuns: 1500 },
  );
});

t.test('header and rows of the chunks of a table have the cells of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, fc.integer({ min: 260, max: 600 }), async (table, chunk_size) => {
      const chunks = await checkLossless(table.text, { chunk_size });
      const all: string[][] = [];
      let row = 1;
      for (const { context = '', text, rows } of chunks) {
        const [header, ...body] = cellsOf(context + text);
        assert.deepEqual(header, table.header);
        assert.deepEqual(rows, [row, row + body.length - 1]);
        row += body.length;
        all.push(...body);
      }
      assert.deepEqual(all, table.rows);
    }),
    { numRuns: 300 },
  );
});

const BROKEN = [
  '<',
  '>',
  '"',
  "'",
  '&',
  '</',
  '<!--',
  '-->',
  '<script>',
  '</table>',
  '<td>',
  '<svg>',
  '\0',
  '\ud83d',
  '=',
];

/** A page with some of its letters left out, repeated, or with others put in. */
const anyMutation = fc
  .array(fc.tuple(fc.nat(PAGE.length), fc.nat(60), fc.constantFrom('', '', ...BROKEN), fc.boolean()), {
    minLength: 1,
    maxLength: 6,
  })
  .map((edits) =>
    edits.reduce((text, [at, length, put, isRepeated]) => {
      const left = text.slice(at, at + length);
      return text.slice(0, at) + put + (isRepeated ? left + left : '') + text.slice(at + length);
    }, PAGE),
  );

t.test('broken pages keep every promise', async () => {
  await fc.assert(
    fc.asyncProperty(anyMutation, anySize, async (text, chunk_size) => {
      const chunks = await checkLossless(text, { chunk_size });
      const cuts = new Set(chunks.map(({ start_index }) => start_index));
      const reader = new MarkupReader(text);
      while (reader.read()) {
        if (reader.end - reader.start > chunk_size) continue;
        for (let at = reader.start + 1; at < reader.end; at++)
          assert.ok(!cuts.has(at), text.slice(reader.start, reader.end));
      }
    }),
    { numRuns: 600 },
  );
});

t.test('context and text together keep the limit with count_context', async () => {
  await fc.assert(
    fc.asyncProperty(anyHtml, anyTable, anySize, async (page, table, chunk_size) => {
      const carry = ['headings', 'header'];
      const text = `${page.text}<h1>Head</h1>${table.text}`;
      const chunks = await chunk({ text, chunk_size, carry, count_context: true });
      assert.equal(chunks.map((one) => one.text).join(''), text);
      for (const { context, text: own } of chunks) {
        const count = Array.from(own).length + (context === undefined ? 0 : Array.from(context).length + 1);
        assert.ok(count <= chunk_size);
      }
    }),
    { numRuns: 300 },
  );
});
