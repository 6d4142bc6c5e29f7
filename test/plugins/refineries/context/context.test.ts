import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import createContext from '../../../../plugins/refineries/context/index.ts';
import manifest from '../../../../plugins/refineries/context/manifest.ts';
import { checkProblem } from '../../../support/problems.ts';
import { chunkStep, jsonOf, openService, refineStep } from '../../../support/service.ts';
import { linesIn } from '../../../support/streams.ts';
import { chunksOf, refuse, TOOLS } from '../refining.ts';

const { post, execute, stream } = await openService(t);

async function contexts(chunks: readonly Chunk[], options: object): Promise<unknown[]> {
  const refined = jsonOf<Chunk[]>(await post('/v1/refine/context', { chunks, ...options }));
  return refined.map(({ context }) => context);
}

/** The context of one chunk with these fields. */
const contextOf = async (fields: object, template: string, more: object = {}) =>
  (await contexts(chunksOf(['text'], fields), { template, ...more }))[0];

t.test('the example is answered as the README says', async (t) => {
  const answer = await post('/v1/refine/context', manifest.example);
  const contexts = ['Before: jumps over', 'After: brown fox\nBefore: dog and', 'After: the lazy'];
  const expected = manifest.example.chunks.map((chunk, index) => ({ ...chunk, context: contexts[index] }));
  t.same(answer.json(), expected);
});

t.test('without a template: the title, the headings and the context that is there', async (t) => {
  const fields = { heading_path: ['A', 'B'], context: '| a |\n| - |' };
  t.same(await contexts(chunksOf(['text'], fields), {}), ['A > B\n| a |\n| - |']);
  t.same(await contexts(chunksOf(['text']), {}), [null]);
});

t.test('values', async (t) => {
  const author = { name: 'Ann', born: 1980 };
  const metadata = { author, tags: ['a', 2, true, null, { b: 1 }, ''], none: null, 'a b': 'c' };
  const heading_path = ['Install', 'Linux', ''];
  const fields = { document_id: 'doc 7', heading_path, context: 'old', metadata };
  for (const [template, expected] of Object.entries({
    '{id}': 'doc 7',
    '{heading_path}': 'Install > Linux',
    '{context}, {context}': 'old, old',
    '{metadata.author.name} ({metadata.author.born})': 'Ann (1980)',
    '{metadata.tags}': 'a, 2, true',
    '{metadata.a b}': 'c',
    '{{{id}}} }}{{': '{doc 7} }{',
    'always the same': 'always the same',
  }))
    t.equal(await contextOf(fields, template), expected, template);
  const unknown = ['author', 'none', 'constructor.name', '__proto__'].map((name) => `{metadata.${name}}`);
  const others = ['{title}', '{previous:3}', '{next:3}', 'Title: {title}\nno values here'];
  for (const empty of [...unknown, ...others]) t.equal(await contextOf(fields, empty), null, empty);
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
  const [first, second] = chunksOf(['a b c', 'c d e']);
  const overlapping = [first, { ...second, start_index: 4, end_index: 9 }] as Chunk[];
  for (const [given, template, expected] of [
    [chunks, '{previous:9}|{next:9}', ['|Four five', 'three.|Seven.', 'five six.|']],
    [chunks, '{previous:10}', [null, 'two three.', 'five six.']],
    [chunks, '{next:2}', ['Fo', 'Se', null]],
    [chunksOf(['今日は', '𝒳😀いい']), '{previous:2}|{next:2}', ['|𝒳😀', '日は|']],
    [chunksOf(['a😀😀😀', 'b']), '{previous:2}', [null, '😀😀']],
    [overlapping, '{previous:9}|{next:9}', ['|d e', 'a b|']],
  ] as const)
    t.same(await contexts(given, { template }), expected, template);
});

t.test('a context is cut at its limit, between characters', async (t) => {
  const fields = { heading_path: ['😀😀😀'], document_id: 'x'.repeat(50) };
  t.equal(await contextOf(fields, '{heading_path}', { max_length: 2 }), '😀😀');
  t.equal(await contextOf(fields, '{id}{heading_path}\n{id}', { max_length: 52 }), `${'x'.repeat(50)}😀😀`);
  t.equal(await contextOf(fields, '{heading_path}\n{id}', { max_length: 5 }), '😀😀😀\nx');
});

t.test('a wrong template is answered with what to change', async (t) => {
  for (const [template, detail] of [
    ['{titel}', /^template: \{titel\} is not a known value; available: \{title\}, /],
    ...['{metadata}', '{metadata.}', '{title:3}'].map((one) => [one, /is not a known value/] as const),
    [
      '{previous}',
      /^template: \{previous\}: expected a number of characters from 1 to 2000, such as \{previous:200\}\.$/,
    ],
    ...['{next:0}', '{next.5}', '{next:2001}'].map(
      (one) => [one, /expected a number of characters/] as const,
    ),
    ['a { b', /write \{\{ for a literal brace/],
    ['a } b', /write \}\} for a literal brace/],
    ['{id}'.repeat(31), /at most 30 values in braces, got 31/],
    ...['x'.repeat(2001), ''].map((one) => [one, /template/] as const),
  ] as const)
    checkProblem(t, await post('/v1/refine/context', { chunks: chunksOf(['a']), template }), 400, detail);
});

t.test('documents of pipelines, batches and streams have their own titles, ids and metadata', async (t) => {
  const template = '{title} ({id}) by {metadata.by}\nBefore {next:1}';
  const steps = [chunkStep('token', { chunk_size: 2 }), refineStep('context', { template })];
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
  t.same(contextsIn(jsonOf(await execute(steps, { documents }))), expected);
  const { bytes } = await stream({ run: 'execute', steps }, {}, documents);
  t.same(contextsIn(linesIn<{ chunks: Chunk[] }>(bytes).map(({ chunks }) => chunks)), expected);
});

t.test('hostile titles, metadata and templates cost no more than the context that they make', async (t) => {
  const title = 'x '.repeat(500_000);
  const metadata = { deep: JSON.parse(`${'['.repeat(100_000)}1${']'.repeat(100_000)}`) };
  const chunks = chunksOf(Array.from({ length: 20_000 }, () => 'a'));
  const { refine } = createContext();
  const refineHere = (template: string) => {
    const options = { template, separator: '', max_length: 100 };
    return refine(chunks, options, { ...TOOLS, join: refuse, document: { title, metadata } });
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
