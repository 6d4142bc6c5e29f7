import { Ajv } from 'ajv';
import t from 'tap';
import type { ObjectSchema } from '../../../core/contracts/manifest.ts';
import { codeOf } from '../../soak/texts.ts';
import { outside, type Schema, textsOf } from '../../support/openapi.ts';
import { checkProblem, faultsOf } from '../../support/problems.ts';
import { openService } from '../../support/service.ts';
import { longDocument, TEXTS } from './documents.ts';

/** What requests for chunks may say, for every chunker that is found. Its contract has a suite of its own. */

const inline = await openService(t);
const found = inline.registry.ofKind('chunker').map(async ({ manifest }) => {
  const { name } = manifest;
  const path = `/v1/chunk/${name}`;
  const { documents: _, ...properties } = (inline.requestSchemas.chunk(manifest, 'text') as ObjectSchema)
    .properties;
  const has = (parameter: string) => parameter in properties;
  const parameters = Object.entries(properties as Readonly<Record<string, Schema>>);
  return { name, path, parameters, has, takes: await textsOf(inline, path) };
});
const chunkers = await Promise.all(found);
const ajv = new Ajv({ strict: false });

t.test('there are chunkers to test', async (t) => {
  t.ok(chunkers.some(({ name }) => name === 'token'));
});

for (const { name, path, takes, has, parameters } of chunkers) {
  const small = has('chunk_size') ? { chunk_size: 20 } : {};

  /** What is wrong with the answers to values of a parameter that are to be refused. */
  async function faultsWith(parameter: string, values: readonly unknown[], refusal: RegExp): Promise<string> {
    const answers = values.map((value) => inline.post(path, { text: 'a', [parameter]: value }));
    return (await Promise.all(answers)).map((answer) => faultsOf(answer, 400, refusal)).join('');
  }

  t.test(`${name}: a batch is a list of lists, each as the text alone gives it`, async (t) => {
    const text = [...Object.values(TEXTS), '', ' \n\t', 'short'].map(takes);
    const batch = await inline.post(path, { text, ...small });
    const alone = text.map(async (one) => (await inline.post(path, { text: one, ...small })).bytes);
    t.equal(batch.bytes.toString(), `[${(await Promise.all(alone)).join()}]`);
    const documents = text.map((text) => ({ text }));
    const { bytes } = await inline.post(path, { documents, ...small, include: [] });
    t.ok(bytes.equals(batch.bytes), 'and so are documents');
    t.same(await inline.chunkAll(name, { text: [] }), []);
  });

  t.test(`${name}: values of wrong types, or out of range, are refused by name`, async (t) => {
    const values = [null, true, 5.5, 5, '5', [], {}, [5], [null], [['nested']], 1e308];
    let count = 0;
    for (const [parameter, schema] of parameters) {
      const refusal = new RegExp(`^${parameter}[^;]*: expected [^;]+, got [^;]+\\.$`);
      const wrong = values.filter((candidate) => !ajv.validate(schema, candidate));
      t.equal(await faultsWith(parameter, wrong, refusal), '', parameter);
      const beyond = outside(schema);
      t.equal(await faultsWith(parameter, beyond, new RegExp(`^${parameter}: expected`)), '', parameter);
      count += beyond.length;
    }
    t.ok(count >= 3, 'there are bounds');
  });

  t.test(`${name}: the smallest and the largest allowed values work`, async (t) => {
    for (const [parameter, { minimum, maximum, enum: choices, minLength }] of parameters) {
      const values = [minimum, maximum, ...(choices ?? [])].filter((value) => value !== undefined);
      if (parameter === 'text' || minLength !== undefined) continue;
      for (const value of values) {
        const answer = await inline.post(path, { text: takes(TEXTS.plain as string), [parameter]: value });
        t.equal(answer.status, 200, `${parameter} ${value}: ${answer.bytes.subarray(0, 200)}`);
      }
    }
  });

  t.test(`${name}: a text comes back whole, a large one too`, async (t) => {
    // Code where a grammar reads it, and less where a text is parsed or embedded, which takes far longer.
    const long = () => takes(longDocument(has('embedding_model') ? 100_000 : 1_000_000));
    const text = has('language') ? codeOf(100_000, 1) : long();
    const larger = has('chunk_size') ? { chunk_size: 500 } : {};
    for (const one of [...Object.values(TEXTS).map(takes), text]) {
      const chunks = await inline.chunk(name, { text: one, ...(one === text ? larger : small) });
      t.ok(chunks.map((chunk) => chunk.text).join('') === one, one.slice(0, 50));
    }
  });
}

t.test('an overlap as large as the chunk is refused', async (t) => {
  for (const name of chunkers.filter(({ has }) => has('chunk_overlap')).map(({ name }) => name)) {
    const given = await inline.post(`/v1/chunk/${name}`, { text: 'a', chunk_size: 10, chunk_overlap: 10 });
    checkProblem(t, given, 400, /^chunk_overlap: expected less than chunk_size \(10\), got 10\.$/);
    const byDefault = await inline.post(`/v1/chunk/${name}`, { text: 'a', chunk_overlap: 512 });
    checkProblem(t, byDefault, 400, /^chunk_overlap: expected less than chunk_size \(512\), got 512\.$/);
  }
});

t.test('a huge body of mistakes has a short answer', async (t) => {
  const names = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]),
  );
  const answer = await inline.post('/v1/chunk/token', { text: 'a', ...names });
  checkProblem(t, answer, 400, /and \d+ more problems\.$/);
  t.ok(answer.bytes.length < 10_000, `${answer.bytes.length} bytes`);
});

t.test('sentences of errors, whole', async (t) => {
  const TYPE = 'chunk_size: expected an integer of at least 1, got';
  for (const [body, detail] of [
    [{}, 'text: missing, expected a string or a list in which each item is a string.'],
    [{ text: 'a', chunk_size: 0 }, `${TYPE} 0.`],
    [
      { text: 'a', chunk_sise: 1, chunk_size: 'x?' },
      `chunk_sise: unknown parameter, did you mean "chunk_size"?; ${TYPE} "x?".`,
    ],
  ] as const) {
    t.same((await inline.post('/v1/chunk/token', body)).json(), { detail });
  }
  const far = await inline.post('/v1/chunk/token', { text: 'a', qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq: 1 });
  checkProblem(t, far, 400, /unknown parameter, valid names: text, /);
  const several = await inline.post('/v1/chunk/token', { text: 'a', qq1: 1, qq2: 1, qq3: 1 });
  t.match(several.json(), {
    detail: /^qq1: unknown parameter, valid names: [^;]+; qq2: unknown parameter; qq3: unknown parameter\.$/,
  });
});
