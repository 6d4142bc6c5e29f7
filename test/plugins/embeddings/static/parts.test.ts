import t from 'tap';
import type { SharedBuffers } from '../../../../core/contracts/collaborators.ts';
import { OWN_MODELS } from '../../../../plugins/embeddings/static/index.ts';
import {
  createLexicalVectors,
  forEachPart,
} from '../../../../plugins/embeddings/static/lexical/lexical-vectors.ts';
import {
  createRowFinder,
  LEXICAL_VERSION,
  ROW,
  readPartRows,
} from '../../../../plugins/embeddings/static/lexical/part-rows.ts';
import { createTable, viewTable } from '../../../../plugins/embeddings/static/table/table.ts';
import { ownBuffers } from '../../../../server/engine/run/shared-buffers.ts';
import { never } from '../../../support/hosted-host.ts';
import { createRandom } from '../../../support/random.ts';
import { createProviderWithFolder, openModel } from './support/models.ts';

const partsOf = (text: string) => {
  const parts: number[] = [];
  forEachPart(text, (part) => parts.push(part));
  return parts;
};

const random = createRandom(1);
/** Words of two letters have one part each. */
const WORDS = ['ab', 'cd', 'ef', 'gh'];
const HASHES = Uint32Array.from(WORDS.flatMap(partsOf)).sort();
const VALUES = HASHES.length * ROW;
const TABLE = createTable({
  ...{ rows: HASHES.length, tokens: HASHES.length, dimensions: ROW, isInt8: true, unknownId: undefined },
  ...{ hasWeights: true, hasMapping: true },
});
TABLE.mapping?.set(HASHES);
TABLE.weights?.set([0.5, 1, 2, 4]);
const levels = new Int8Array(TABLE.buffer, TABLE.rowsStart, VALUES);
for (let at = 0; at < VALUES; at++) levels[at] = Math.floor(16 * random()) - 8;

/** The vector of words that each have a row, by the definition. */
function expected(counts: Readonly<Record<string, number>>, dimensions: number): number[] {
  const sums = Array<number>(dimensions).fill(0);
  for (const [word, count] of Object.entries(counts)) {
    const row = HASHES.indexOf(partsOf(word)[0] as number);
    const factor = (1 + Math.log(count)) * (TABLE.weights?.[row] as number);
    for (let at = 0; at < dimensions; at++)
      sums[at] = (sums[at] as number) + factor * (levels[row * ROW + at] as number);
  }
  const length = Math.hypot(...sums);
  return sums.map((sum) => sum / length);
}

for (const dimensions of [100, ROW]) {
  t.test(`${dimensions} dimensions: a vector is the sum of the rows of a text's parts`, async (t) => {
    const vectorOf = createLexicalVectors(TABLE, dimensions);
    const target = new Float32Array(dimensions);
    for (const [text, counts] of [
      ['ab', { ab: 1 }],
      ['AB, cd. ab; ef ab', { ab: 3, cd: 1, ef: 1 }],
    ] as const) {
      for (const _ of 'twice') vectorOf(text, target);
      const numbers = expected(counts, dimensions);
      t.ok(
        target.every((value, at) => Math.abs(value - (numbers[at] as number)) < 1e-6),
        text,
      );
    }
    vectorOf('', target);
    t.ok(target.every((value) => value === 0));
  });
}

t.test('dimensions after those of rows have signs, which are as long as the row', async (t) => {
  const vectorOf = createLexicalVectors(TABLE, 2 * ROW);
  const target = new Float32Array(2 * ROW);
  for (const word of [...WORDS, ...WORDS]) {
    vectorOf(word, target);
    const signs = target.subarray(ROW).filter((value) => value !== 0);
    t.ok(signs.length > 0 && signs.length <= 4, `${word}: ${signs.length}`);
    const share = Math.hypot(...target.subarray(0, ROW));
    const first = expected({ [word]: 1 }, ROW).map((value) => value * share);
    t.ok(
      first.every((value, at) => Math.abs(value - (target[at] as number)) < 1e-6),
      word,
    );
    if (signs.length === 4) t.ok(Math.abs(Math.hypot(...signs) - share) < 1e-6, word);
  }
});

t.test('each row is found by its hash, and no other hash has one', async (t) => {
  const rows = viewTable(await readPartRows());
  const hashes = rows.mapping as Uint32Array;
  const find = createRowFinder(rows);
  t.ok(hashes.length > 90_000);
  t.ok(hashes.every((hash, row) => find(hash) === row));
  const known = new Set(hashes);
  const others = [0, 2 ** 32 - 1, ...hashes.map((hash) => hash ^ 1)].filter((hash) => !known.has(hash));
  t.ok(others.every((hash) => find(hash >>> 0) === -1));
  const values = new Int8Array(rows.buffer, rows.rowsStart, hashes.length * ROW);
  t.ok(values.every((value) => value >= -8 && value <= 7));
});

t.test(
  'the rows are read for the first text that needs them, and kept until both models are closed',
  async (t) => {
    const key = `static/${LEXICAL_VERSION}`;
    const asked: string[] = [];
    const released: string[] = [];
    const shared: SharedBuffers = {
      get: (key, build) => {
        asked.push(key);
        return ownBuffers.get(key, build);
      },
      release: (key) => void released.push(key),
    };
    const { provider } = await createProviderWithFolder(t, shared);
    const request = { purpose: 'similarity', signal: never } as const;
    const models = await Promise.all(OWN_MODELS.map(({ name }) => openModel(provider, name)));
    for (const model of models) await model.embed(['The weather is fine today.'], request);
    t.notOk(asked.includes(key));
    for (const model of models)
      await Promise.all(
        ['Das Wetter ist heute schön.', 'Hôm nay trời đẹp.'].map((text) => model.embed([text], request)),
      );
    t.equal(asked.filter((one) => one === key).length, models.length);
    for (const [at, model] of models.entries()) {
      t.equal(released.includes(key), false, `${at}`);
      await model.close?.();
      await new Promise(setImmediate);
    }
    t.equal(released.filter((one) => one === key).length, 1);
  },
);
