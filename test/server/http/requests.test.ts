import t, { type Test } from 'tap';
import { OFFSET_UNITS } from '../../../core/contracts/chunk.ts';
import { codeOf } from '../../soak/texts.ts';
import { longDocument, sliceIn, TEXTS } from '../../support/documents.ts';
import { needs } from '../../support/here.ts';
import { type BodyRoute, hasType, outside, postRoutes } from '../../support/openapi.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Client, startServer } from '../../support/server.ts';

const MOST_BYTES = 20_000_000;
const inline = await startServer(t, { maxBodyBytes: MOST_BYTES });
const workers = await startServer(t, { workers: 2, inlineBytes: 1000, maxBodyBytes: MOST_BYTES });
const routes = await postRoutes(inline, '/v1/chunk/');

const nameOf = (route: BodyRoute) => route.path.slice('/v1/chunk/'.length);
const has = (route: BodyRoute, parameter: string) => route.schema.properties?.[parameter] !== undefined;
const small = (route: BodyRoute) => (has(route, 'chunk_size') ? { chunk_size: 20 } : {});
/** Code where a grammar reads it, and less where a text is parsed or embedded, which takes far longer. */
const largeTextFor = (route: BodyRoute) => {
  if (has(route, 'language')) return codeOf(500_000, 1);
  return route.takes(longDocument(has(route, 'embedding_model') ? 500_000 : 5_000_000));
};
/** The fields of chunks that the answer of a route is documented to have. */
const fieldsOf = ({ operation }: BodyRoute): string[] => {
  const { anyOf = [] } = operation.responses['200']?.content?.['application/json'].schema ?? {};
  return Object.keys(anyOf[0]?.items?.properties ?? {});
};
const isAlive = async (t: Test, client: Client) => t.equal((await client.get('/health')).status, 200);

t.test('there are chunkers to test', async (t) => {
  t.ok(routes.some((route) => nameOf(route) === 'token'));
});

