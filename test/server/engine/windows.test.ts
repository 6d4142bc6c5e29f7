import fc from 'fast-check';
import t from 'tap';
import type { EmbeddingModel, LongTexts, ModelWindow } from '../../../core/contracts/embedding.ts';
import { allTotals, countTotals, logTotals } from '../../../server/engine/answer/response-metadata.ts';
import { embedWithin, placeRefusal } from '../../../server/engine/stages/windows.ts';
import { never } from '../../support/hosted-host.ts';

/** Texts beyond the window of a model, with one that is exact about what it reads. */

const DIMENSIONS = 16;
/** Pieces of words of at most three letters, and white space with the piece before it: as subwords are, but for spaces. */
const TOKEN = /\p{L}{1,3}\s*|[^\p{L}]/gu;
const endsOf = (text: string) => {
  let end = 0;
  return Uint32Array.from(text.match(TOKEN) ?? [], (token) => {
    end += token.length;
    return end;
  });
};
const tokenize = (text: string) => ({
  count: (start: number, end: number) => endsOf(text.slice(start, end)).length,
  ends: () => endsOf(text),
});

/** A vector that depends on every character and its place, of length 1 or as long as the text. */
function vectorOf(text: string, isUnit: boolean): number[] {
  let state = text.length + 1;
  const numbers = Array.from({ length: DIMENSIONS }, () => 0);
  for (let at = 0; at < text.length; at++) {
    state = (Math.imul(state, 31) + text.charCodeAt(at)) | 0;
    const place = Math.abs(state) % DIMENSIONS;
    numbers[place] = (numbers[place] as number) + 1 + (Math.abs(state) % 7) / 7;
  }
  const length = isUnit ? Math.hypot(...numbers) || 1 : 1;
  return numbers.map((value) => value / length);
}

interface ExactModel extends EmbeddingModel {
  /** The texts of its calls. */
  readonly read: string[];
}

/** A model that reads a prompt of two tokens before a text. @param tokens its window */
function exactModel(tokens: number, { isUnit = true, limit = tokens } = {}): ExactModel {
  const read: string[] = [];
  const window: ModelWindow = { tokens, count: (text) => 2 + endsOf(text).length };
  return {
    read,
    name: 'exact',
    bytes: 0,
    window,
    tokenizer: async () => ({ name: 'exact', tokenize }),
    async embed(texts) {
      read.push(...texts);
      const refusedText = texts.findIndex((text) => window.count(text, 'document') > limit);
      if (refusedText >= 0) throw Object.assign(new Error('too long'), { expose: true, refusedText });
      return {
        dimensions: DIMENSIONS,
        values: Float32Array.from(texts.flatMap((text) => vectorOf(text, isUnit))),
      };
    },
  };
}

const REQUEST = { purpose: 'document', signal: never } as const;
const embed = async (model: EmbeddingModel, texts: readonly string[], policy: LongTexts = 'average') => {
  const { vectors, long } = await embedWithin(model, texts, REQUEST, policy);
  return { ...vectors, long };
};
const rowsOf = ({ values, dimensions }: { values: Float32Array; dimensions: number }) =>
  Array.from({ length: values.length / dimensions }, (_, row) => [
    ...values.subarray(row * dimensions, (row + 1) * dimensions),
  ]);

const word = fc.constantFrom('a', 'tea', 'milk', 'water', 'naïve', '茶', '🍵', 'internationalisation', '\n');
const text = fc.array(word, { minLength: 1, maxLength: 80 }).map((words) => words.join(' '));

t.test('average: a model gets each text in pieces that it reads whole, and nothing is lost', async () => {
  const given = fc.record({
    texts: fc.array(text, { minLength: 1, maxLength: 4 }),
    tokens: fc.integer({ min: 3, max: 30 }),
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ texts, tokens }) => {
      const model = exactModel(tokens);
      const { values, long } = await embed(model, texts);
      const beyond = texts.filter((one) => endsOf(one).length + 2 > tokens);
      if (long !== beyond.length) throw new Error(`${long} of ${beyond.length}`);
      if (model.read.join('') !== texts.join('')) throw new Error('the pieces are not the text');
      if (values.length !== texts.length * DIMENSIONS) throw new Error(`${values.length} numbers`);
      for (const [index, row] of rowsOf({ values, dimensions: DIMENSIONS }).entries())
        if (Math.abs(Math.hypot(...row) - 1) > 1e-5) throw new Error(`${index} has another length`);
    }),
  );
});

