import fc from 'fast-check';
import t from 'tap';
import { quotedUtf8 } from '../../../server/corpora/formats/map-fields.ts';
import { jsonOf, memoryStorage, plan, readAll, readPath, shown } from './memory-storage.ts';

const PIECES = [
  ...['a', '👍🏽', '她在门口', 'é', 'x'.repeat(40), 'y'.repeat(700)],
  ...['{"text":"\\n"}', '\u2028', '\r', ' '],
];
const LIMIT = 600;

const anyLine = fc.array(fc.constantFrom(...PIECES), { maxLength: 5 }).map((pieces) => pieces.join(''));
const anyFile = fc.record({
  mark: fc.constantFrom('', '', '\ufeff'),
  lines: fc.array(fc.tuple(anyLine, fc.constantFrom('\n', '\r\n')), { maxLength: 12 }),
  isEnded: fc.boolean(),
  shardBytes: fc.constantFrom(1, 2, 3, 7, 64, 1000, 100_000),
  block: fc.constantFrom(1, 2, 5, 64, 4096),
});

type AnyFile = typeof anyFile extends fc.Arbitrary<infer File> ? File : never;

/** The lines that are not blank with the places where they begin, by a plain count. */
function plainly(bytes: Buffer): string[] {
  let at = 0;
  return bytes
    .toString('latin1')
    .split('\n')
    .flatMap((whole) => {
      const begin = at;
      at += whole.length + 1;
      const line = (begin === 0 ? whole.replace('\u00ef\u00bb\u00bf', '') : whole).replace(/\r$/, '');
      if (!/[^ \t]/.test(line)) return [];
      return [`${begin}:${line.length > LIMIT ? 'line_too_large' : line}`];
    });
}

t.test('each line belongs to exactly one range, whatever the ranges and blocks are', async () => {
  const property = async ({ mark, lines, isEnded, shardBytes, block }: AnyFile) => {
    const text = mark + lines.map(([line, end]) => line + end).join('');
    const bytes = Buffer.from(isEnded ? text : text.replace(/\r?\n$/, ''));
    const shards = bytes.length / shardBytes;
    fc.pre(shards < 300 && (bytes.length / block) * shards < 20_000);
    const storage = memoryStorage({ 'a.jsonl': bytes }, block);
    const found: string[] = [];
    let size = 0;
    for (const shard of await plan(storage, { path: 'a.jsonl', format: 'auto', shardBytes })) {
      const part = shard.part ?? { from: 0, to: 0 };
      for (const line of await readAll(storage, shard, { limit: LIMIT })) {
        const byte = line.place.byte ?? -1;
        if (byte < part.from || byte >= part.to) throw new Error(`${byte} is outside of its range`);
        if (!('document' in line)) throw new Error('a line was skipped');
        const { document } = line;
        size += line.size;
        if (Buffer.isBuffer(document) && line.size < document.length) throw new Error('it is longer');
        found.push(`${byte}:${Buffer.isBuffer(document) ? document.toString('latin1') : document.code}`);
      }
    }
    if (size > bytes.length) throw new Error(`${size} bytes of ${bytes.length}`);
    const expected = plainly(bytes);
    if (JSON.stringify(found) !== JSON.stringify(expected)) {
      throw new Error(`${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`);
    }
  };
  await fc.assert(fc.asyncProperty(anyFile, property), { numRuns: 120 });
});

t.test('a range in the middle of a long line stops at its end', async (t) => {
  const storage = memoryStorage({ 'a.jsonl': `${'x'.repeat(1_000_000)}\n{"text": "last"}` }, 1000);
  const shards = await plan(storage, { path: 'a.jsonl', format: 'jsonl', shardBytes: 10_000 });
  const found = [];
  for (const shard of shards) found.push(...(await readAll(storage, shard, { limit: 20_000 })));
  t.match(found.map(shown), [
    /line_too_large: The document is longer than the limit of 20000 bytes/,
    { text: 'last' },
  ]);
  t.ok(storage.counts.bytes < 2_300_000, `${storage.counts.bytes} bytes were read of 1,000,000`);
});

