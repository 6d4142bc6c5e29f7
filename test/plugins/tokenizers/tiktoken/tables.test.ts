import fc from 'fast-check';
import t from 'tap';
import {
  createLongMerge,
  createNeighbourTest,
  createShortMerge,
} from '../../../../plugins/tokenizers/tiktoken/merge.ts';
import { createPieceTable } from '../../../../plugins/tokenizers/tiktoken/pieces.ts';
import {
  buildRanks,
  parseRanks,
  type Ranks,
  readRankFile,
  viewRanks,
} from '../../../../plugins/tokenizers/tiktoken/ranks.ts';
import { buildUnicodeClasses } from '../../../../plugins/tokenizers/tiktoken/unicode-classes.ts';
import { createRandom } from '../../../soak/tokenizer-shapes.ts';
import { classReader, nodeClass } from './support/read-classes.ts';

/** The long way to encode a piece finds what merging ends with; the short way merges. */

const VOCABULARIES = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'];
const MAX_LENGTH = 600;

const fewBytes = fc
  .tuple(fc.constantFrom(32, 48, 97, 0x80, 0xe3), fc.integer({ min: 1, max: 12 }))
  .chain(([min, letters]) => fc.uint8Array({ min, max: min + letters, minLength: 1, maxLength: 80 }));

function bytesOf({ tokenStarts, tokenBytes }: Ranks, token: number): Uint8Array {
  return tokenBytes.slice(tokenStarts[token] as number, tokenStarts[token + 1] as number);
}

/** Bytes of few kinds, of all kinds, repeated, and of tokens one after the other. */
function pieces(ranks: Ranks): fc.Arbitrary<Uint8Array> {
  const token = fc.nat(ranks.tokenStarts.length - 2).map((id) => bytesOf(ranks, id));
  const joined = fc.array(token, { minLength: 1, maxLength: 12 }).map((parts) => Buffer.concat(parts));
  const repeated = fc
    .tuple(fc.oneof(token, fc.uint8Array({ minLength: 1, maxLength: 5 })), fc.integer({ min: 1, max: 90 }))
    .map(([part, times]) => Buffer.concat(Array<Uint8Array>(times).fill(part)));
  return fc
    .oneof(fewBytes, fc.uint8Array({ minLength: 1, maxLength: 40 }), joined, repeated)
    .map((bytes) => Uint8Array.from(bytes.subarray(0, MAX_LENGTH)))
    .filter(({ length }) => length > 0);
}

for (const name of VOCABULARIES) {
  const ranks = viewRanks(buildRanks((await readRankFile(name)).ranks));
  t.test(`${name}: both ways give the same tokens`, async () => {
    const [long, short] = [createLongMerge(ranks), createShortMerge(ranks, MAX_LENGTH)];
    fc.assert(
      fc.property(pieces(ranks), (bytes) => {
        const [found, merged] = [long, short].map((merge) => {
          const ids = new Uint32Array(bytes.length);
          return String(ids.subarray(0, merge(bytes, bytes.length, ids)));
        });
        if (found !== merged) throw new Error(`${found} instead of ${merged}`);
      }),
      { numRuns: 300 },
    );
  });
}

t.test('bytes that only have the hash of a token are none', async (t) => {
  const ranks = viewRanks(buildRanks((await readRankFile('cl100k_base')).ranks));
  const long = createLongMerge(ranks);
  const [found, bytes] = [new Int32Array(ranks.longest), new Uint8Array(6)];
  const random = createRandom(5);
  let pretenders = 0;
  for (let tries = 0; pretenders < 5 && tries < 1e7; tries += 1) {
    for (let at = 0; at < bytes.length; at += 1) bytes[at] = random(0x100);
    const candidates = found.subarray(0, ranks.candidatesAt(bytes, 0, bytes.length, found));
    if (candidates.every((rank) => ranks.isAt(rank, bytes, 0))) continue;
    pretenders += 1;
    const ids = new Uint32Array(bytes.length);
    const tokens = ids.subarray(0, long(bytes, bytes.length, ids));
    const joined = [...tokens].flatMap((id) => [...bytesOf(ranks, id)]);
    if (String(joined) !== String(bytes)) t.fail(`${bytes} became ${joined}`);
  }
  t.equal(pretenders, 5);
});

t.test('a vocabulary with a token that no merges lead to is refused', async (t) => {
  const ranks = viewRanks(buildRanks(parseRanks('! 0 YQ== Yg== Yw== YWJj')));
  const areNeighbours = createNeighbourTest(ranks);
  t.throws(() => areNeighbours(3, 0), /rank 3/);
});

t.test('the classes of Unicode are those of tiktoken, and those of ASCII are those of Node', async (t) => {
  const classes = new Uint8Array(buildUnicodeClasses());
  const reader = classReader();
  t.teardown(() => reader.free());
  const wrong = [];
  let compared = 0;
  for (let codePoint = 0; codePoint < classes.length; codePoint += 1) {
    const found = classes[codePoint] as number;
    const isEdge = found !== classes[codePoint - 1] || found !== classes[codePoint + 1];
    if (!isEdge && codePoint % 499 !== 0) continue;
    compared += 1;
    if (!reader.agrees(codePoint, found)) wrong.push(codePoint.toString(16));
  }
  t.comment(`compared ${compared} code points`);
  t.strictSame(wrong, []);
  const expected = Array.from({ length: 0x80 }, (_, ascii) => nodeClass(ascii));
  t.same([...classes.subarray(0, 0x80)], expected);
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
  let encoded = 0;
  const encode = (units: Uint16Array, start: number, end: number) => {
    encoded += 1;
    return Uint32Array.from(units.subarray(start, end), (unit) => 3 * unit);
  };
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
  for (let piece = 0; piece < 300_000; piece += 1) {
    for (let index = 0; index < units.length; index += 1) units[index] = random(0x10000);
    if (table.count(units, 0, 3) !== encode(units, 0).length) wrong += 1;
  }
  t.equal(wrong, 0);
});