/** Another text: one character changed, left out or put in, words swapped, or the whole repeated. */
const change = fc.record({
  how: fc.constantFrom('change', 'drop', 'add', 'swap', 'repeat', 'append'),
  at: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
function changed(one: string, { how, at }: { how: string; at: number }): string {
  const place = Math.floor(one.length * at);
  if (how === 'change') return `${one.slice(0, place)}x${one.slice(place + 1)}`;
  if (how === 'drop') return one.slice(0, place) + one.slice(place + 1);
  if (how === 'add') return `${one.slice(0, place)}x${one.slice(place)}`;
  if (how === 'swap') return one.slice(place) + one.slice(0, place);
  return how === 'repeat' ? one + one : `${one} end`;
}

t.test('average: texts that differ anywhere never share a vector', async () => {
  await fc.assert(
    fc.asyncProperty(text, change, fc.integer({ min: 5, max: 30 }), async (one, how, tokens) => {
      const other = changed(one, how);
      if (other === one) return;
      const [first, second] = rowsOf(await embed(exactModel(tokens), [one, other]));
      if (`${first}` === `${second}`) throw new Error(`${JSON.stringify(one)} as ${JSON.stringify(other)}`);
    }),
    { numRuns: 500 },
  );
});

t.test('average: windows in another order, and their repetition, have other vectors', async (t) => {
  const [a, b, c] = ['tea milk '.repeat(4), 'sun moon '.repeat(4), 'ice snow '.repeat(4)] as const;
  const model = exactModel(2 + endsOf(a).length);
  const texts = [
    a,
    a + a,
    a + a + a,
    a + b,
    b + a,
    a + b + c,
    b + a + c,
    c + b + a,
    a + c + b,
    a + b + a + c,
    a + c + a + b,
  ];
  const rows = rowsOf(await embed(model, texts)).map(String);
  t.equal(new Set(rows).size, texts.length);
});

t.test(
  'average: windows count by their tokens; vectors of length 1 stay so, others are a mean',
  async (t) => {
    const [head, tail] = ['aaa bbb ccc ddd ', 'e'] as const;
    for (const isUnit of [true, false]) {
      const [row = []] = rowsOf(await embed(exactModel(6, { isUnit }), [head + tail]));
      // The second of two windows counts a thirty-second less.
      const [one, other] = [4, 1 - 1 / 32];
      const sum = vectorOf(head, isUnit).map(
        (value, at) => one * value + other * (vectorOf(tail, isUnit)[at] ?? 0),
      );
      const scale = isUnit ? Math.hypot(...sum) : one + other;
      for (const [at, value] of row.entries()) t.ok(Math.abs(value - (sum[at] ?? 0) / scale) < 1e-6, `${at}`);
    }
  },
);

t.test('a text that fits has the vector of the model, bit by bit, also beside longer ones', async (t) => {
  const model = exactModel(8);
  const [short, , other] = rowsOf(await embed(model, ['tea', 'tea '.repeat(50), '']));
  t.same(
    [short, other].map((row) => row?.map(Math.fround)),
    ['tea', ''].map((one) => vectorOf(one, true).map(Math.fround)),
  );
});

t.test('pieces end between words where there is white space', async (t) => {
  const model = exactModel(22);
  await embed(model, ['water '.repeat(100)]);
  t.ok(model.read.length > 5);
  for (const piece of model.read) t.match(piece, /^(water )+$/);
});

t.test('cut: the model cuts by itself, and the texts are counted', async (t) => {
  const model = exactModel(6, { limit: 1000 });
  t.equal((await embed(model, ['tea', 'tea '.repeat(50)], 'cut')).long, 1);
  t.same(model.read, ['tea', 'tea '.repeat(50)]);
});

t.test(
  'refuse: the first text that is too long is an error with its place, and nothing is embedded',
  async (t) => {
    const model = exactModel(6);
    const error = await embed(model, ['tea', 'tea '.repeat(50), 'tea '.repeat(60)], 'refuse').catch(
      (one) => one,
    );
    t.match(placeRefusal(error, 'chunks'), {
      expose: true,
      statusCode: 400,
      message: /^chunks\[1\]: 52 tokens.* 6;/,
    });
    t.match(placeRefusal(error, 'chunks', 10), { message: /^chunks\[11\]: / });
    t.same(model.read, []);
    t.equal((await embed(model, ['tea'], 'refuse')).long, 0);
  },
);

t.test('a model without a known window gets the texts as they are, and none is cut', async (t) => {
  const { window: _, ...model } = exactModel(6);
  const long = 'tea '.repeat(50);
  const refused = await embed(model, ['tea', long]).catch((one) => one);
  t.match(placeRefusal(refused, 'text'), { expose: true, message: 'text[1]: too long' });
  await t.rejects(embed(model, [long], 'cut'), { code: 'invalid_parameters' });
  const unlimited = { ...exactModel(6, { limit: 1000 }), window: null };
  for (const policy of ['average', 'cut', 'refuse'] as const)
    t.equal((await embed(unlimited, [long], policy)).long, 0);
});

t.test('a refusal by the model names the text, not its piece', async (t) => {
  const model = exactModel(8);
  const refuses: EmbeddingModel = {
    ...model,
    async embed(texts, request) {
      const refusedText = texts.findIndex((one) => one.includes('sun'));
      if (refusedText >= 0) throw Object.assign(new Error('refused'), { expose: true, refusedText });
      return model.embed(texts, request);
    },
  };
  const error = await embed(refuses, ['tea '.repeat(50), 'tea', 'sun '.repeat(50)]).catch((one) => one);
  t.match(error, { refusedText: 2 });
});

t.test('a prompt that fills the window leaves nothing to split for', async (t) => {
  const model = exactModel(2, { limit: 1000 });
  t.equal((await embed(model, ['tea milk'])).long, 1);
  t.same(model.read, ['tea milk']);
});

t.test('metrics and the log have each count that is not zero', (t) => {
  const counted: unknown[] = [];
  const count = countTotals((name) => ({ inc: (labels, value) => counted.push([name, labels, value]) }));
  const totals = allTotals({ embedding_cut: 3 });
  count(totals, { plugin: 'embed' });
  t.same(counted, [['embedding_cut', { plugin: 'embed' }, 3]]);
  const said: unknown[] = [];
  const log = { info: (details: object) => said.push(details), warn: () => said.push('a warning') };
  logTotals(log, totals, { job: 'a' });
  t.same(said, [{ job: 'a', texts: 3 }]);
  t.end();
});
