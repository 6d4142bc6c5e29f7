import t from 'tap';
import { createPieceTable } from '../../../../plugins/tokenizers/tiktoken/pieces/piece-table.ts';
import { buildUnicodeClasses } from '../../../../plugins/tokenizers/tiktoken/scan/unicode-classes.ts';
import { parseRanks } from '../../../../plugins/tokenizers/tiktoken/vocabulary/rank-file.ts';
import { buildRanks, viewRanks } from '../../../../plugins/tokenizers/tiktoken/vocabulary/ranks.ts';
import { createRandom } from '../../../soak/tokenizer-shapes.ts';
import { classReader, nodeClass } from './support/read-classes.ts';

t.test('the classes of Unicode are those of tiktoken', async (t) => {
  const classes = new Uint8Array(buildUnicodeClasses());
  const reader = classReader();
  t.teardown(() => reader.free());
  const wrong = [];
  let compared = 0;
  for (let codePoint = 0; codePoint < classes.length; codePoint += 1) {
    const found = classes[codePoint] as number;
    const isEdge = found !== classes[codePoint - 1] || found !== classes[codePoint + 1];
    if (!isEdge && codePoint % 97 !== 0) continue;
    compared += 1;
    if (!reader.agrees(codePoint, found)) wrong.push(codePoint.toString(16));
  }
  t.comment(`compared ${compared} code points`);
  t.strictSame(wrong, []);
});

t.test('the classes of ASCII are those of Node', async (t) => {
  const classes = new Uint8Array(buildUnicodeClasses());
  for (let codePoint = 0; codePoint < 0x80; codePoint += 1)
    t.equal(classes[codePoint], nodeClass(codePoint), `U+${codePoint.toString(16)}`);
});

t.test('a rank file may leave ranks out', async (t) => {
  const ranks = viewRanks(buildRanks(parseRanks(`! 0 YQ== Yg==\n! 5 YWI= YWJhYg==`)));
  const rankOf = (text: string) => ranks.find(Buffer.from(text), 0, text.length);
  t.strictSame(['a', 'b', 'ab', 'abab'].map(rankOf), [0, 1, 5, 6]);
  t.strictSame(['', 'c', 'ba', 'aba', 'ababa'].map(rankOf), [-1, -1, -1, -1, -1]);
});

t.test('a rank table refuses more tokens than it can name', async (t) => {
  const tooMany = { tokenStarts: new Uint32Array(300_000), tokenBytes: new Uint8Array(0) };
  t.throws(() => buildRanks(tooMany), RangeError);
});

t.test('a piece table that is full starts anew and stays right', async (t) => {
  const encode = (units: Uint16Array, start: number, end: number) => {
    encoded += 1;
    return Uint32Array.from(units.subarray(start, end), (unit) => 3 * unit);
  };
  let encoded = 0;
  for (const bounds of [
    { pieces: 16, units: 1024, tokens: 1024 },
    { pieces: 1024, units: 200, tokens: 1024 },
    { pieces: 1024, units: 1024, tokens: 400 },
  ]) {
    const table = createPieceTable(encode, bounds);
    const random = createRandom(3);
    const units = Uint16Array.from({ length: 4000 }, () => random(3));
    const ids = new Uint32Array(200);
    for (let round = 0; round < 3000; round += 1) {
      const start = random(3800);
      const end = start + 1 + random(random(20) === 0 ? 190 : 5);
      const expected = [...units.subarray(start, end)].map((unit) => 3 * unit);
      if (table.count(units, start, end) !== expected.length) t.fail('wrong count');
      const written = table.write(units, start, end, ids, 0);
      if (`${ids.subarray(0, written)}` !== `${expected}`) t.fail('wrong ids');
    }
  }
  encoded = 0;
  const table = createPieceTable(encode);
  for (let round = 0; round < 3; round += 1) table.count(Uint16Array.of(1, 2, 3), 0, 3);
  t.equal(encoded, 1);
});

t.test('a piece table tells pieces of the same hash apart', async (t) => {
  const encode = (units: Uint16Array, start: number) => new Uint32Array(1 + ((units[start] as number) % 5));
  const table = createPieceTable(encode);
  const random = createRandom(4);
  const units = new Uint16Array(3);
  let wrong = 0;
  for (let piece = 0; piece < 1_000_000; piece += 1) {
    for (let index = 0; index < units.length; index += 1) units[index] = random(0x10000);
    if (table.count(units, 0, 3) !== encode(units, 0).length) wrong += 1;
  }
  t.equal(wrong, 0);
});
