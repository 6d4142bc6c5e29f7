import fc from 'fast-check';
import t from 'tap';
import { LineReader, LineSplitter, sizeOf, TOO_LONG } from '../../../../server/engine/run/line-reader.ts';

async function* inPieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function readerOf(
  text: string,
  { limit = 1000, isStrict = false, size = 7, beforeReading = async () => {} } = {},
) {
  return new LineReader(inPieces(text, size), { limit, isStrict, beforeReading });
}

async function readAll(reader: LineReader): Promise<void> {
  while (!reader.isOver) await reader.read();
}

t.test('however bytes come, lines are taken in their order, as many as asked for, and counted', async () => {
  const parts = ['a', 'é', '😀', ' ', '\t', '\r', 'xxxx', '{}'];
  const anyLine = fc.array(fc.constantFrom(...parts), { maxLength: 12 }).map((all) => all.join(''));
  const anyLines = fc.array(anyLine, { maxLength: 40 });
  const property = fc.asyncProperty(
    anyLines,
    fc.integer({ min: 1, max: 20 }),
    fc.integer({ min: 1, max: 6 }),
    fc.integer({ min: 0, max: 60 }),
    async (lines, size, most, maxBytes) => {
      const limit = 9;
      const reader = readerOf(lines.join('\n'), { size, limit });
      const taken: string[] = [];
      while (!reader.isOver || reader.waiting > 0) {
        if (reader.waiting === 0) await reader.read();
        const held = reader.bytes;
        const some = reader.take(most, maxBytes);
        const bytes = some.reduce((sum, line) => sum + sizeOf(line), 0);
        if (reader.bytes !== held - bytes) throw new Error('the bytes are not counted');
        if (some.length > most) throw new Error('too many');
        if (some.length > 1 && (bytes > maxBytes || !some.every(Buffer.isBuffer)))
          throw new Error('too large');
        taken.push(...some.map((line) => (Buffer.isBuffer(line) ? line.toString() : 'too long')));
      }
      if (reader.bytes !== 0) throw new Error(`${reader.bytes} bytes are left`);
      const expected = lines
        .map((line) => line.replace(/\r$/, ''))
        .map((line) => (Buffer.byteLength(line) > limit ? 'too long' : line))
        .filter((line) => /[^ \t]/.test(line));
      if (taken.join() !== expected.join()) throw new Error(taken.join());
    },
  );
  await fc.assert(property, { numRuns: 600 });
});

t.test('a line that is not complete is counted as soon as it is read', async (t) => {
  const reader = readerOf('a'.repeat(20), { size: 5 });
  for (const bytes of [5, 10, 15, 20]) {
    await reader.read();
    t.equal(reader.bytes, bytes);
    t.equal(reader.waiting, 0);
  }
  await readAll(reader);
  t.same(reader.take(1, 0), [Buffer.from('a'.repeat(20))]);
});

t.test('nothing is read before it may be', async (t) => {
  const open = Promise.withResolvers<void>();
  const reader = readerOf('a\nb\n', { beforeReading: () => open.promise });
  const reading = reader.read();
  await new Promise(setImmediate);
  t.equal(reader.bytes, 0);
  open.resolve();
  await reading;
  t.equal(reader.waiting, 2);
  const refused = readerOf('a\n', { beforeReading: () => Promise.reject(new Error('no room')) });
  await t.rejects(refused.read(), /no room/);
});

t.test('a reader that is strict ends at a line that is too long, before that is complete', async (t) => {
  for (const text of [`a\n${'x'.repeat(100)}`, `a\n${'x'.repeat(11)}\nb`]) {
    const reader = readerOf(text, { limit: 10, isStrict: true });
    await t.rejects(readAll(reader), /longer than the limit of 10 bytes/);
    t.notOk(reader.isOver);
    t.same(reader.take(9, 99), [Buffer.from('a')]);
  }
});

t.test('of a line that is too long, nothing is kept', async (t) => {
  const splitter = new LineSplitter(5);
  splitter.push(Buffer.from('abc'));
  t.equal(splitter.unfinished, 3);
  t.same(splitter.push(Buffer.alloc(1000, 'x')), []);
  t.ok(splitter.isTooLong);
  t.equal(splitter.unfinished, 0);
  t.same(splitter.push(Buffer.from('xx\nab')), [TOO_LONG]);
  t.notOk(splitter.isTooLong);
  t.equal(splitter.unfinished, 2);
});

t.test('a line that comes in many pieces is kept in one buffer, and does not keep the pieces', async (t) => {
  const splitter = new LineSplitter(1_000_000);
  const count = 100_000;
  // Each piece stands in a large buffer, as what a socket reads does.
  const socket = Buffer.alloc(65_536, 'x');
  for (let index = 0; index < count; index++)
    splitter.push(socket.subarray(index % 60_000, (index % 60_000) + 1));
  const [line] = splitter.end() as Buffer[];
  t.equal(line?.length, count);
  t.ok((line?.buffer.byteLength ?? 0) <= 2 * count, `${line?.buffer.byteLength} bytes`);
  t.not(line?.buffer, socket.buffer);
});