for (const route of routes) {
  const name = nameOf(route);
  const { takes } = route;

  t.test(`${name}: offsets cut the text in each unit, and nothing is lost`, async (t) => {
    for (const [title, any] of Object.entries(TEXTS)) {
      const text = takes(any);
      for (const offset_unit of OFFSET_UNITS) {
        const chunks = await inline.chunk(name, { text, offset_unit, ...small(route) });
        t.equal(chunks.map((chunk) => chunk.text).join(''), text, `${title}: joined`);
        if (offset_unit === 'byte' && !text.isWellFormed()) continue;
        const cut = chunks.map((chunk) => sliceIn(offset_unit, text, chunk.start_index, chunk.end_index));
        t.same(
          cut,
          chunks.map((chunk) => chunk.text),
          `${title}: ${offset_unit}`,
        );
      }
    }
  });

  t.test(`${name}: code points are the default unit`, async (t) => {
    const request = { text: takes(TEXTS.emoji as string), ...small(route) };
    const plain = await inline.post(route.path, request);
    const points = await inline.post(route.path, { ...request, offset_unit: 'code_point' });
    const units = await inline.post(route.path, { ...request, offset_unit: 'utf16' });
    t.ok(plain.bytes.equals(points.bytes));
    t.notOk(plain.bytes.equals(units.bytes));
  });

  t.test(`${name}: a batch is a list of lists, each as the text alone gives it`, async (t) => {
    const text = [...Object.values(TEXTS), '', ' \n\t', 'short'].map(takes);
    const batch = await inline.chunkAll(name, { text, ...small(route) });
    t.equal(batch.length, text.length);
    for (const [index, one] of text.entries()) {
      t.same(batch[index], await inline.chunk(name, { text: one, ...small(route) }));
    }
    t.same(await inline.chunkAll(name, { text: [] }), []);
    t.same(await inline.chunkAll(name, { text: [''] }), [[]]);
  });

  t.test(`${name}: empty text and white space give no chunks`, async (t) => {
    for (const text of ['', ' ', '\r\n\t ', '\u3000\u2003\u00a0'])
      t.same(await inline.chunk(name, { text }), []);
    t.equal((await inline.chunk(name, { text: takes(' a ') }))[0]?.text, takes(' a '));
  });

  t.test(`${name}: a chunk has the four fields, and no other that is not documented`, async (t) => {
    const chunks = await inline.chunk(name, { text: takes(TEXTS.plain as string), ...small(route) });
    t.ok(chunks.length > 1);
    for (const chunk of chunks) {
      const [text, start, end, count, ...more] = Object.keys(chunk);
      t.same([text, start, end, count], ['text', 'start_index', 'end_index', 'token_count']);
      t.same(
        more.filter((field) => !fieldsOf(route).includes(field)),
        [],
      );
      t.ok(chunk.token_count > 0);
    }
  });

  t.test(`${name}: every wrong type is refused by the name of the parameter`, async (t) => {
    const values = [null, true, 5.5, 5, '5', [], {}, [5], [null], [['nested']], 1e308];
    for (const [parameter, schema] of route.parameters) {
      for (const value of values.filter((candidate) => !hasType(schema, candidate))) {
        const answer = await inline.post(route.path, { text: 'a', [parameter]: value });
        checkProblem(t, answer, 400, new RegExp(`^${parameter}[^;]*: expected [^;]+, got [^;]+\\.$`));
      }
    }
    await isAlive(t, inline);
  });

  t.test(`${name}: every value out of range is refused by the name of the parameter`, async (t) => {
    let count = 0;
    for (const [parameter, schema] of route.parameters) {
      for (const value of outside(schema)) {
        const answer = await inline.post(route.path, { text: 'a', [parameter]: value });
        checkProblem(t, answer, 400, new RegExp(`^${parameter}: expected`));
        count++;
      }
    }
    t.ok(count >= 3, `${count} bounds`);
  });

  t.test(`${name}: the smallest and the largest allowed values work`, async (t) => {
    for (const [parameter, { minimum, maximum, enum: choices, minLength }] of route.parameters) {
      const values = [minimum, maximum, ...(choices ?? [])].filter((value) => value !== undefined);
      if (parameter === 'text' || minLength !== undefined) continue;
      for (const value of values) {
        const answer = await inline.post(route.path, {
          text: takes(TEXTS.plain as string),
          [parameter]: value,
        });
        t.equal(answer.status, 200, `${parameter} ${value}: ${answer.bytes.subarray(0, 200)}`);
      }
    }
  });

  t.test(`${name}: an unknown parameter is refused, and the nearest is named`, async (t) => {
    for (const [parameter] of route.parameters) {
      if (parameter.length < 5) continue;
      const mistyped = parameter.slice(0, -2) + parameter.slice(-1);
      const answer = await inline.post(route.path, { text: 'a', [mistyped]: 1 });
      checkProblem(t, answer, 400, new RegExp(`${mistyped}: unknown parameter, did you mean "${parameter}"`));
    }
    const far = await inline.post(route.path, { text: 'a', qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq: 1 });
    checkProblem(t, far, 400, /unknown parameter, known are text, /);
  });

  t.test(`${name}: a large text comes back whole, the same from a worker as inline`, async (t) => {
    const text = largeTextFor(route);
    const request = JSON.stringify({ text, ...(has(route, 'chunk_size') ? { chunk_size: 500 } : {}) });
    const [here, there] = await Promise.all(
      [inline, workers].map((client) => client.post(route.path, request)),
    );
    t.equal(here?.status, 200);
    t.ok(there !== undefined && here?.bytes.equals(there.bytes));
    const chunks = here?.json<{ text: string }[]>() ?? [];
    t.ok(chunks.map((chunk) => chunk.text).join('') === text);
  });

  t.test(`${name}: the same request has the same answer, here and in a worker`, async (t) => {
    const large = { padding: 'x'.repeat(2000) };
    const requests: object[] = [
      ...Object.values(TEXTS).map((text) => ({ text: text.repeat(30), ...small(route) })),
      { text: [TEXTS.cjk, TEXTS.escapes, TEXTS.emoji?.repeat(50)], ...small(route), offset_unit: 'byte' },
      { text: 'a'.repeat(2000), tokenizer: 'no/such-tokenizer' },
      { text: 5, ...large },
      large,
    ];
    for (const request of requests) {
      const body = JSON.stringify(request);
      t.ok(body.length > 1000, 'large enough for a worker');
      const first = await inline.post(route.path, body);
      for (const client of [inline, workers]) {
        const again = await client.post(route.path, body);
        t.equal(again.status, first.status);
        t.ok(again.bytes.equals(first.bytes), 'the same bytes');
      }
    }
  });
}

