import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { structuredText } from '../../../../server/testing/cases/texts.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { anyXml } from './generated.ts';
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

const send = await openChunkers();

await testCuts(t, 'xml', {}, CUTS);

t.test('a path that is too deep or too long is null', async (t) => {
  const pathOf = async (text: string) => {
    const [first] = await send('xml', { text });
    return (first as { xpath?: string | null } | undefined)?.xpath;
  };
  t.equal(await pathOf(`x${'<a>'.repeat(65)}${'</a>'.repeat(65)}`), '/');
  t.equal(await pathOf(`${'<a>'.repeat(65)}x`), null);
  t.equal(await pathOf(`<${'a'.repeat(255)}>x`), `/${'a'.repeat(255)}`);
  t.equal(await pathOf(`<${'a'.repeat(256)}>x`), null);
});

t.test('1 MB of endless nesting overflows no stack', (t) =>
  checkDepth(t, 'xml', HOSTILE_SHAPES, [
    '«<a>x»«</a>y»',
    '«<a><b/>»«</a>»',
    '«<sec><title>T</title><p/><p>x</p>»«</sec>»',
  ]),
);

const anySize = fc.integer({ min: 30, max: 300 });
const anyMinimum = fc.constantFrom(0, 0.2);

/** The chunks of a text, which are within the limit and lose nothing of it. */
async function chunk(
  text: string,
  options: { chunk_size: number; min_chunk_size?: number },
): Promise<AnswerChunk[]> {
  const chunks = await send('xml', { text, offset_unit: 'utf16', ...options });
  assert.equal(chunks.map((one) => one.text).join(''), text.trim() === '' ? '' : text);
  for (const { token_count } of chunks) assert.ok(token_count <= options.chunk_size);
  return chunks;
}

/** Where tags, comments, sections and references of well-formed XML lie. */
const MARKUP = /<!--[\s\S]*?-->|<!\[CDATA\[[\s\S]*?\]\]>|<(?:"[^"]*"|'[^']*'|[^<>"'])*>|&#?[\w]+;/g;

t.test('an element, a tag, a comment or a reference that fits is never cut', async () => {
  await fc.assert(
    fc.asyncProperty(anyXml, anySize, anyMinimum, async ({ text, parts }, chunk_size, min_chunk_size) => {
      const chunks = await chunk(text, { chunk_size, min_chunk_size });
      const cuts = chunks.map((one) => one.start_index).slice(1);
      const isCut = (start: number, end: number) => cuts.some((cut) => start < cut && cut < end);
      for (const { start, end, outerStart, outerEnd } of parts)
        assert.ok(outerEnd - outerStart > chunk_size || !isCut(start, end), text.slice(start, end));
      for (const { index, 0: markup } of text.matchAll(MARKUP))
        assert.ok(markup.length > chunk_size || !isCut(index, index + markup.length), markup);
    }),
    { numRuns: 300 },
  );
});

t.test('elements on lines of their own are cut at line ends', async () => {
  const message = (n: number) => `  <message>\n    <source>Open &amp; ${n}.</source>\n  </message>\n`;
  const all = Array.from({ length: 30 }, (_, index) => message(index * index)).join('');
  const text = `<?xml version="1.0"?>\n<!DOCTYPE TS>\n<TS>\n<context>\n${all}</context>\n</TS>\n`;
  for (const chunk_size of [80, 100, 150, 300, 512]) {
    const chunks = await chunk(text, { chunk_size });
    assert.ok(chunks.slice(0, -1).every((one) => one.text.endsWith('>\n')));
  }
});

t.test('broken XML loses nothing and keeps the limit', async () => {
  const damaged = fc.tuple(
    anyXml,
    fc.nat(),
    fc.nat(),
    fc.constantFrom('', '<', '&', '{{ a < b }}', '</x>', '"', '<!--'),
  );
  const cut = damaged.map(([{ text }, from, to, put]) => {
    const start = Math.min(from % text.length, to % text.length);
    const end = Math.max(from % text.length, to % text.length);
    return text.slice(0, start) + put + text.slice(end);
  });
  await fc.assert(
    fc.asyncProperty(fc.oneof(cut, structuredText.map(String)), anySize, async (text, chunk_size) => {
      await chunk(text, { chunk_size });
    }),
    { numRuns: 300 },
  );
});
