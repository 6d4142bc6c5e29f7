import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { longDocument, sliceIn, TEXTS } from '../../support/documents.ts';
import { type BodyRoute, postRoutes } from '../../support/openapi.ts';
import { ALL_FIELDS, plainHash, plainIds, plainLine, plainPage } from '../../support/plain-fields.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, type Client, startServer } from '../../support/server.ts';

/** Documents in place of texts, on the route of every chunker that is found; those of test/fixtures were dropped in. */

const told = chunker(
  'told',
  `const { id, title, metadata } = context.document;
  return [{ start: 0, end: text.length, extra: { told: { id, title, metadata } } }];`,
);
const pluginsDir = [join(import.meta.dirname, '../../fixtures/plugins'), await pluginsFolder(t, told)];
const inline = await startServer(t, { pluginsDir });
const workers = await startServer(t, { pluginsDir, workers: 1, inlineBytes: 1000 });
const routes = await postRoutes(inline, '/v1/chunk/');
const nameOf = ({ path }: BodyRoute) => path.slice('/v1/chunk/'.length);
const small = ({ schema }: BodyRoute) =>
  schema.properties?.chunk_size === undefined ? {} : { chunk_size: 20 };

/** Metadata that change if they are parsed and written again. */
const METADATA = {
  numbers: '{"n":[1e400,-1E400,-0,1152921504606846976,1.10,1E+2,0.1e-400,12345678901234567890.5]}',
  'white space': '{ "a" :\n\t[ 1 ,2 ]\r\n, "b":{ } }',
  escapes: '{"\\u0061\\/":"\\u00e9\\ud83d\\ude00\\ud800 \\\\\\"}],{"}',
  nested: `{"a":{"b":[{"c":[[]]},{}]},"deep":${'['.repeat(2000)}${']'.repeat(2000)}}`,
  'repeated names': '{"a":1,"a":2,"__proto__":{"x":1},"constructor":null}',
  unicode: '{"名前":"東京 😀 é","\u2028":"\u007f"}',
  empty: '{}',
};

type Fields = Chunk & Record<string, unknown>;

