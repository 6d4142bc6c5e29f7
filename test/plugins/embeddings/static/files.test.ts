import t from 'tap';
import type { SharedBuffers, SharedMemory } from '../../../../core/contracts/collaborators.ts';
import type { Purpose } from '../../../../core/contracts/embedding.ts';
import { never } from '../../../support/hosted-host.ts';
import {
  createProviderWithFolder,
  filesOf,
  openModel,
  safetensors,
  TOKENIZER,
  tensor,
  WORDS,
} from './support/models.ts';

const DIMENSIONS = 5;
const NUMBERS = Array.from({ length: WORDS.length * DIMENSIONS }, (_, index) => index);

t.test('only models that say so are static', async (t) => {
  const { provider, add } = await createProviderWithFolder(t);
  await add('other', { 'config.json': '{"model_type":"bert"}', 'tokenizer.json': TOKENIZER });
  await add('broken', { 'config.json': '{', 'tokenizer.json': TOKENIZER });
  await add('plain', { 'tokenizer.json': TOKENIZER });
  for (const name of ['other', 'broken', 'plain', 'absent', '../static', 'https://example.org/x'])
    t.equal(await provider.open(name, never), undefined, name);
});

const GOOD = { embeddings: tensor('F32', [WORDS.length, DIMENSIONS], NUMBERS) };
const eight = (value: number) => Array<number>(WORDS.length).fill(value);
const NOT_WHOLE = /its tensor embeddings is incomplete/;
const withHeader = (header: string) => safetensors(GOOD, () => header);
const withTensor = (name: string, ...given: Parameters<typeof tensor>) =>
  safetensors({ ...GOOD, [name]: tensor(...given) });
/** Broken files of weights, and what is said of each. */
const BROKEN: Readonly<Record<string, [Uint8Array, RegExp]>> = {
  empty: [new Uint8Array(0), /it is too short/],
  cut: [safetensors(GOOD).subarray(0, 100), /its tensor embeddings is incomplete|its header is incomplete/],
  lost: [safetensors(GOOD).subarray(0, -4), NOT_WHOLE],
  text: [withHeader('not JSON'), /its header is not JSON/],
  list: [withHeader('null'), /its header is not JSON/],
  vague: [withHeader('{"embeddings":null}'), /its tensor embeddings is not described/],
  backwards: [safetensors(GOOD, (header) => header.replace(/\[0,160\]/, '[160,0]')), NOT_WHOLE],
  none: [safetensors({ weights: tensor('F32', [1], [1]) }), /it has no tensor embeddings/],
  flat: [withTensor('embeddings', 'F32', [2], [1, 2]), /is of shape 2/],
  typed: [safetensors(GOOD, (header) => header.replace('F32', 'C64')), /is of type C64/],
  short: [withTensor('embeddings', 'F32', [WORDS.length, DIMENSIONS], [1, 2]), /does not have 40 numbers/],
  infinite: [
    withTensor('embeddings', 'F32', [1, 2], [1, Infinity]),
    /embeddings has a number that is not finite/,
  ],
  weights: [withTensor('weights', 'F32', [2], [1, 2]), /weights does not have 8 numbers/],
  mapping: [
    withTensor('mapping', 'I64', [WORDS.length], eight(99)),
    /mapping names a row that does not exist/,
  ],
  below: [withTensor('mapping', 'I64', [WORDS.length], eight(-1)), /mapping names a row that does not exist/],
};

t.test('a broken file is named, with what is wrong and without its path', async (t) => {
  const { provider, add, folder } = await createProviderWithFolder(t);
  for (const [name, [file, message]] of Object.entries(BROKEN)) {
    await add(name, filesOf(file));
    const error = await openModel(provider, name).catch((error: Error) => error);
    t.match(error, { message, expose: true }, name);
    const { message: said } = error as Error;
    t.ok(said.includes(`"${name}"`) && !said.includes(folder), said);
  }
  for (const missing of ['model.safetensors', 'tokenizer.json']) {
    const { [missing]: _, ...others } = filesOf(safetensors(GOOD)) as Record<string, string>;
    await add(`no-${missing}`, others);
    const message = `the model "no-${missing}" has no ${missing}`;
    await t.rejects(openModel(provider, `no-${missing}`), { message, expose: true });
  }
});

t.test('the purpose of a request chooses the prompt of a static model', async (t) => {
  const files = filesOf(safetensors(GOOD));
  const { provider, add } = await createProviderWithFolder(t);
  await add('plain', files);
  const prompts = JSON.stringify({ prompts: { query: 'black ', document: 'white ' } });
  await add('prompted', { ...files, 'config_sentence_transformers.json': prompts });
  await add('odd', { ...files, 'config_sentence_transformers.json': '{' });
  const vector = async (name: string, text: string, purpose: Purpose) =>
    (await (await openModel(provider, name)).embed([text], { purpose, signal: never })).values;
  for (const [name, purpose, text] of [
    ['prompted', 'query', 'black red'],
    ['prompted', 'document', 'white red'],
    ['prompted', 'similarity', 'red'],
    ['odd', 'query', 'red'],
  ] as const)
    t.same(await vector(name, 'red', purpose), await vector('plain', text, 'query'), `${name}: ${purpose}`);
});

t.test('a model that is open twice keeps its table until both are closed', async (t) => {
  const released: string[] = [];
  const tables = new Map<string, SharedMemory>();
  const shared: SharedBuffers = {
    async get(key, build) {
      const table = tables.get(key) ?? (await build());
      tables.set(key, table);
      return table as Awaited<ReturnType<typeof build>>;
    },
    release: (key) => released.push(key),
  };
  const { provider } = await createProviderWithFolder(t, shared);
  const one = await provider.open('chunksmith/static-en-256', never);
  const other = await provider.open('vendor/potion-base-8M', never);
  const red = tables.get('static/chunksmith/static-en-256');
  const vectorsOf = () => other?.embed(['red'], { purpose: 'similarity', signal: never });
  const before = await vectorsOf();
  if (red === undefined || red instanceof SharedArrayBuffer) return t.fail('no memory of WebAssembly');
  new Int8Array(red.buffer, 64).fill(1);
  t.notSame(await vectorsOf(), before, 'both read the table that all threads share');
  await one?.close?.();
  t.same(released, []);
  await other?.close?.();
  t.same(released, ['static/chunksmith/static-en-256']);
});

t.test('a table that cannot be read is given back, and read again when it is asked for again', async (t) => {
  const released: string[] = [];
  let builds = 0;
  const { provider, add } = await createProviderWithFolder(t, {
    get: async (key, build) => {
      if (key.startsWith('static/')) builds++;
      return build();
    },
    release: (key) => released.push(key),
  });
  await add('broken', filesOf(''));
  for (const times of [1, 2]) {
    await t.rejects(provider.open('broken', never), { message: /it is too short/ });
    t.equal(builds, times);
    t.same(released, Array(times).fill('static/broken'));
  }
});
