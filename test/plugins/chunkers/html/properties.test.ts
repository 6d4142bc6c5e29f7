import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { MarkupReader } from '../../../../plugins/toolkit/markup/index.ts';
import { structuredText } from '../../../../server/testing/cases/texts.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';
import { anyHtml, anyTable, cellsOf } from './generated.ts';

interface HtmlChunk extends AnswerChunk {
  readonly context?: string;
  readonly rows?: readonly [number, number];
}

const send = await openChunkers();
const anySize = fc.integer({ min: 70, max: 200 });

/** The chunks of a text, which are within the limit and lose nothing of it. */
async function chunk(
  text: string,
  options: { chunk_size: number; [other: string]: unknown },
): Promise<HtmlChunk[]> {
  const chunks = await send('html', { text, offset_unit: 'utf16', ...options });
  assert.equal(chunks.map((one) => one.text).join(''), text.trim() === '' ? '' : text);
  for (const { token_count } of chunks) assert.ok(token_count <= options.chunk_size);
  return chunks;
}

/** Texts of all formats, whole and damaged, with their tags and comments. */
const brokenHtml = structuredText.map((text) => {
  const reader = new MarkupReader(text);
  const whole: { start: number; end: number }[] = [];
  while (reader.read()) whole.push({ start: reader.start, end: reader.end });
  return { text, whole };
});

for (const [pages, any, numRuns] of [
  ['generated', anyHtml, 400],
  ['broken', brokenHtml, 200],
] as const) {
  t.test(`${pages} pages are never cut in a tag, a comment or an entity that would fit`, async () => {
    const options = fc.record({ chunk_size: anySize, split_level: fc.nat(6) });
    const holds = fc.asyncProperty(any, options, async ({ text, whole }, given) => {
      for (const { start_index: at } of await chunk(text, { ...given, min_chunk_size: 0.1 })) {
        const cut = whole.find(({ start, end }) => start < at && at < end && end - start <= given.chunk_size);
        assert.equal(cut && text.slice(cut.start, cut.end), undefined);
      }
    });
    await fc.assert(holds, { numRuns });
  });
}

t.test('a heading is cut from what follows it before a tag is cut', async (t) => {
  const head = '<h1 class="a b"><a title=\'it. is > here\' HREF="x y">Some words. </h1>';
  const image = '<img alt="a > b, c. d" src=x>';
  const text = `${head}<h3 class="a b">And more of them here, at last; </h3>${image}`;
  const chunks = await chunk(text, { chunk_size: 138, split_level: 0 });
  t.match(chunks.at(-1)?.text, new RegExp(`${image}$`));
});

t.test('header and rows of the chunks of a table have the cells of the whole', async () => {
  await fc.assert(
    fc.asyncProperty(anyTable, fc.integer({ min: 260, max: 600 }), async (table, chunk_size) => {
      const chunks = await chunk(table.text, { chunk_size });
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
    { numRuns: 100 },
  );
});

t.test('context and text together keep the limit with count_context', async () => {
  await fc.assert(
    fc.asyncProperty(anyHtml, anyTable, anySize, async (page, table, chunk_size) => {
      const carry = ['headings', 'header'];
      const text = `${page.text}<h1>Head</h1>${table.text}`;
      for (const one of await chunk(text, { chunk_size, carry, count_context: true })) {
        const both = one.context === undefined ? one.text : `${one.context}\n${one.text}`;
        assert.ok(Array.from(both).length <= chunk_size);
      }
    }),
    { numRuns: 100 },
  );
});
