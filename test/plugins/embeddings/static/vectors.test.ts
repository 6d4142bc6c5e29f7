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
      const model = await openModel(provider, name);
      const { dimensions, values } = await model.embed(TEXTS, request);
      t.equal(dimensions, DIMENSIONS);
      t.ok(isClose(values, computePlainly(recipe)), `${dtype} ${JSON.stringify(recipe)}`);
      t.equal(model.calibrate, undefined);
      await model.close?.();
    }
  }
});