t.test('without a mapping, lines are passed on byte for byte', async (t) => {
  const text = '{"id":1.0,  "text": "\\u00e9 \xff", "n": 12345678901234567890}';
  const [line] = await readPath(memoryStorage({ 'a.ndjson': text }), 'a.ndjson', 'auto');
  t.equal(line && jsonOf(line), text);
});

t.test('fields are mapped, and no digit of a number is lost', async (t) => {
  const text = [
    '{"sku": 12345678901234567890, "body": "A\\u00e9", "name": "N", "price": 1.50, "nested": {"b": [1.0]}, "body2": 1}',
    '{"sku": "x", "name": "without"}',
    '{"sku": null, "body": "no id"}',
    '{"sku": {"a": 1}, "body": "bad id"}',
    '{"sku": 1, "body": 3}',
    '{"sku": 1e3, "body": "a"}',
    '[1]',
    '{"sku": ',
    '{"sku": 2, "body": "x", "body": "the last counts", "name": ""}',
  ].join('\n');
  const storage = memoryStorage({ 'a.jsonl': text });
  const fields = { id: 'sku', text: 'body', title: 'name', metadata: ['price', '*'] };
  const lines = await readPath(storage, 'a.jsonl', 'jsonl', { fields });
  const expected =
    '{"id":"12345678901234567890","title":"N","metadata":{"price":1.50,"nested":{"b": [1.0]},"body2":1},"text":"A\\u00e9"}';
  t.equal(lines[0] && jsonOf(lines[0]), expected);
  t.match(lines.slice(1).map(shown), [
    'invalid_parameters: text: there is no member body; the members are sku, name.',
    'invalid_parameters: id: there is no member sku.',
    'invalid_parameters: sku: expected a text or a number, got an object.',
    'invalid_parameters: body: expected a text, got a number.',
    'invalid_parameters: sku: expected a text, or an integer with all its digits, got 1e3.',
    'invalid_parameters: the line is not a JSON object.',
    /line_not_json: The document is not a line of valid JSON/,
    { id: '2', text: 'the last counts' },
  ]);
});

t.test('members that are not named are left out', async (t) => {
  const storage = memoryStorage({ 'a.jsonl': '{"text": "a", "id": "1", "x": 2, "f": "a.md"}' });
  const lines = await readPath(storage, 'a.jsonl', 'jsonl', { fields: { filename: 'f' } });
  t.same(lines.map(shown), [{ filename: 'a.md', text: 'a' }]);
});

t.test('a line of very many members is refused instead of searched for each of them', async (t) => {
  const members = Array.from({ length: 50_000 }, (_, index) => `"m${index}":1`).join();
  const storage = memoryStorage({ 'a.jsonl': `{"text":"a",${members}}` });
  const [line] = await readPath(storage, 'a.jsonl', 'jsonl', { fields: { metadata: ['*'] } });
  t.match(line && shown(line), /invalid_parameters: metadata: 50001 members, over the limit of 1000/);
});

t.test('an abort ends the reading', async (t) => {
  const storage = memoryStorage({ 'a.jsonl': '{"text":"a"}\n'.repeat(10_000) }, 1000);
  const signal = AbortSignal.abort(new Error('enough'));
  await t.rejects(readPath(storage, 'a.jsonl', 'auto', { signal }), { message: 'enough' });
  t.ok(storage.counts.bytes <= 2000);
  t.equal(storage.counts.open, 0);
});

t.test('the JSON of bytes is that of their text', async (t) => {
  const isSame = (text: string) => quotedUtf8(Buffer.from(text)).toString() === JSON.stringify(text);
  const texts = fc.oneof(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'binary-ascii' }));
  fc.assert(fc.property(texts, isSame));
  const codes = Array.from({ length: 0xa1 }, (_, code) => code);
  t.ok(isSame(String.fromCharCode(...codes, 0x2028, 0x2029)), 'ASCII, and the first beyond');
});
