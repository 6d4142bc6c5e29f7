import fc from 'fast-check';
import t from 'tap';
import { createLongMerge } from '../../../../plugins/tokenizers/tiktoken/pieces/long-merge.ts';
import { createMergeHistory } from '../../../../plugins/tokenizers/tiktoken/pieces/merge-history.ts';
import { createShortMerge } from '../../../../plugins/tokenizers/tiktoken/pieces/short-merge.ts';
import { parseRanks, readRankFile } from '../../../../plugins/tokenizers/tiktoken/vocabulary/rank-file.ts';
import {
  buildRanks,
  type Ranks,
  viewRanks,
} from '../../../../plugins/tokenizers/tiktoken/vocabulary/ranks.ts';
import { createRandom } from '../../../soak/tokenizer-shapes.ts';

/** The long way to encode a piece finds what merging ends with; the short way merges. */

const VOCABULARIES = ['gpt2', 'r50k_base', 'p50k_base', 'cl100k_base', 'o200k_base'];
const LONGEST = 600;

const fewLetters = fc.tuple(fc.constantFrom(32, 48, 97, 0x80, 0xe3), fc.integer({ min: 1, max: 12 }));
const fewBytes = ([least, letters]: readonly [number, number], maxLength: number) =>
  fc.uint8Array({ min: least, max: Math.min(least + letters, 255), minLength: 1, maxLength });

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
  const few = fewLetters.chain((letters) => fewBytes(letters, 80));
  return fc
    .oneof(few, fc.uint8Array({ minLength: 1, maxLength: 40 }), joined, repeated)
    .map((bytes) => Uint8Array.from(bytes.subarray(0, LONGEST)))
    .filter(({ length }) => length > 0);
}

for (const name of VOCABULARIES) {
  const ranks = viewRanks(buildRanks((await readRankFile(name)).ranks));
  t.test(`${name}: both ways give the same tokens`, async () => {
    const [long, short] = [createLongMerge(ranks), createShortMerge(ranks, LONGEST)];
    fc.assert(
      fc.property(pieces(ranks), (bytes) => {
        const [found, merged] = [long, short].map((merge) => {
          const ids = new Uint32Array(bytes.length);
          return String(ids.subarray(0, merge(bytes, bytes.length, ids)));
        });
        if (found !== merged) throw new Error(`${found} instead of ${merged}`);
      }),
      { numRuns: 2000 },
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
  t.throws(() => createMergeHistory(ranks), /rank 3/);
});
