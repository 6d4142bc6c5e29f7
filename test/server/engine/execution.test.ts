import t from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { INCLUDED } from '../../../server/engine/read/document-schemas.ts';
import { needs } from '../../support/here.ts';
import { chunker, FIXTURES, pluginsFolder, refinery } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import {
  chunkStep as chunk,
  type GivenStep,
  jsonOf,
  openService,
  refineStep as refine,
} from '../../support/service.ts';
import { sliceIn, TEXTS } from './documents.ts';
import { plainFields, plainHash, type TextWithContext } from './plain-fields.ts';

/** Texts, and documents, through the steps of pipelines. */

const TITLED = `const { id, title, metadata } = context.document;
  return chunks.map((chunk) => ({ ...chunk, context: title ?? '', told: { id, title, metadata } }));`;
const PAIRS = `return chunks.slice(1).flatMap((_, at, rest) =>
  at % 2 === 1 ? [] : [context.join(rest.slice(at, at + 2))]);`;
const EMPTY = `return chunks.map((chunk) => ({ ...chunk, text: '', end_index: chunk.start_index }));`;
const folder = await pluginsFolder(
  t,
  chunker('frames', 'return context.windows(options.size, options.overlap);', {
    options: {
      type: 'object',
      properties: { size: { type: 'integer', default: 20 }, overlap: { type: 'integer', default: 0 } },
    },
  }),
  chunker(
    'rows',
    `return [...text.matchAll(/[^\\n]*\\n|[^\\n]+/g)].map(({ index, 0: line }) => ({
      start: index, end: index + line.length, extra: { id: 'mine', index: 'mine' } }));`,
  ),
  // One chunk of all, in which each word has a mark.
  chunker(
    'marked',
    `const marks = [...text.matchAll(/\\S+/g)].map(({ index, 0: word }) => ({
      start: index, end: index + word.length, fields: { word } }));
    return [{ start: 0, end: text.length, located: { marks } }];`,
  ),
  refinery('titled', TITLED),
  refinery('paged', 'return chunks.map((chunk) => ({ ...chunk, pages: context.document.pages ?? null }));'),
  refinery('pairs', PAIRS, { changesCount: true }),
  refinery('empty', EMPTY, { changesCount: true }),
);
const { execute } = await openService(t, { pluginsDir: [FIXTURES, folder] });

const utf16 = { offset_unit: 'utf16' };

type Fields = Chunk & TextWithContext & Record<string, unknown>;

/** The chunks of each document of a request. */
const chunksBy = async (steps: readonly GivenStep[], request: object) =>
  jsonOf<Fields[][]>(await execute(steps, request));

const PIPELINES: Record<string, GivenStep[]> = {
  'one chunker': [chunk('frames', { size: 7, ...utf16 })],
  'a chunker and an overlap': [chunk('frames', utf16), refine('overlap', { context_size: 4, merge: false })],
  'an overlap within the texts': [chunk('frames', utf16), refine('overlap', { context_size: 4 })],
  'two chunkers': [chunk('rows'), chunk('frames', { size: 6, overlap: 2, ...utf16 })],
  'an overlap between chunkers': [
    ...[chunk('rows', utf16), refine('overlap', { context_size: 4 })],
    ...[chunk('frames', utf16), refine('titled')],
  ],
  'a refinery that drops and merges': [chunk('rows', utf16), refine('pairs')],
  'chunks that were merged cut again': [
    chunk('rows'),
    refine('pairs'),
    chunk('frames', { size: 9, ...utf16 }),
  ],
};

const TEXT = `${TEXTS.plain}\r\n${TEXTS.lines}\r${TEXTS.emoji}\n\n${TEXTS.loneSurrogates}\n${TEXTS.plain}\r\n`;

const overlapIfUsed = (steps: readonly GivenStep[]) =>
  steps.some(({ refinery }) => refinery === 'overlap') ? needs('refinery/overlap') : {};

