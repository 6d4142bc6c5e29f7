import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import createContext from '../../../../plugins/refineries/context/index.ts';
import manifest from '../../../../plugins/refineries/context/manifest.ts';
import { needs } from '../../../support/here.ts';
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

/** A node of code as the chunker `code` writes it. */
const node = (name?: string, ...scope: string[]) => ({
  type: 'function',
  ...(name === undefined ? {} : { name }),
  ...(scope.length === 0 ? {} : { scope }),
});

t.test('the scope that all nodes share, and their names', async (t) => {
  const [parser, parse] = ['class Parser', 'parse'];
  for (const [nodes, scope, names] of [
    [[], null, null],
    [undefined, null, null],
    [[node('parse', parser)], parser, 'parse'],
    [[node('inner', parser, parse), node('inner', parser, parse)], `${parser} > parse`, 'inner'],
    [[node('inner', parser, parse), node('next', parser)], parser, 'parse > inner, next'],
    [[node('inner', parser, parse), node('Other')], null, 'parse > inner, Other'],
    [[node('run', parser), node('run', 'class Other')], null, 'class Parser > run, class Other > run'],
    [[node(undefined, parser)], parser, null],
    [[node(undefined, parser), node('main')], null, 'class Parser, main'],
    [['text', null, 5, { name: 5, scope: 'x' }, { name: ' a ', scope: [null, 'A'] }], null, 'A > a'],
  ] as const) {
    t.equal(await contextOf({ nodes }, '{scope}'), scope, JSON.stringify(nodes));
    t.equal(await contextOf({ nodes }, '{names}'), names, JSON.stringify(nodes));
  }
  const long = Array.from({ length: 50 }, (_, index) => node(`name${index + 10}${'😀'.repeat(22)}`));
  const names = String(await contextOf({ nodes: long }, '{names}', { separator: '/' }));
  t.equal(names.split(', ').length, 10, 'whole names of 300 characters at most');
  t.same(
    await contextOf({ nodes: [node('x', parser), node('y')] }, '{names}', { separator: '.' }),
    'class Parser.x, y',
  );
});

t.test('the words that units and names consist of', async (t) => {
  const client = 'class HTTPClient';
  for (const [nodes, words] of [
    [[], null],
    [[node('run', 'class Parser'), node('Stop', 'class Parser')], null],
    [[node('sendAll_v2', client), node('_close', client)], 'class http client, send all v 2, close'],
    [[node('a', client), node('naïveFit')], 'class http client > a, naïve fit'],
    [[node('_'), node('aB'), node('a_b'), node('größeÄndern')], '_, a b, größe ändern'],
  ] as const)
    t.equal(await contextOf({ nodes }, '{words}'), words, JSON.stringify(nodes));
  const long = Array.from({ length: 50 }, (_, index) => node(`someName${index + 10}`));
  t.equal(
    String(await contextOf({ nodes: long }, '{words}')).split(', ').length,
    21,
    'at most 300 characters',
  );
});

t.test('the chunker of code gives scopes and names', needs('chunker/code'), async (t) => {
  const text =
    'import os\n\nclass Parser:\n    def parse(self):\n        return [1, 2]\n\n    def stop(self):\n        return 2\n';
  const code = { chunk_size: 60, include_nodes: true, oversize: 'split' };
  const steps = [chunkStep('code', code), refineStep('context', { template: '{scope}: {names}' })];
  const chunks = jsonOf<Chunk[]>(await execute(steps, { text }));
  t.same(
    chunks.map(({ context }) => context),
    [': os', 'class Parser: parse', 'class Parser: stop'],
  );
});

t.test('what the whole metadata says, without addresses, hashes and times', async (t) => {
  const noise = {
    url: 'https://example.org',
    sha: 'd2a84f4b8b650937ec8f73cd8be2c74add5a911b',
    number: 1234567890123456,
    uuid: '550e8400-e29b-41d4-a716-446655440000',
    iso: '2026-11-25T10:52:03Z',
    local: '2026-11-25 10:52',
    compact: '20261125T1052',
    mail: 'Wed, 25 Nov 2026 10:52:03 GMT',
    german: '25.11.2026 10:52',
    american: '11/25/2026, 10:52 AM',
    text: 'x'.repeat(81),
    none: null,
    flag: true,
    object: { company: 'Inner' },
    deep: [['Nested']],
    empty: ['', ' '],
  };
  t.equal(await contextOf({ metadata: noise }, '{metadata}'), null);
  for (const name of Object.keys(noise)) t.not(noise[name as keyof typeof noise], undefined, name);
  const metadata = {
    ...noise,
    company: ' Apple Inc. ',
    year: 2023,
    day: '2023-09-30',
    forms: ['10-K', 7, true, null, 'https://example.org'],
    code: 'AAPL-2023 12:30',
    long: '😀'.repeat(80),
    share: 0.5,
  };
  const expected = `Apple Inc., 2023, 2023-09-30, 10-K, 7, AAPL-2023 12:30, ${'😀'.repeat(80)}, 0.5`;
  t.equal(await contextOf({ metadata }, '{metadata}'), expected);
  for (const metadata of ['text', 5, ['list'], null, undefined])
    t.equal(await contextOf({ metadata }, '{metadata}'), null, JSON.stringify(metadata));
  const many = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [`k${index}`, `value ${index + 10}`]),
  );
  t.equal(String(await contextOf({ metadata: many }, '{metadata}')).split(', ').length, 30, 'whole values');
});

t.test('of alternatives, the first that is not empty', async (t) => {
  const fields = { document_id: '7', heading_path: [], metadata: { filename: 'docs/a.md', year: 1 } };
  for (const [template, expected] of Object.entries({
    '{title|filename|id}': 'docs/a.md',
    '{title|id|filename}': '7',
    '{heading_path|metadata.none|metadata.year}': '1',
    '{previous:9|next:9|context}{id}': '7',
    '{title|context}\n{title}': null,
  }))
    t.equal(await contextOf(fields, template), expected, template);
});

t.test('a line that is equal to the one before is left out', async (t) => {
  const fields = { heading_path: ['Tea'], document_id: 'Tea', context: 'Tea' };
  t.equal(await contextOf(fields, '{id}\n{heading_path}\n{title}\n{context}'), 'Tea');
  t.equal(await contextOf(fields, 'Tea\n{id}\n-\n{id}'), 'Tea\n-\nTea');
  t.equal(await contextOf(fields, '-\n-\n\n\n{id}'), '-\n-\n\n\nTea', 'lines without values stay');
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
    ...['{metadatas}', '{metadata.}', '{metadata:3}', '{title:3}', '{|}', '{title|}', '{ title}'].map(
      (one) => [one, /is not a known value/] as const,
    ),
    ['{title|titel}', /\{titel\} is not a known value; available: .*\{names\}.*\{title\|filename\}\.$/],
    ['{title|id|title}', /^template: \{title\|id\|title\} has title twice\.$/],
    ['{id|filename}'.repeat(16), /at most 30 values in braces, got 32/],
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
  for (const value of ['{title}', '{title}\n-\n']) {
    const refined = await refineHere(`${value.repeat(29)}{previous:9}`);
    t.equal(String(refined.at(-1)?.context).length, 100, 'nothing is joined that would be cut off');
  }
  t.equal((await refineHere('{title|previous:9}')).at(-1)?.context, expected, 'nor what is not needed');
  t.equal((await refineHere('{metadata.deep}')).at(-1)?.context, null);
  await t.rejects(async () => refineHere('{next:9}'), { message: 'not asked for' });
});
