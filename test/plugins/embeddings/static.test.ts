import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import t from 'tap';
import type { EmbeddingModel, EmbeddingProvider } from '../../../core/contracts.ts';
import manifest from '../../../plugins/embeddings/static/manifest.ts';
import { OWN_MODELS } from '../../../plugins/embeddings/static/own-models.ts';
import {
  configOf,
  createProviderWithFolder,
  safetensors,
  TOKENIZER,
  tensor,
  WORDS,
} from './static-support/models.ts';

const { signal } = new AbortController();
const request = { purpose: 'similarity', signal } as const;

const TEXTS = [
  'red',
  'Red green blue',
  'red red red green, redish',
  'black purple white',
  '',
  'purple',
  'grey',
];

/** The ids that the tokenizer gives, without the unknown token. */
const IDS = [[1], [1, 2, 3], [1, 1, 1, 2, 1, 6], [4, 5], [], [], [7]];

const DIMENSIONS = 5;

/** Numbers that every type can hold exactly. */
const ROWS = WORDS.map((_, row) =>
  Array.from({ length: DIMENSIONS }, (_, column) => ((row * 7 + column * 3) % 11) - 5),
);
const WEIGHTS = WORDS.map((_, id) => (id + 2) / 8);
const MAPPING = WORDS.map((_, id) => (id * 3) % 4);

async function open(provider: EmbeddingProvider, name: string): Promise<EmbeddingModel> {
  const model = await provider.open(name, signal);
  if (model === undefined) throw new Error(`there is no ${name}`);
  return model;
}

interface Recipe {
  readonly normalize?: boolean;
  readonly damped?: boolean;
  readonly weights?: readonly number[];
  readonly mapping?: readonly number[];
}

/** The vectors of the texts by the definition, token after token, in double precision. */
function computePlainly({ normalize = false, damped = false, weights, mapping }: Recipe): number[][] {
  return IDS.map((ids) => {
    const sums = Array<number>(DIMENSIONS).fill(0);
    let total = 0;
    for (const id of ids) {
      const occurrences = ids.filter((other) => other === id).length;
      const share = damped ? (1 + Math.log(occurrences)) / occurrences : 1;
      total += share;
      const row = ROWS[mapping?.[id] ?? id] ?? [];
      row.forEach((value, column) => {
        (sums[column] as number) += share * value * (weights?.[id] ?? 1);
      });
    }
    const length = normalize ? Math.hypot(...sums) : total;
    return sums.map((sum) => (length === 0 ? 0 : sum / length));
  });
}

function isClose(actual: Float32Array, expected: readonly number[][]): boolean {
  return expected.flat().every((value, index) => Math.abs((actual[index] as number) - value) < 1e-6);
}

t.test('vectors are those of the definition, for all types of numbers and ways of pooling', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  const recipes: Recipe[] = [
    {},
    { normalize: true },
    { weights: WEIGHTS },
    { mapping: MAPPING, normalize: true },
    { weights: WEIGHTS, mapping: MAPPING },
    { weights: WEIGHTS, damped: true },
    { weights: WEIGHTS, mapping: MAPPING, damped: true, normalize: true },
  ];
  for (const dtype of ['I8', 'F16', 'BF16', 'F32', 'F64']) {
    for (const [index, recipe] of recipes.entries()) {
      const name = `made/${dtype}-${index}`;
      const { normalize = false, damped = false, weights, mapping } = recipe;
      const tokens = [WORDS.length];
      await add(name, {
        'config.json': configOf({ normalize, ...(damped ? { pooling: { repeats: 'log' } } : {}) }),
        'tokenizer.json': TOKENIZER,
        'model.safetensors': safetensors({
          ...(weights ? { weights: tensor(dtype === 'F64' ? 'F64' : 'F32', tokens, weights) } : {}),
          ...(mapping ? { mapping: tensor(index % 2 ? 'I64' : 'I32', tokens, mapping) } : {}),
          embeddings: tensor(dtype, [WORDS.length, DIMENSIONS], ROWS.flat()),
        }),
      });
      const model = await open(provider, name);
      const { dimensions, values } = await model.embed(TEXTS, request);
      t.equal(dimensions, DIMENSIONS);
      t.ok(isClose(values, computePlainly(recipe)), `${dtype} ${JSON.stringify(recipe)}`);
      t.equal(model.calibrate, undefined);
      await model.close?.();
    }
  }
});

t.test('only models that say so are static', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  await add('other', { 'config.json': '{"model_type":"bert"}', 'tokenizer.json': TOKENIZER });
  await add('broken', { 'config.json': '{', 'tokenizer.json': TOKENIZER });
  await add('plain', { 'tokenizer.json': TOKENIZER });
  for (const name of ['other', 'broken', 'plain', 'absent', '../static', 'https://example.org/x']) {
    t.equal(await provider.open(name, signal), undefined, name);
  }
});