t.test('every tokenizer of the interface counts', needs('tokenizer/tiktoken'), async (t) => {
  const text = TEXTS.plain as string;
  const [character] = await inline.chunk('token', { text });
  t.equal(character?.token_count, text.length);
  for (const tokenizer of ['gpt2', 'cl100k_base']) {
    const [chunk] = await inline.chunk('token', { text, tokenizer });
    t.ok((chunk?.token_count as number) < text.length / 2, tokenizer);
  }
});

t.test('an unknown tokenizer is 400 and the known ones are listed', async (t) => {
  for (const tokenizer of ['no-such', '../../package', '/etc/passwd', 'http://127.0.0.1/x', 'a/b/c', '..']) {
    const answer = await inline.post('/v1/chunk/token', { text: 'a', tokenizer });
    checkProblem(t, answer, 400, [/^tokenizer: /, /known are .*character/]);
  }
});

t.test('an unknown recipe is 400 and the known ones are listed', needs('chunker/recursive'), async (t) => {
  for (const recipe of ['no-such', '../manifest', 'default.json', '__proto__', 'constructor']) {
    const answer = await inline.post('/v1/chunk/recursive', { text: 'a', recipe });
    checkProblem(t, answer, 400, [/^recipe: /, /default.*js.*markdown.*python/]);
  }
});

t.test('an unknown language falls back to the default delimiters', needs('chunker/recursive'), async (t) => {
  for (const lang of ['tlh', '__proto__', 'constructor', 'default', 'x y']) {
    const request = { text: TEXTS.plain as string, chunk_size: 25 };
    t.same(
      await inline.chunk('recursive', { ...request, lang }),
      await inline.chunk('recursive', request),
      lang,
    );
  }
});

t.test('an overlap as large as the chunk is refused', async (t) => {
  for (const name of routes.filter((route) => has(route, 'chunk_overlap')).map(nameOf)) {
    const given = await inline.post(`/v1/chunk/${name}`, { text: 'a', chunk_size: 10, chunk_overlap: 10 });
    checkProblem(t, given, 400, /^chunk_overlap: expected less than chunk_size \(10\), got 10\.$/);
    const byDefault = await inline.post(`/v1/chunk/${name}`, { text: 'a', chunk_overlap: 512 });
    checkProblem(t, byDefault, 400, /^chunk_overlap: expected less than chunk_size \(512\), got 512\.$/);
  }
});

t.test('all problems of a body are reported at once', async (t) => {
  const answer = await inline.post('/v1/chunk/token', {
    chunk_sise: 3,
    chunk_size: 0,
    chunk_overlap: -1,
    offset_unit: 'both',
    tokenizer: 5,
  });
  const problems = [
    /text: missing/,
    /chunk_sise: unknown/,
    /chunk_size: /,
    /chunk_overlap: /,
    /offset_unit: /,
    /tokenizer: /,
  ];
  checkProblem(t, answer, 400, problems);
});

t.test('a long list of texts with one wrong item names the item', async (t) => {
  const text: unknown[] = Array.from({ length: 5000 }, () => 'a');
  text[4321] = 5;
  checkProblem(
    t,
    await inline.post('/v1/chunk/token', { text }),
    400,
    /^text\[4321\]: expected a string, got 5\.$/,
  );
});

t.test('a huge body of mistakes has a short answer', async (t) => {
  const names = Object.fromEntries(
    Array.from({ length: 2000 }, (_, index) => [`${index}${'x'.repeat(200)}`, 1]),
  );
  const answer = await inline.post('/v1/chunk/token', { text: 'a', ...names });
  checkProblem(t, answer, 400, /and \d+ more problems\.$/);
  t.ok(answer.bytes.length < 10_000, `${answer.bytes.length} bytes`);
});