async function chunks(client: Client, path: string, body: unknown): Promise<Fields[][]> {
  const answer = await client.post(path, body);
  if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.bytes}`);
  return answer.json<Fields[][]>();
}

const coreOf = ({ text, start_index, end_index, token_count }: Chunk) => ({
  text,
  start_index,
  end_index,
  token_count,
});

t.test('plugins that were dropped in are among the routes', async (t) => {
  for (const name of ['token', 'paragraph', 'lines', 'told']) t.ok(routes.map(nameOf).includes(name), name);
});

for (const route of routes) {
  const { path } = route;
  const name = nameOf(route);
  const { takes } = route;
  const answered = async (t: Test, body: string): Promise<Answer> => {
    const [here, there] = [await inline.post(path, body), await workers.post(path, body)];
    t.equal(here.status, 200, `status ${here.status}`);
    t.ok(here.bytes.equals(there.bytes), 'the same from a worker as inline');
    return here;
  };

  t.test(`${name}: a text is answered as without fields that could be asked for`, async (t) => {
    const text = takes(TEXTS.emoji as string);
    const given = { text, ...small(route) };
    const plain = await inline.post(path, given);
    const nothing = await inline.post(path, { ...given, include: [], namespace: 'n' });
    t.equal(plain.status, 200);
    t.ok(plain.bytes.equals(nothing.bytes));
    const batch = await inline.post(path, {
      documents: [{ text }],
      ...small(route),
      include: [],
    });
    t.equal(batch.bytes.toString(), `[${plain.bytes}]`, 'and so is a document');
  });

  for (const [size, times] of [
    ['small', 1],
    ['large', 12],
  ] as const) {
    t.test(`${name}: ${size} documents, with all fields`, async (t) => {
      const texts = [TEXTS.plain, `${TEXTS.lines}\r\n${TEXTS.accents}\r`, '', ' \n', TEXTS.loneSurrogates];
      const documents = texts.map((any = '', index) => {
        const id = index === 3 ? {} : { id: `document ${index}` };
        const text = takes(any.repeat(times));
        return { ...id, title: 'T', text, pages: [0, 0, Math.min(any.length, text.length) >> 1] };
      });
      const given = { ...small(route), offset_unit: 'utf16' };
      const body = JSON.stringify({ documents, ...given, namespace: 'n', include: ALL_FIELDS });
      const lists = (await answered(t, body)).json<Fields[][]>();
      const plain = await chunks(inline, path, { text: documents.map(({ text }) => text), ...given });
      t.equal(lists.length, documents.length);
      t.same(
        lists.map((list) => list.map(coreOf)),
        plain.map((list) => list.map(coreOf)),
        'the same chunks',
      );
      for (const [at, { id, text, pages }] of documents.entries()) {
        const list = lists[at] ?? [];
        const hashes = list.map((chunk) => plainHash({ text: chunk.text }));
        const ids = id === undefined ? [] : plainIds('n', id, hashes);
        const expected = list.map(({ text: own, start_index, end_index }, index) => ({
          text: sliceIn('utf16', text, start_index, end_index),
          id: id === undefined ? list[index]?.id : ids[index],
          document_id: id ?? null,
          index,
          hash: plainHash({ text: own }),
          metadata: null,
          first_line: plainLine(text, start_index),
          last_line: plainLine(text, end_index - 1),
          first_page: plainPage(pages, start_index),
          last_page: plainPage(pages, end_index - 1),
          previous_id: list[index - 1]?.id ?? null,
          next_id: list[index + 1]?.id ?? null,
        }));
        t.match(list, expected);
        t.equal(new Set(list.map(({ id }) => id)).size, list.length);
      }
    });
  }

  t.test(`${name}: metadata come back byte for byte`, async (t) => {
    const written = Object.values(METADATA).map(
      (metadata, index) =>
        `{"m\\u0065tadata":5,"text":${JSON.stringify(takes('One. Two. '))},"m\\u0065tadata": ${metadata} ,"id":"${index}"}`,
    );
    const rest = JSON.stringify({ ...small(route), include: ['document_id', 'metadata'] }).slice(1);
    const answer = await answered(t, `{ "documents" : [${written.join(' , ')}],${rest}`);
    const count = answer.json<Fields[][]>()[0]?.length ?? 0;
    for (const [index, [title, metadata]] of Object.entries(METADATA).entries()) {
      const parts = answer.bytes.toString().split(`"document_id":"${index}","metadata":${metadata}}`);
      t.equal(parts.length - 1, count, title);
    }
  });
}

t.test('of documents the default is id, document_id, index and metadata', async (t) => {
  const [list] = await chunks(inline, '/v1/chunk/token', {
    documents: [{ id: 'a', text: 'abc', metadata: {} }],
  });
  const fields = [
    'id',
    'text',
    'start_index',
    'end_index',
    'token_count',
    'document_id',
    'index',
    'metadata',
  ];
  t.same(
    list?.map((chunk) => Object.keys(chunk)),
    [fields],
  );
});

t.test('each field is there if it is asked for, and no other', async (t) => {
  const more = {
    lines: ['first_line', 'last_line'],
    pages: ['first_page', 'last_page'],
    neighbours: ['previous_id', 'next_id'],
  } as Record<string, string[]>;
  for (const source of [{ text: 'abc' }, { documents: [{ text: 'abc' }] }]) {
    for (const name of ALL_FIELDS) {
      const answer = await inline.post('/v1/chunk/token', { ...source, include: [name] });
      const [chunk] = answer.json<Fields[]>().flat();
      const added = Object.keys(chunk as Fields).filter((field) => !(field in coreOf(chunk as Fields)));
      t.same(added, more[name] ?? [name]);
    }
  }
});

t.test('of a text alone nothing is known of document, metadata and pages', async (t) => {
  const [chunk] = await inline.chunk('token', { text: 'a\nb', include: ALL_FIELDS });
  const nothing = { document_id: null, metadata: null, first_page: null, last_page: null, next_id: null };
  t.match(chunk, { ...nothing, first_line: 1, last_line: 2 });
});

t.test('the server has a namespace for requests that give none', async (t) => {
  const own = await startServer(t, { idNamespace: 'kb' });
  const documents = [{ id: 'a', text: 'abc' }];
  const [given, byOption, none] = await Promise.all([
    chunks(inline, '/v1/chunk/token', { documents, namespace: 'kb' }),
    chunks(own, '/v1/chunk/token', { documents }),
    chunks(inline, '/v1/chunk/token', { documents }),
  ]);
  t.same(byOption, given);
  t.notSame(none, given);
});

t.test('a chunker is told of the document', async (t) => {
  const about = { id: 'a', title: 'On tea', metadata: { by: ['me'] } };
  const documents = [{ text: 'abc', ...about }, { text: 'abc' }];
  for (const client of [inline, workers]) {
    for (const more of ['', longDocument(2000)]) {
      const given = documents.map((one) => ({ ...one, text: one.text + more }));
      const lists = await chunks(client, '/v1/chunk/told', { documents: given });
      t.same(
        lists.map(([chunk]) => chunk?.told),
        [about, {}],
      );
    }
  }
});

t.test('ids of documents have 1 to 512 characters', async (t) => {
  for (const id of ['x', 'é', '😀'.repeat(512), ' ', '\u0000']) {
    const [list] = await chunks(inline, '/v1/chunk/token', { documents: [{ id, text: 'a' }] });
    t.equal(list?.[0]?.document_id, id);
  }
  for (const id of ['', 'x'.repeat(513), '😀'.repeat(513), 5, null]) {
    const answer = await inline.post('/v1/chunk/token', { documents: [{ id, text: 'a' }] });
    checkProblem(t, answer, 400, /^documents\[0\]\.id: expected a string of 1 to 512 characters, got /);
  }
});

t.test('metadata have a limit in bytes', async (t) => {
  const client = await startServer(t, { maxMetadataBytes: 20 });
  const post = (metadata: string) =>
    client.post('/v1/chunk/token', `{"documents":[{"text":"a"},{"text":"a","metadata":${metadata}}]}`);
  t.equal((await post('{"a":"0123456789é"}')).status, 200, '20 bytes');
  const over =
    /^documents\[1\]\.metadata: 21 bytes, over the limit of 20; send fewer, or raise --max-metadata-bytes\.$/;
  checkProblem(t, await post('{"a": "0123456789é"}'), 400, over);
});

const PAGES: [title: string, text: string, unit: string, pages: unknown, problem: RegExp][] = [
  [
    'that fall',
    'abcdef',
    'utf16',
    [0, 3, 2],
    /^documents\[0\]\.pages\[2\]: expected at least the 3 before it, got 2\.$/,
  ],
  ['that begin late', 'abc', 'byte', [1, 2], /pages\[0\]: expected 0, where the first page begins, got 1/],
  ['beyond the text', 'a😀', 'code_point', [0, 3], /pages\[1\]: expected the offset of a character .* got 3/],
  ['beyond the text', 'a😀', 'utf16', [0, 4], /pages\[1\]: .* in units of utf16, got 4/],
  ['beyond the text', 'a😀', 'byte', [0, 6], /pages\[1\]: .* in units of byte, got 6/],
  [
    'inside a code point',
    'a😀b',
    'utf16',
    [0, 2],
    /pages\[1\]: .* got 2, which is beyond the text or inside one/,
  ],
  ['inside a code point', 'aéb', 'byte', [0, 1, 2], /pages\[2\]: .* got 2/],
  ['inside a code point', '😀', 'byte', [0, 3], /pages\[1\]: .* got 3/],
  ['below 0', 'abc', 'utf16', [0, -1], /pages\[1\]: expected an integer of at least 0, got -1/],
  ['that are no integers', 'abc', 'utf16', [0, 1.5], /pages\[1\]: expected an integer/],
  ['that are no list', 'abc', 'utf16', 5, /pages: expected a list/],
];

for (const [title, text, offset_unit, pages, problem] of PAGES) {
  t.test(`pages ${title} are refused (${offset_unit})`, async (t) => {
    const request = { documents: [{ text, pages }], offset_unit };
    checkProblem(t, await inline.post('/v1/chunk/token', request), 400, problem);
  });
}

t.test('pages may be empty, and end with the text', async (t) => {
  const ask = (pages: number[], text = 'a😀b', offset_unit = 'code_point') =>
    chunks(inline, '/v1/chunk/token', {
      documents: [{ text, pages }],
      chunk_size: 1,
      offset_unit,
      include: ['pages'],
    });
  const pagesOf = ([list]: Fields[][]) => list?.map(({ first_page, last_page }) => [first_page, last_page]);
  t.same(pagesOf(await ask([0, 1, 1, 2])), [
    [1, 1],
    [3, 3],
    [4, 4],
  ]);
  t.same(
    pagesOf(await ask([0, 0, 3, 3])),
    [
      [2, 2],
      [2, 2],
      [2, 2],
    ],
    'an empty page first, and two behind the text',
  );
  t.same(pagesOf(await ask([0, 1, 5], 'a😀b', 'byte')), [
    [1, 1],
    [2, 2],
    [3, 3],
  ]);
  t.same(
    pagesOf(await ask([])),
    [
      [null, null],
      [null, null],
      [null, null],
    ],
    'no pages are none known',
  );
  t.same(await ask([0, 0], ''), [[]]);
});

const of = (...documents: unknown[]) => ({ documents });
const MISTAKES: [title: string, body: object | string, problem: RegExp][] = [
  ['neither of them', {}, /^text: missing, expected /],
  [
    'text and documents',
    { text: 'a', documents: [] },
    /documents: cannot be given together with text; leave one/,
  ],
  ['null for text beside documents', { text: null, documents: [{ text: 'a' }] }, /together with text/],
  ['documents that are no list', { documents: { text: 'a' } }, /^documents: expected a list/],
  ['a document that is none', of({ text: 'a' }, 'b'), /^documents\[1\]: expected an object, got "b"\.$/],
  ['a document without text', of({ id: 'a' }), /^documents\[0\]\.text: missing, expected a string/],
  [
    'a list of texts in a document',
    of({ text: ['a'] }),
    /^documents\[0\]\.text: expected a string, got a list/,
  ],
  [
    'two of one id',
    of({ id: 'a', text: '' }, { text: '' }, { id: 'a', text: 'b' }),
    /^documents\[2\]\.id: documents\[0\] has it too/,
  ],
  [
    'two of one id, spelt in two ways',
    '{"documents":[{"id":"a","text":""},{"id":"\\u0061","text":""}]}',
    /^documents\[1\]\.id/,
  ],
  [
    'a mistyped member',
    of({ text: 'a', metdata: {} }),
    /^documents\[0\]\.metdata: unknown parameter, did you mean "metadata"\?/,
  ],
  [
    'a member of nothing known',
    of({ text: 'a', qqqqqqqqqqqqq: 1 }),
    /unknown parameter, known are text, id, title, filename, metadata, pages/,
  ],
  [
    'metadata that are a list',
    of({ text: 'a', metadata: [] }),
    /^documents\[0\]\.metadata: expected an object, got a list/,
  ],
  ['metadata that are null', of({ text: 'a', metadata: null }), /metadata: expected an object, got null/],
  [
    'a title that is no string',
    of({ text: 'a', title: 5 }),
    /^documents\[0\]\.title: expected a string, got 5/,
  ],
  [
    'an unknown field',
    { text: 'a', include: ['id', 'page'] },
    /^include\[1\]: expected one of "id", "document_id", "index", "hash", "metadata", "lines", "pages", "neighbours", got "page"\.$/,
  ],
  ['a field that is no list', { text: 'a', include: 'id' }, /^include: expected a list/],
  ['a namespace that is none', { text: 'a', namespace: 5 }, /^namespace: expected a string/],
  [
    'a namespace that is too long',
    { text: 'a', namespace: 'x'.repeat(513) },
    /^namespace: expected a string/,
  ],
  ['a mistyped documents', { document: [] }, /document: unknown parameter, did you mean "documents"\?/],
];

for (const [title, body, problem] of MISTAKES) {
  t.test(`a request is refused with ${title}`, async (t) => {
    for (const path of ['/v1/chunk/token', '/v1/chunk/paragraph']) {
      checkProblem(t, await inline.post(path, body), 400, problem);
    }
  });
}

t.test('there are limits on how many documents and how long texts a request has', async (t) => {
  const client = await startServer(t, { maxDocuments: 2, maxCharacters: 5 });
  const many = await client.post('/v1/chunk/token', of({ text: 'a' }, { text: 'b' }, { text: 'c' }));
  checkProblem(t, many, 400, /^documents: 3 documents, over the limit of 2; .*--max-documents\.$/);
  const long = await client.post('/v1/chunk/token', of({ text: 'a' }, { text: 'abcdef' }));
  checkProblem(
    t,
    long,
    400,
    /^documents\[1\]\.text: 6 characters, over the limit of 5; .*--max-characters\.$/,
  );
});

t.test('of a member that is repeated the last counts', async (t) => {
  const body =
    '{"documents":[{"text":"no"}],"docum\\u0065nts":[{"text":"no","t\\u0065xt":"yes","metadata":{"a":1},"metadata":{"a":1e400}}]}';
  const answer = await inline.post('/v1/chunk/token', body);
  t.match(answer.json<Fields[][]>(), [[{ text: 'yes' }]]);
  t.match(answer.bytes.toString(), '"metadata":{"a":1e400}');
});
