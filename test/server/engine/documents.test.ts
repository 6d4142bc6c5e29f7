import t from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { INCLUDED } from '../../../server/engine/read/document-schemas.ts';
import { chunker, FIXTURES, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { jsonOf, type OpenService, openService } from '../../support/service.ts';

/** Documents in place of texts. */

const told = chunker(
  'told',
  `const { id, title, metadata } = context.document;
  return [{ start: 0, end: text.length, extra: { told: { id, title, metadata } } }];`,
);
const inline = await openService(t, { pluginsDir: [FIXTURES, await pluginsFolder(t, told)] });

type Fields = Chunk & Record<string, unknown>;

const chunks = async (path: string, body: unknown, { post }: Pick<OpenService, 'post'> = inline) =>
  jsonOf<Fields[][]>(await post(path, body));

const CORE = ['text', 'start_index', 'end_index', 'token_count'];

t.test('of documents the default is id, document_id, index and metadata', async (t) => {
  const documents = [{ id: 'a', text: 'abc', metadata: {} }];
  const [[chunk] = []] = await chunks('/v1/chunk/token', { documents });
  t.same(Object.keys(chunk ?? {}), ['id', ...CORE, 'document_id', 'index', 'metadata']);
});

t.test('each field is there if it is asked for, and no other', async (t) => {
  const two = { lines: ['first_line', 'last_line'], pages: ['first_page', 'last_page'] };
  const more: Record<string, string[]> = { ...two, neighbours: ['previous_id', 'next_id'] };
  for (const source of [{ text: 'abc' }, { documents: [{ text: 'abc' }] }]) {
    for (const name of INCLUDED) {
      const answer = await inline.post('/v1/chunk/token', { ...source, include: [name] });
      const [chunk] = answer.json<Fields[]>().flat();
      const added = Object.keys(chunk as Fields).filter((field) => !CORE.includes(field));
      t.same(added, more[name] ?? [name]);
    }
  }
});

t.test('of a text alone nothing is known of document, metadata and pages, nor of no pages', async (t) => {
  const [chunk] = await inline.chunk('token', { text: 'a\nb', include: INCLUDED });
  const nothing = { document_id: null, metadata: null, first_page: null, last_page: null, next_id: null };
  t.match(chunk, { ...nothing, first_line: 1, last_line: 2 });
  const documents = [{ text: 'a', pages: [] }];
  const lists = await chunks('/v1/chunk/token', { documents, include: ['pages'] });
  t.match(lists, [[{ first_page: null, last_page: null }]]);
});

t.test('the server has a namespace for requests that give none', async (t) => {
  const own = await openService(t, { idNamespace: 'kb' });
  const documents = [{ id: 'a', text: 'abc' }];
  const [given, byOption, none] = await Promise.all([
    chunks('/v1/chunk/token', { documents, namespace: 'kb' }),
    chunks('/v1/chunk/token', { documents }, own),
    chunks('/v1/chunk/token', { documents }),
  ]);
  t.same(byOption, given);
  t.notSame(none, given);
});

t.test('a chunker is told of the document', async (t) => {
  const about = { id: 'a', title: 'On tea', metadata: { by: ['me'] } };
  const documents = [{ text: 'abc', ...about }, { text: 'abc' }];
  const lists = await chunks('/v1/chunk/told', { documents });
  const all = lists.map(([chunk]) => chunk?.told);
  t.same(all, [about, {}]);
});

t.test('ids of documents have 1 to 512 characters', async (t) => {
  for (const id of ['x', 'é', '😀'.repeat(512), ' ', '\u0000']) {
    const [list] = await chunks('/v1/chunk/token', { documents: [{ id, text: 'a' }] });
    t.equal(list?.[0]?.document_id, id);
  }
  for (const id of ['', 'x'.repeat(513), '😀'.repeat(513), 1.5, null]) {
    const answer = await inline.post('/v1/chunk/token', { documents: [{ id, text: 'a' }] });
    const problem = /^documents\[0\]\.id: expected a string of 1 to 512 characters or an integer, got /;
    checkProblem(t, answer, 400, problem);
  }
});

t.test('an integer is the same id as its digits, and keeps them all', async (t) => {
  const post = (...ids: string[]) =>
    inline.post('/v1/chunk/token', `{"documents":[${ids.map((id) => `{"text":"a","id":${id}}`)}]}`);
  for (const digits of ['7', '-7', '0', '9007199254740993', '9'.repeat(300)]) {
    const [number, text] = [await post(digits), await post(`"${digits}"`)].map(jsonOf<Fields[][]>);
    t.same(number, text);
    t.equal(number?.[0]?.[0]?.document_id, digits);
  }
  t.equal((await post('9007199254740992', '9007199254740993')).status, 200, 'one number as doubles');
  checkProblem(t, await post('7', '8', '"7"'), 400, /^documents\[2\]\.id: documents\[0\] has the same id/);
  for (const id of ['1e3', '7.0', '-7E0']) {
    const problem = new RegExp(`id: expected a string, or an integer with all its digits, got ${id}`);
    checkProblem(t, await post('1', id), 400, problem);
  }
});

t.test('metadata have a limit in bytes', async (t) => {
  const client = await openService(t);
  const post = (metadata: string) =>
    client.post('/v1/chunk/token', `{"documents":[{"text":"a"},{"text":"a","metadata":${metadata}}]}`);
  const rest = 'x'.repeat(16_374);
  t.equal((await post(`{"a":"${rest}é"}`)).status, 200, '16384 bytes');
  const over = /^documents\[1\]\.metadata: 16385 bytes, over the limit of 16384; send fewer\.$/;
  checkProblem(t, await post(`{"a": "${rest}é"}`), 400, over);
});

t.test('pages that fall, begin late, or are not at characters of the text, are refused', async (t) => {
  for (const [text, offset_unit, pages, problem] of [
    ['abcdef', 'utf16', [0, 3, 2], /^documents\[0\]\.pages\[2\]: .* at least 3, the one before it, got 2\.$/],
    ['abc', 'byte', [1, 2], /pages\[0\]: expected 0, where the first page begins, got 1/],
    ['a😀', 'code_point', [0, 3], /pages\[1\]: expected the offset of a character .* got 3/],
    ['a😀', 'byte', [0, 6], /pages\[1\]: .* in units of byte, got 6/],
    ['a😀b', 'utf16', [0, 2], /pages\[1\]: .* got 2, which is beyond the text or inside a character/],
    ['aéb', 'byte', [0, 1, 2], /pages\[2\]: .* got 2/],
    ['abc', 'utf16', [0, -1], /pages\[1\]: expected an integer of at least 0, got -1/],
    ['abc', 'utf16', [0, 1.5], /pages\[1\]: expected an integer/],
    ['abc', 'utf16', 5, /pages: expected a list/],
  ] as const) {
    const request = { documents: [{ text, pages }], offset_unit };
    checkProblem(t, await inline.post('/v1/chunk/token', request), 400, problem);
  }
});

const of = (...documents: unknown[]) => ({ documents });
const A = { id: 'a', text: '' };
const FIELDS = new RegExp(`^include\\[1\\]: expected one of "${INCLUDED.join('", "')}", got "page"\\.$`);
const REPEATED = '{"documents":[{"id":"a","text":""},{"id":"\\u0061","text":""}]}';

t.test('what is wrong with documents is said with its place', async (t) => {
  for (const [body, problem] of [
    [{}, /^text: missing, expected /],
    [{ text: 'a', documents: [] }, /documents: cannot be given together with text; leave one/],
    [{ text: null, documents: [{ text: 'a' }] }, /together with text/],
    [{ documents: { text: 'a' } }, /^documents: expected a list/],
    [of({ text: 'a' }, 'b'), /^documents\[1\]: expected an object, got "b"\.$/],
    [of({ id: 'a' }), /^documents\[0\]\.text: missing, expected a string/],
    [of({ text: ['a'] }), /^documents\[0\]\.text: expected a string, got a list/],
    [of(A, { text: '' }, { ...A, text: 'b' }), /^documents\[2\]\.id: documents\[0\] has/],
    [REPEATED, /^documents\[1\]\.id/],
    [of({ text: 'a', metdata: {} }), /^documents\[0\]\.metdata: unknown .*, did you mean "metadata"\?/],
    [
      of({ text: 'a', qqqqqqqqqqqqq: 1 }),
      /valid names: text, id, title, filename, media_type, metadata, pages/,
    ],
    [of({ text: 'a', metadata: [] }), /^documents\[0\]\.metadata: expected an object, got an empty list/],
    [of({ text: 'a', metadata: null }), /metadata: expected an object, got null/],
    [of({ text: 'a', title: 5 }), /^documents\[0\]\.title: expected a string, got 5/],
    [{ text: 'a', include: ['id', 'page'] }, FIELDS],
    [{ text: 'a', include: 'id' }, /^include: expected a list/],
    [{ text: 'a', namespace: 5 }, /^namespace: expected a string/],
    [{ text: 'a', namespace: 'x'.repeat(513) }, /^namespace: expected a string/],
    [{ document: [] }, /document: unknown parameter, did you mean "documents"\?/],
  ] as const) {
    checkProblem(t, await inline.post('/v1/chunk/token', body), 400, problem);
  }
});

t.test('of a member that is repeated the last counts', async (t) => {
  const last = '{"text":"no","t\\u0065xt":"yes","metadata":{"a":1},"metadata":{"a":1e400}}';
  const body = `{"documents":[{"text":"no"}],"docum\\u0065nts":[${last}]}`;
  t.match((await inline.post('/v1/chunk/token', body)).bytes.toString(), /"yes".*"metadata":\{"a":1e400\}/);
});