t.test('a broken file is named, with what is wrong and without its path', async (t) => {
  const { provider, add, folder } = await createProviderWithFolder(t);
  const good = { embeddings: tensor('F32', [WORDS.length, DIMENSIONS], ROWS.flat()) };
  const short = { embeddings: tensor('F32', [WORDS.length, DIMENSIONS], [1, 2]) };
  const eight = (value: number) => Array<number>(WORDS.length).fill(value);
  const files: Readonly<Record<string, [Uint8Array, RegExp]>> = {
    empty: [new Uint8Array(0), /it is too short/],
    cut: [safetensors(good).subarray(0, 100), /its tensor embeddings is not whole|its header is not whole/],
    lost: [safetensors(good).subarray(0, -4), /its tensor embeddings is not whole/],
    text: [safetensors(good, () => 'not JSON'), /its header is not JSON/],
    list: [safetensors(good, () => 'null'), /its header is not JSON/],
    vague: [safetensors(good, () => '{"embeddings":null}'), /its tensor embeddings is not described/],
    backwards: [
      safetensors(good, (header) => header.replace(/\[0,160\]/, '[160,0]')),
      /its tensor embeddings is not whole/,
    ],
    none: [safetensors({ weights: tensor('F32', [1], [1]) }), /it has no tensor embeddings/],
    flat: [safetensors({ embeddings: tensor('F32', [2], [1, 2]) }), /is of shape 2/],
    typed: [safetensors(good, (header) => header.replace('F32', 'C64')), /is of type C64/],
    short: [safetensors(short), /does not have 40 numbers/],
    infinite: [
      safetensors({ embeddings: tensor('F32', [1, 2], [1, Infinity]) }),
      /embeddings has a number that is not finite/,
    ],
    weights: [
      safetensors({ ...good, weights: tensor('F32', [2], [1, 2]) }),
      /weights does not have 8 numbers/,
    ],
    mapping: [
      safetensors({ ...good, mapping: tensor('I64', [WORDS.length], eight(99)) }),
      /mapping names a row that is not there/,
    ],
    below: [
      safetensors({ ...good, mapping: tensor('I64', [WORDS.length], eight(-1)) }),
      /mapping names a row that is not there/,
    ],
  };
  for (const [name, [file, message]] of Object.entries(files)) {
    await add(name, { 'config.json': configOf({}), 'tokenizer.json': TOKENIZER, 'model.safetensors': file });
    const error = await open(provider, name).then(
      () => new Error('it opens'),
      (error: Error) => error,
    );
    t.match(error, { message, expose: true }, name);
    t.match(error.message, `"${name}"`);
    t.notMatch(error.message, folder);
  }
  await add('halves', { 'config.json': configOf({}), 'tokenizer.json': TOKENIZER });
  await t.rejects(open(provider, 'halves'), {
    message: 'the model "halves" has no model.safetensors',
    expose: true,
  });
  await add('dumb', { 'config.json': configOf({}), 'model.safetensors': safetensors(good) });
  await t.rejects(open(provider, 'dumb'), {
    message: 'the model "dumb" has no tokenizer.json',
    expose: true,
  });
});

t.test('the own models are the ones that their versions name, under own names and aliases', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  await add('mine/tiny', {
    'config.json': configOf({ hidden_dim: 2 }),
    'tokenizer.json': TOKENIZER,
    'model.safetensors': safetensors({ embeddings: tensor('F32', [1, 2], [1, 2]) }),
  });
  t.same(await provider.list(), [...OWN_MODELS, { name: 'mine/tiny', dimensions: 2 }]);
  for (const { name, aliases, version, dimensions } of OWN_MODELS) {
    const folder = new URL(`../../../plugins/embeddings/static/models/${name}/`, import.meta.url);
    const weights = await readFile(new URL('model.safetensors', folder));
    t.equal(createHash('sha256').update(weights).digest('hex').slice(0, 12), version, name);
    const byAlias = await open(provider, aliases[0] as string);
    t.equal(byAlias.name, name);
    const vectors = await byAlias.embed(['A sentence.', 'A sentence.'], request);
    t.equal(vectors.dimensions, dimensions);
    t.same(vectors, await (await open(provider, name)).embed(['A sentence.', 'A sentence.'], request));
    for (const known of [name, ...aliases]) t.ok((manifest.models as readonly string[]).includes(known));
  }
});

t.test('the calibration of the base model puts another topic below a half', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const base = await open(provider, 'chunksmith/static-en-256');
  t.ok(Math.abs((base.calibrate?.(0.17) ?? 0) - 0.5) < 1e-9);
  t.equal(base.calibrate?.(1), 1);
  t.ok((base.calibrate?.(0.2) ?? 0) > (base.calibrate?.(0.1) ?? 1));
  t.equal((await open(provider, 'chunksmith/retrieval-en-512')).calibrate, undefined);
});

t.test('a text of 5 MB has a vector, near that of its own parts', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const model = await open(provider, 'chunksmith/static-en-256');
  const sentence = 'The harbour was quiet, and the fishermen mended their nets in the shade. ';
  const { values, dimensions } = await model.embed([sentence.repeat(72_000), sentence], request);
  let cosine = 0;
  for (let index = 0; index < dimensions; index++) {
    cosine += (values[index] as number) * (values[dimensions + index] as number);
  }
  t.ok(cosine > 0.8, String(cosine));
});

t.test('stops when nobody waits any more, and says how far it is', async (t) => {
  const { provider } = await createProviderWithFolder(t);
  const model = await open(provider, 'chunksmith/static-en-256');
  const early = AbortSignal.abort(new Error('gone'));
  await t.rejects(model.embed(['a'], { ...request, signal: early }), { message: 'gone' });

  const controller = new AbortController();
  const done: number[] = [];
  const texts = Array<string>(200_000).fill('Some words that take a little time to read and to add up.');
  const embedding = model.embed(texts, {
    ...request,
    signal: controller.signal,
    progress(count) {
      done.push(count);
      controller.abort(new Error('gone'));
    },
  });
  await t.rejects(embedding, { message: 'gone' });
  t.equal(done.length, 1);
  t.ok((done[0] as number) > 0 && (done[0] as number) < texts.length);
});