for (const [title, steps] of Object.entries(PIPELINES)) {
  t.test(`${title}: all fields`, overlapIfUsed(steps), async (t) => {
    const text = TEXT.repeat(2);
    const pages = [0, 0, TEXTS.plain?.length ?? 0, TEXT.length, text.length];
    const documents = [{ id: 'a', title: 'Title', text, pages }, { id: 'b', text: '' }, { text: TEXT }];
    const request = { documents, include: INCLUDED, namespace: 'n' };
    const [list, none, other] = await chunksBy(steps, request);
    t.same(none, []);
    t.ok((list?.length ?? 0) > 3);
    t.match(list, plainFields(list ?? [], { id: 'a', text, pages }));
    for (const { text: own, start_index, end_index } of list ?? []) {
      if (!own.includes(sliceIn('utf16', text, start_index, end_index))) t.fail(`${start_index}: ${own}`);
    }
    for (const [index, chunk] of (other ?? []).entries())
      t.match(chunk, { index, document_id: null, first_page: null });
  });
}

t.test('the hash covers the context, so a new context is a new id', async (t) => {
  const steps = [chunk('rows'), refine('titled')];
  const ask = async (title?: string) => {
    const documents = [{ id: 'a', text: 'one\n', title }];
    const [list] = await chunksBy(steps, { documents, include: ['hash'] });
    return list?.[0] as Fields;
  };
  const [tea, milk, none] = [await ask('Tea'), await ask('Milk'), await ask()];
  t.equal(tea.hash, plainHash({ text: 'Tea\none\n' }));
  t.notSame(tea.id, milk.id);
  t.equal(none.hash, plainHash({ text: 'one\n' }), 'an empty context is none');
});

t.test('pages are counted in the unit of the last chunker', async (t) => {
  const text = '😀é\nb';
  for (const [offset_unit, pages] of [
    ['byte', [0, 4, 6]],
    ['utf16', [0, 2, 3]],
    ['code_point', [0, 1, 2]],
  ] as const) {
    const steps = [chunk('rows', { offset_unit: 'byte' }), chunk('frames', { size: 1, offset_unit })];
    const [list] = await chunksBy(steps, { documents: [{ text, pages }], include: ['pages'] });
    for (const [index, page] of [1, 2, 3, 3].entries()) t.equal(list?.[index]?.first_page, page);
  }
  const steps = [chunk('rows', { offset_unit: 'byte' })];
  const refused = await execute(steps, { documents: [{ text, pages: [0, 1] }] });
  checkProblem(t, refused, 400, /pages\[1\]: .*units of byte/);
});

t.test('chunks of pipelines have ids whatever is included, and their own fields give way', async (t) => {
  const steps = [chunk('rows')];
  const fields = ['id', 'text', 'start_index', 'end_index', 'token_count', 'index', 'context', 'embedding'];
  for (const source of [{ text: 'a' }, { documents: [{ text: 'a' }] }]) {
    const [plain] = (await execute(steps, { ...source, include: [] })).json<Fields[]>().flat();
    t.same(Object.keys(plain ?? {}), fields);
    t.equal(plain?.index, 'mine', 'a field of the plugin');
    t.match(plain, { id: /^[\da-f]{8}-/, context: null, embedding: null });
    const [asked] = (await execute(steps, { ...source, include: ['index'] })).json<Fields[]>().flat();
    t.equal(asked?.index, 0, 'the field that was asked for');
    t.equal(asked?.id, plain?.id);
  }
});

t.test('a text is answered byte for byte as without include', needs('refinery/overlap'), async (t) => {
  const steps = PIPELINES['an overlap between chunkers'] ?? [];
  for (const text of [TEXT, [TEXT, '', 'a']]) {
    const plain = await execute(steps, { text });
    t.ok(plain.bytes.equals((await execute(steps, { text, include: [], namespace: 'n' })).bytes));
    t.equal(plain.status, 200);
  }
});

