import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import createContext from '../../../../plugins/refineries/context/index.ts';
import manifest from '../../../../plugins/refineries/context/manifest.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { checkProblem } from '../../../support/problems.ts';
import { startServer } from '../../../support/server.ts';

const client = await startServer(t, { store: 'memory' });

const refuse = () => {
  throw new Error('not asked for');
};
const NO_TOOLS = {
  surround: refuse,
  part: refuse,
  join: refuse,
  report() {},
  signal: new AbortController().signal,
};

/** Chunks that stand one behind the other. */
function chunksOf(texts: readonly string[], fields: object = {}): Chunk[] {
  let end_index = 0;
  return texts.map((text) => {
    const start_index = end_index;
    end_index += [...text].length;
    return { text, start_index, end_index, token_count: 1, ...fields };
  });
}

async function contexts(chunks: readonly Chunk[], options: object): Promise<unknown[]> {
  const answer = await client.post('/v1/refine/context', { chunks, ...options });
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.bytes}`);
  return answer.json<Chunk[]>().map(({ context }) => context);
}

/** The context of one chunk with these fields. */
const contextOf = async (fields: object, template: string, more: object = {}) =>
  (await contexts(chunksOf(['text'], fields), { template, ...more }))[0];

t.test('the example is answered as the README says', async (t) => {
  const answer = await client.post('/v1/refine/context', manifest.example);
  const contexts = ['Before: jumps over', 'After: brown fox\nBefore: dog and', 'After: the lazy'];
  t.same(
    answer.json(),
    manifest.example.chunks.map((chunk, index) => ({ ...chunk, context: contexts[index] })),
  );
});

t.test('without a template: the title, the headings and the context that is there', async (t) => {
  const fields = { heading_path: ['A', 'B'], context: '| a |\n| - |' };
  t.same(await contexts(chunksOf(['text'], fields), {}), ['A > B\n| a |\n| - |']);
  t.same(await contexts(chunksOf(['text']), {}), [null]);
});

t.test('values', async (t) => {
  const fields = {
    document_id: 'doc 7',
    heading_path: ['Install', 'Linux', ''],
    context: 'old',
    metadata: {
      author: { name: 'Ann', born: 1980 },
      tags: ['a', 2, true, null, { b: 1 }, ''],
      none: null,
      'a b': 'c',
    },
  };
  for (const [template, expected] of Object.entries({
    '{id}': 'doc 7',
    '{heading_path}': 'Install > Linux',
    '{context}, {context}': 'old, old',
    '{metadata.author.name} ({metadata.author.born})': 'Ann (1980)',
    '{metadata.tags}': 'a, 2, true',
    '{metadata.a b}': 'c',
    '{{{id}}} }}{{': '{doc 7} }{',
    'always the same': 'always the same',
  })) {
    t.equal(await contextOf(fields, template), expected, template);
  }
  for (const empty of [
    '{title}',
    '{metadata.author}',
    '{metadata.none}',
    '{metadata.constructor.name}',
    '{metadata.__proto__}',
    '{previous:3}',
    '{next:3}',
    'Title: {title}\nno values here',
  ])
    t.equal(await contextOf(fields, empty), null, empty);
  t.equal(await contextOf(fields, '{heading_path}', { separator: ' / ' }), 'Install / Linux');
  t.equal(await contextOf({ heading_path: 'One', context: null }, '{heading_path}{context}'), 'One');
});

t.test('a line whose values are all empty is left out, and others are not', async (t) => {
  const template = 'Title: {title}\r\nBy {metadata.author}, {metadata.year}\n\nIn {heading_path}';
  t.equal(await contextOf({ metadata: { year: 1999 } }, template), 'By , 1999\n');
  t.equal(await contextOf({ heading_path: ['A'] }, template), '\nIn A');
});

t.test('neighbours give whole words, without what the chunks repeat', async (t) => {
  const chunks = chunksOf(['One two three. ', 'Four five six. ', 'Seven.']);
  t.same(await contexts(chunks, { template: '{previous:9}|{next:9}' }), [
    '|Four five',
    'three.|Seven.',
    'five six.|',
  ]);
  t.same(await contexts(chunks, { template: '{previous:10}' }), [null, 'two three.', 'five six.']);
  t.same(await contexts(chunks, { template: '{next:2}' }), ['Fo', 'Se', null], 'not even one word');
  t.same(await contexts(chunksOf(['今日は', '𝒳😀いい']), { template: '{previous:2}|{next:2}' }), [
    '|𝒳😀',
    '日は|',
  ]);
  t.same(await contexts(chunksOf(['a😀😀😀', 'b']), { template: '{previous:2}' }), [null, '😀😀']);
  const overlapping = [
    { text: 'a b c', start_index: 0, end_index: 5, token_count: 5 },
    { text: 'c d e', start_index: 4, end_index: 9, token_count: 5 },
  ];
  t.same(await contexts(overlapping, { template: '{previous:9}|{next:9}' }), ['|d e', 'a b|']);
});

t.test('a context is cut at its limit, between characters', async (t) => {
  const fields = { heading_path: ['😀😀😀'], document_id: 'x'.repeat(50) };
  t.equal(await contextOf(fields, '{heading_path}', { max_length: 2 }), '😀😀');
  t.equal(await contextOf(fields, '{id}{heading_path}\n{id}', { max_length: 52 }), `${'x'.repeat(50)}😀😀`);
  t.equal(await contextOf(fields, '{heading_path}\n{id}', { max_length: 5 }), '😀😀😀\nx');
});

t.test('a wrong template is answered with what to change', async (t) => {
  for (const [template, detail] of [
    ['{titel}', /^template: \{titel\} is no value; known are \{title\}, /],
    ['{metadata}', /is no value/],
    ['{metadata.}', /is no value/],
    ['{title:3}', /is no value/],
    [
      '{previous}',
      /^template: \{previous\}: expected characters from 1 to 2000, such as \{previous:200\}\.$/,
    ],
    ['{next:0}', /expected characters/],
    ['{next.5}', /expected characters/],
    ['{next:2001}', /expected characters/],
    ['a { b', /write \{\{ for a brace/],
    ['a } b', /write \}\} for a brace/],
    ['{id}'.repeat(31), /at most 30 values in braces, got 31/],
    ['x'.repeat(2001), /template/],
    ['', /template/],
  ] as const) {
    checkProblem(
      t,
      await client.post('/v1/refine/context', { chunks: chunksOf(['a']), template }),
      400,
      detail,
    );
  }
});

t.test('documents of pipelines, batches and streams have their own titles, ids and metadata', async (t) => {
  const template = '{title} ({id}) by {metadata.by}\nBefore {next:1}';
  const steps = [
    { type: 'chunk', chunker: 'token', config: { chunk_size: 2 } },
    { type: 'refine', refinery: 'context', config: { template } },
  ];
  const { id } = (await client.post('/v1/pipelines', { name: 'own titles', steps })).json<{ id: string }>();
  const path = `/v1/pipelines/${id}/execute`;
  const documents = [
    { text: 'abc', id: '1', title: 'One', metadata: { by: 'Ann', title: 'another' } },
    { text: 'abc', title: ' Two ' },
    { text: 'ab' },
  ];
  const expected = [
    ['One (1) by Ann\nBefore c', 'One (1) by Ann'],
    ['Two () by\u0020\nBefore c', 'Two () by '],
    [null],
  ];
  const contextsIn = (lists: readonly (readonly Chunk[])[]) =>
    lists.map((chunks) => chunks.map(({ context }) => context));
  t.same(contextsIn((await client.post(path, { documents })).json()), expected);

  const lines = [{}, ...documents].map((line) => `${JSON.stringify(line)}\n`).join('');
  const answer = await client.post(path, lines, { 'content-type': 'application/x-ndjson' });
  const answered = answer.bytes.toString().trimEnd().split('\n');
  t.same(contextsIn(answered.map((line) => JSON.parse(line).chunks)), expected);
});

t.test('hostile titles, metadata and templates cost no more than the context that they make', async (t) => {
  const title = 'x '.repeat(500_000);
  const metadata = { deep: JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`) };
  const chunks = chunksOf(Array.from({ length: 20_000 }, () => 'a'));
  const { refine } = createContext(collaborators());
  const refineHere = (template: string) => {
    const options = { template, separator: '', max_length: 100 };
    return refine(chunks, options, { ...NO_TOOLS, document: { title, metadata } });
  };
  const [expected] = (await refineHere('{title}')).map(({ context }) => context);
  t.equal(expected, title.slice(0, 100));
  for (const value of ['{title}', '{title}\n']) {
    const refined = await refineHere(`${value.repeat(29)}{previous:9}`);
    t.equal(String(refined.at(-1)?.context).length, 100, 'nothing is joined that would be cut off');
  }
  t.equal((await refineHere('{metadata.deep}')).at(-1)?.context, null);
  await t.rejects(async () => refineHere('{next:9}'), { message: 'not asked for' });
});
