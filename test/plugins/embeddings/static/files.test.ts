import t from 'tap';
import {
  configOf,
  createProviderWithFolder,
  openModel,
  safetensors,
  TOKENIZER,
  tensor,
  WORDS,
} from './support/models.ts';

const { signal } = new AbortController();

const DIMENSIONS = 5;
const NUMBERS = Array.from({ length: WORDS.length * DIMENSIONS }, (_, index) => index);

t.test('only models that say so are static', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  await add('other', { 'config.json': '{"model_type":"bert"}', 'tokenizer.json': TOKENIZER });
  await add('broken', { 'config.json': '{', 'tokenizer.json': TOKENIZER });
  await add('plain', { 'tokenizer.json': TOKENIZER });
  for (const name of ['other', 'broken', 'plain', 'absent', '../static', 'https://example.org/x']) {
    t.equal(await provider.open(name, signal), undefined, name);
  }
});

const GOOD = { embeddings: tensor('F32', [WORDS.length, DIMENSIONS], NUMBERS) };
const SHORT = { embeddings: tensor('F32', [WORDS.length, DIMENSIONS], [1, 2]) };
const eight = (value: number) => Array<number>(WORDS.length).fill(value);
/** Broken files of weights, and what is said of each. */
const BROKEN: Readonly<Record<string, [Uint8Array, RegExp]>> = {
  empty: [new Uint8Array(0), /it is too short/],
  cut: [safetensors(GOOD).subarray(0, 100), /its tensor embeddings is not whole|its header is not whole/],
  lost: [safetensors(GOOD).subarray(0, -4), /its tensor embeddings is not whole/],
  text: [safetensors(GOOD, () => 'not JSON'), /its header is not JSON/],
  list: [safetensors(GOOD, () => 'null'), /its header is not JSON/],
  vague: [safetensors(GOOD, () => '{"embeddings":null}'), /its tensor embeddings is not described/],
  backwards: [
    safetensors(GOOD, (header) => header.replace(/\[0,160\]/, '[160,0]')),
    /its tensor embeddings is not whole/,
  ],
  none: [safetensors({ weights: tensor('F32', [1], [1]) }), /it has no tensor embeddings/],
  flat: [safetensors({ embeddings: tensor('F32', [2], [1, 2]) }), /is of shape 2/],
  typed: [safetensors(GOOD, (header) => header.replace('F32', 'C64')), /is of type C64/],
  short: [safetensors(SHORT), /does not have 40 numbers/],
  infinite: [
    safetensors({ embeddings: tensor('F32', [1, 2], [1, Infinity]) }),
    /embeddings has a number that is not finite/,
  ],
  weights: [safetensors({ ...GOOD, weights: tensor('F32', [2], [1, 2]) }), /weights does not have 8 numbers/],
  mapping: [
    safetensors({ ...GOOD, mapping: tensor('I64', [WORDS.length], eight(99)) }),
    /mapping names a row that is not there/,
  ],
  below: [
    safetensors({ ...GOOD, mapping: tensor('I64', [WORDS.length], eight(-1)) }),
    /mapping names a row that is not there/,
  ],
};

t.test('a broken file is named, with what is wrong and without its path', async (t) => {
  const { provider, add, folder } = await createProviderWithFolder(t);
  for (const [name, [file, message]] of Object.entries(BROKEN)) {
    await add(name, { 'config.json': configOf({}), 'tokenizer.json': TOKENIZER, 'model.safetensors': file });
    const error = await openModel(provider, name).then(
      () => new Error('it opens'),
      (error: Error) => error,
    );
    t.match(error, { message, expose: true }, name);
    t.match(error.message, `"${name}"`);
    t.notMatch(error.message, folder);
  }
  await add('halves', { 'config.json': configOf({}), 'tokenizer.json': TOKENIZER });
  await t.rejects(openModel(provider, 'halves'), {
    message: 'the model "halves" has no model.safetensors',
    expose: true,
  });
  await add('dumb', { 'config.json': configOf({}), 'model.safetensors': safetensors(GOOD) });
  await t.rejects(openModel(provider, 'dumb'), {
    message: 'the model "dumb" has no tokenizer.json',
    expose: true,
  });
});
