import fc from 'fast-check';
import t from 'tap';
import { LineSplitter, TOO_LONG } from '../../../../server/engine/read/line-splitter.ts';

const LIMIT = 5;
const PARTS = ['a', 'é', '😀', ' ', '\t', '\r', '\n', '\r\n', 'xxxx', 'yyyyy', '{}'];
const anyBytes = fc
  .array(fc.constantFrom(...PARTS), { maxLength: 60 })
  .map((parts) => Buffer.from(parts.join('')));

function split(pieces: readonly Buffer[]) {
  const splitter = new LineSplitter(LIMIT);
  return [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()].map(shown);
}

const shown = (line: Buffer | typeof TOO_LONG) => (line === TOO_LONG ? 'too long' : line.toString('latin1'));

/** The lines, by a plain count. */
function plainly(bytes: Buffer): string[] {
  const lines = bytes.toString('latin1').split('\n');
  return lines
    .map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line))
    .map((line) => (line.length > LIMIT ? 'too long' : line))
    .filter((line) => /[^ \t]/.test(line));
}

function cutAt(bytes: Buffer, places: readonly number[]): Buffer[] {
  const cuts = [0, ...places.map((place) => place % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  return cuts.slice(1).map((to, index) => bytes.subarray(cuts[index], to));
}

t.test('however bytes are cut into pieces, their lines are the same', async () => {
  fc.assert(
    fc.property(anyBytes, fc.array(fc.nat(), { maxLength: 20 }), (bytes, places) => {
      const expected = plainly(bytes);
      for (const pieces of [cutAt(bytes, places), [bytes], [...bytes].map((byte) => Buffer.of(byte))])
        if (split(pieces).join('\n') !== expected.join('\n')) throw new Error(split(pieces).join('\n'));
    }),
    { numRuns: 200 },
  );
});

t.test('of a line that is too long, nothing is kept', async (t) => {
  const splitter = new LineSplitter(LIMIT);
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