t.test('a refinery is told of the document, in each step', async (t) => {
  const about = { id: 'a', title: 'On tea', metadata: { by: ['me'] } };
  const documents = [{ text: 'a\nb\n', ...about }, { text: 'a\n' }];
  const lists = await chunksBy([chunk('rows'), refine('titled')], { documents });
  const last = lists.map((list) => list.at(-1)?.told);
  t.same(last, [about, {}]);
});

t.test('a refinery is told of the pages, in the unit of the request', async (t) => {
  const byUnit = { utf16: [0, 3, 3, 7], code_point: [0, 2, 2, 6], byte: [0, 5, 5, 9] };
  for (const [offset_unit, pages] of Object.entries(byUnit)) {
    const documents = [{ text: '😀\nb\n"\n', pages }, { text: 'a' }];
    const lists = await chunksBy([chunk('rows', { offset_unit }), refine('paged')], { documents });
    const told = lists.map((list) => list.at(-1)?.pages);
    t.same(told, [pages, null], offset_unit);
  }
});

t.test('a chunk of no text has the line and the page of its place', async (t) => {
  const steps = [chunk('rows', utf16), refine('empty')];
  const documents = [{ text: 'a\nb\n', pages: [0, 2] }];
  const [list] = await chunksBy(steps, { documents, include: ['lines', 'pages'] });
  for (const [index, chunk] of (list ?? []).entries()) {
    const place = index + 1;
    t.match(chunk, { first_line: place, last_line: place, first_page: place, last_page: place });
  }
  t.equal(list?.length, 2);
});

t.test('a part of a chunk has its share of what was said of places in the whole', async (t) => {
  const steps = [chunk('rows'), chunk('marked'), chunk('frames', { size: 4 })];
  const [, ...parts] = (await execute(steps, { text: 'x\nab cdef g' })).json<Fields[]>();
  const mark = (word: string, start_index: number, end_index: number) => ({ word, start_index, end_index });
  const marks = parts.map(({ marks }) => marks);
  t.same(marks, [[mark('ab', 2, 4), mark('cdef', 5, 6)], [mark('cdef', 6, 9)], [mark('g', 10, 11)]]);
});

t.test('the request of an execution is checked as that of a chunker', async (t) => {
  const request = { text: 'a', documents: [], includes: [] };
  checkProblem(t, await execute([chunk('rows')], request), 400, [/together with text/, /mean "include"\?/]);
});

type Executed = Chunk & { readonly id: string; readonly context: string | null };

/** The chunks of a text, or of each of several. */
const executed = async <T extends string | string[]>(steps: readonly GivenStep[], text: T) =>
  jsonOf<T extends string ? Executed[] : Executed[][]>(await execute(steps, { text }));

const SENTENCES =
  'One sentence 😀 here. Another sentence there.\n\nA second paragraph. It repeats. It repeats. It repeats.';
const codePoints = (text: string, { start_index, end_index }: Chunk) =>
  sliceIn('code_point', text, start_index, end_index);

t.test('a chunk step after a chunk step splits further and keeps offsets into the text', async (t) => {
  const steps = [chunk('paragraph', { chunk_size: 50 }), chunk('token', { chunk_size: 7 })];
  const text = `${SENTENCES}\n\n   \n\n${SENTENCES}`;
  const chunks = await executed(steps, text);
  t.equal(chunks.map(({ text }) => text).join(''), text, 'white space between is kept');
  for (const output of chunks) {
    t.equal(codePoints(text, output), output.text);
    t.ok(output.token_count <= 7);
  }
});

