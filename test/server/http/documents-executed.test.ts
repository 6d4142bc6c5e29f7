import { randomUUID } from 'node:crypto';
import t, { type Test } from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { sliceIn, TEXTS } from '../../support/documents.ts';
import { needs } from '../../support/here.ts';
import {
  ALL_FIELDS,
  plainHash,
  plainIds,
  plainLine,
  plainPage,
  type TextWithContext,
} from '../../support/plain-fields.ts';
import { chunker, plugin, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { type Answer, type Client, startServer } from '../../support/server.ts';

/** Documents through the steps of pipelines. */

const folder = await pluginsFolder(
  t,
  chunker('frames', 'return context.windows(options.size, options.overlap);', {
    options: {
      type: 'object',
      properties: { size: { type: 'integer', default: 20 }, overlap: { type: 'integer', default: 0 } },
    },
  }),
  chunker(
    'lines',
    `return [...text.matchAll(/[^\\n]*\\n|[^\\n]+/g)].map(({ index, 0: line }) => ({
      start: index, end: index + line.length, extra: { id: 'mine', index: 'mine' } }));`,
  ),
  plugin(
    { kind: 'refinery', name: 'titled' },
    `export default () => ({ refine: (chunks, _, { document: { id, title, metadata } }) =>
      chunks.map((chunk) => ({ ...chunk, context: title ?? '', told: { id, title, metadata } })) });`,
  ),
  plugin(
    { kind: 'refinery', name: 'paged' },
    `export default () => ({ refine: (chunks, _, { document: { pages } }) =>
      chunks.map((chunk) => ({ ...chunk, pages: pages ?? null })) });`,
  ),
  plugin(
    { kind: 'refinery', name: 'pairs', changesCount: true },
    `export default () => ({ refine: (chunks, _, { join }) => chunks.slice(1).flatMap((_, at, rest) =>
      at % 2 === 1 ? [] : [join(rest.slice(at, at + 2))]) });`,
  ),
  plugin(
    { kind: 'refinery', name: 'empty', changesCount: true },
    'export default () => ({ refine: (chunks) => chunks.map((chunk) => ({ ...chunk, text: "", end_index: chunk.start_index })) });',
  ),
);
const inline = await startServer(t, { pluginsDir: [folder], store: 'memory' });
const workers = await startServer(t, {
  pluginsDir: [folder],
  store: 'memory',
  workers: 1,
  inlineBytes: 1000,
});

const chunk = (name: string, config: object = {}) => ({ type: 'chunk', chunker: name, config });
const refine = (name: string, config: object = {}) => ({ type: 'refine', refinery: name, config });
const utf16 = { offset_unit: 'utf16' };

type Fields = Chunk & TextWithContext & Record<string, unknown>;

/** A function that executes the steps, and gives the answer. */
async function pipeline(
  client: Client,
  steps: readonly object[],
): Promise<(body: unknown) => Promise<Answer>> {
  const created = await client.post('/v1/pipelines', { name: randomUUID(), steps });
  if (created.status !== 201) throw new Error(`${created.status} ${created.bytes}`);
  const { id } = created.json<{ id: string }>();
  return (body) => client.post(`/v1/pipelines/${id}/execute`, body);
}

const PIPELINES: Record<string, object[]> = {
  'one chunker': [chunk('frames', { size: 7, ...utf16 })],
  'a chunker and an overlap': [chunk('frames', utf16), refine('overlap', { context_size: 4, merge: false })],
  'an overlap within the texts': [chunk('frames', utf16), refine('overlap', { context_size: 4 })],
  'two chunkers': [chunk('lines'), chunk('frames', { size: 6, overlap: 2, ...utf16 })],
  'an overlap between chunkers': [
    chunk('lines', utf16),
    refine('overlap', { context_size: 4 }),
    chunk('frames', utf16),
    refine('titled'),
  ],
  'a refinery that drops and merges': [chunk('lines', utf16), refine('pairs')],
  'chunks that were merged cut again': [
    chunk('lines'),
    refine('pairs'),
    chunk('frames', { size: 9, ...utf16 }),
  ],
};

const TEXT = `${TEXTS.plain}\r\n${TEXTS.lines}\r${TEXTS.emoji}\n\n${TEXTS.loneSurrogates}\n${TEXTS.plain}\r\n`;

const usesOverlap = (steps: readonly object[]) => JSON.stringify(steps).includes('"refinery":"overlap"');
const overlapIfUsed = (steps: readonly object[]) => (usesOverlap(steps) ? needs('refinery/overlap') : {});

for (const [title, steps] of Object.entries(PIPELINES)) {
  for (const times of [1, 10]) {
    t.test(`${title}: all fields, ${times === 1 ? 'small' : 'large'}`, overlapIfUsed(steps), async (t) => {
      const text = TEXT.repeat(times);
      const pages = [0, 0, TEXTS.plain?.length ?? 0, TEXT.length, text.length];
      const documents = [{ id: 'a', title: 'Title', text, pages }, { id: 'b', text: '' }, { text: TEXT }];
      const body = JSON.stringify({ documents, include: ALL_FIELDS, namespace: 'n' });
      const here = await (await pipeline(inline, steps))(body);
      const there = await (await pipeline(workers, steps))(body);
      t.equal(here.status, 200, here.status === 200 ? 'answered' : here.bytes.toString());
      t.ok(here.bytes.equals(there.bytes), 'the same from a worker as inline');
      const [list, none, other] = here.json<Fields[][]>();
      t.same(none, []);
      t.ok((list?.length ?? 0) > 3);
      checkFields(t, list ?? [], text, pages);
      t.match(
        other,
        other?.map((_, index) => ({ index, document_id: null, first_page: null })),
      );
    });
  }
}

/** Holds the fields against the places, texts and contexts of the chunks. */
function checkFields(t: Test, list: readonly Fields[], text: string, pages: readonly number[]): void {
  const hashes = list.map((one) => plainHash(one));
  const ids = plainIds('n', 'a', hashes);
  const expected = list.map(({ start_index, end_index }, index) => ({
    id: ids[index],
    document_id: 'a',
    index,
    hash: hashes[index],
    metadata: null,
    first_line: plainLine(text, start_index),
    last_line: plainLine(text, end_index - 1),
    first_page: plainPage(pages, start_index),
    last_page: plainPage(pages, end_index - 1),
    previous_id: ids[index - 1] ?? null,
    next_id: ids[index + 1] ?? null,
  }));
  t.match(list, expected);
  for (const { text: own, start_index, end_index } of list) {
    if (!own.includes(sliceIn('utf16', text, start_index, end_index))) t.fail(`${start_index}: ${own}`);
  }
}

t.test('the hash covers the context, so a new context is a new id', async (t) => {
  const execute = await pipeline(inline, [chunk('lines'), refine('titled')]);
  const ask = async (title?: string) => {
    const documents = [{ id: 'a', text: 'one\n', title }];
    const [list] = (await execute({ documents, include: ['hash'] })).json<Fields[][]>();
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
    const steps = [chunk('lines', { offset_unit: 'byte' }), chunk('frames', { size: 1, offset_unit })];
    const execute = await pipeline(inline, steps);
    const [list] = (await execute({ documents: [{ text, pages }], include: ['pages'] })).json<Fields[][]>();
    t.same(
      list?.map(({ first_page }) => first_page),
      [1, 2, 3, 3],
    );
  }
  const execute = await pipeline(inline, [chunk('lines', { offset_unit: 'byte' })]);
  checkProblem(
    t,
    await execute({ documents: [{ text, pages: [0, 1] }] }),
    400,
    /pages\[1\]: .*units of byte/,
  );
});

t.test('chunks of pipelines have ids whatever is included, and their own fields give way', async (t) => {
  const execute = await pipeline(inline, [chunk('lines')]);
  const fields = ['id', 'text', 'start_index', 'end_index', 'token_count', 'index', 'context', 'embedding'];
  for (const source of [{ text: 'a' }, { documents: [{ text: 'a' }] }]) {
    const [plain] = (await execute({ ...source, include: [] })).json<Fields[]>().flat();
    t.same(Object.keys(plain ?? {}), fields);
    t.equal(plain?.index, 'mine', 'a field of the plugin');
    t.match(plain?.id, /^[\da-f]{8}-/);
    const [asked] = (await execute({ ...source, include: ['index'] })).json<Fields[]>().flat();
    t.equal(asked?.index, 0, 'the field that was asked for');
    t.equal(asked?.id, plain?.id);
  }
});

t.test('a text is answered byte for byte as without include', needs('refinery/overlap'), async (t) => {
  const execute = await pipeline(inline, PIPELINES['an overlap between chunkers'] ?? []);
  for (const text of [TEXT, [TEXT, '', 'a']]) {
    const plain = await execute({ text });
    t.ok(plain.bytes.equals((await execute({ text, include: [], namespace: 'n' })).bytes));
    t.equal(plain.status, 200);
  }
});

t.test('documents of the same text have ids of their own, with a document id', async (t) => {
  const execute = await pipeline(inline, [chunk('lines')]);
  const documents = [
    { id: 'a', text: 'x\nx\n' },
    { id: 'b', text: 'x\nx\n' },
  ];
  const ids = (await execute({ documents }))
    .json<Fields[][]>()
    .flat()
    .map(({ id }) => id);
  t.equal(new Set(ids).size, 4);
});

t.test('a refinery is told of the document, in each step', async (t) => {
  const about = { id: 'a', title: 'On tea', metadata: { by: ['me'] } };
  for (const client of [inline, workers]) {
    const execute = await pipeline(client, [chunk('lines'), refine('titled')]);
    for (const text of ['a\n', 'a\n'.repeat(1000)]) {
      const lists = (await execute({ documents: [{ text, ...about }, { text }] })).json<Fields[][]>();
      t.same(
        lists.map((list) => list.at(-1)?.told),
        [about, {}],
      );
    }
  }
});

t.test('a refinery is told of the pages, in the unit of the request', async (t) => {
  for (const [offset_unit, pages] of Object.entries({
    utf16: [0, 3, 3, 7],
    code_point: [0, 2, 2, 6],
    byte: [0, 5, 5, 9],
  })) {
    const steps = [chunk('lines', { offset_unit }), refine('paged')];
    for (const client of [inline, workers]) {
      const execute = await pipeline(client, steps);
      const documents = [{ text: '😀\nb\n"\n', pages }, { text: 'a' }];
      const lists = (await execute({ documents })).json<Fields[][]>();
      t.same(
        lists.map((list) => list.at(-1)?.pages),
        [pages, null],
        offset_unit,
      );
    }
  }
});

t.test('a chunk of no text has the line and the page of its place', async (t) => {
  const execute = await pipeline(inline, [chunk('lines', utf16), refine('empty')]);
  const documents = [{ text: 'a\nb\n', pages: [0, 2] }];
  const [list] = (await execute({ documents, include: ['lines', 'pages'] })).json<Fields[][]>();
  const places = list?.map(({ first_line, last_line, first_page, last_page }) => [
    first_line,
    last_line,
    first_page,
    last_page,
  ]);
  t.same(places, [
    [1, 1, 1, 1],
    [2, 2, 2, 2],
  ]);
});

t.test('the request of an execution is checked as that of a chunker', async (t) => {
  const execute = await pipeline(inline, [chunk('lines')]);
  checkProblem(t, await execute({}), 400, /^text: missing/);
  checkProblem(t, await execute({ text: 'a', documents: [] }), 400, /together with text/);
  checkProblem(
    t,
    await execute({ documents: [{ id: '', text: 'a' }] }),
    400,
    /^documents\[0\]\.id: expected/,
  );
  checkProblem(
    t,
    await execute({ text: 'a', include: ['line'] }),
    400,
    /^include\[0\]: expected one of "id"/,
  );
  checkProblem(t, await execute({ text: 'a', includes: [] }), 400, /did you mean "include"\?/);
});
