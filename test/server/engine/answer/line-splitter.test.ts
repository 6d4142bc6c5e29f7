import t from 'tap';
import { LineSplitter, TOO_LONG } from '../../../../server/engine/run/line-reader.ts';

/** How lines are found is in `run/line-reader.test.ts`. */

const LIMIT = 5;

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