const ENRICHED = 'refine steps enrich, and a later chunk step splits the text itself again';
t.test(ENRICHED, needs('refinery/overlap'), async (t) => {
  const steps = [chunk('token', { chunk_size: 30 }), refine('overlap', { context_size: 5 })];
  const refined = await executed(steps, SENTENCES);
  refined.forEach((output, index) => {
    const next = refined[index + 1];
    t.equal(output.context, next === undefined ? null : codePoints(SENTENCES, next).slice(0, 5));
    t.equal(output.text, codePoints(SENTENCES, output) + (output.context ?? ''));
  });
  const chunks = await executed([...steps, chunk('token', { chunk_size: 9 })], SENTENCES);
  t.equal(chunks.map(({ text }) => text).join(''), SENTENCES);
  t.ok(chunks.every(({ context }) => context === null));
  const prefixed = refine('overlap', { method: 'prefix', context_size: 3 });
  const twice = await executed([...steps, prefixed], SENTENCES);
  t.equal(twice.length, refined.length, 'several refineries follow each other');
});

t.test('ids follow from the steps, the text and the place', async (t) => {
  const idsOf = (chunks: readonly Executed[] = []) => chunks.map(({ id }) => id);
  const steps = [chunk('token', { chunk_size: 12, chunk_overlap: 0 })];
  const text = 'Once here: 😀It repeats. It repeats. It repeats.';
  const first = await executed(steps, text);
  t.same(await executed(steps, text), first, 'a second run gives the same');
  const ids = idsOf(first);
  t.equal(new Set(ids).size, ids.length, 'repeats in one document are told apart');
  t.ok(first.filter(({ text }) => text === 'It repeats. ').length > 1);
  const reordered = [chunk('token', { chunk_overlap: 0, chunk_size: 12 })];
  t.same(idsOf(await executed(reordered, text)), ids, 'the order of members does not count');
  t.same(idsOf((await executed(steps, ['other', text]))[1]), ids, 'nor the other documents of a batch');
  const escaped = Array.from(JSON.stringify(text).slice(1, -1), (one) =>
    one.length === 1 ? `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}` : one,
  );
  const body = `{"text":"${escaped.join('')}"}`;
  t.same(jsonOf(await execute(steps, body)), first, 'nor how the sender escaped the text');
  const others = [chunk('token', { chunk_size: 13, chunk_overlap: 0 })];
  t.notSame(idsOf(await executed(others, text)), ids, 'but the steps do');
  t.not((await executed(steps, `${text} `))[0]?.id, ids[0], 'and the text');
});

t.test('batches and texts without content', async (t) => {
  const steps = [chunk('token', { chunk_size: 5, offset_unit: 'utf16' }), refine('shout')];
  t.same(await executed(steps, ''), []);
  const [none, [one] = [], blank] = await executed(steps, ['', '😀b', '  \n']);
  t.same([none, blank], [[], []]);
  t.equal(one?.end_index, 3, 'the unit of the last chunk step');
});

t.test('what cannot be executed is refused with its step', async (t) => {
  for (const [steps, message] of [
    [[], /steps: the pipeline has no steps/],
    [[refine('shout')], /steps\[0\]: a refine step needs chunks/],
    [[refine('shout'), chunk('token')], /steps\[0\]: a refine step needs chunks/],
    [[chunk(null)], /steps\[0\]\.chunker: missing/],
    [[chunk('token'), refine(null)], /steps\[1\]\.refinery: missing/],
    [[chunk('tokn')], /steps\[0\]\.chunker: there is no chunker "tokn"; available: .*token/],
    [[chunk('token'), refine('x')], /steps\[1\]\.refinery: there is no refinery "x"/],
    [[chunk('token'), chunk('token', { chunk_size: 0 })], /steps\[1\]\.config\.chunk_size: .* got 0/],
    [[chunk('token', { chunk_sise: 1 })], /steps\[0\]\.config\.chunk_sise: .*did you mean "chunk_size"\?/],
    [[chunk('token', { text: 'x' })], /steps\[0\]\.config\.text: unknown parameter/],
    [[chunk('token', { tokenizer: 'no-such' })], /no-such/],
  ] as const) {
    checkProblem(t, await execute(steps, { text: SENTENCES }), 400, message);
  }
});
