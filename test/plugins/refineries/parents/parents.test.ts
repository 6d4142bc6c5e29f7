import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import manifest from '../../../../plugins/refineries/parents/manifest.ts';
import { chunker, pluginsFolder } from '../../../support/plugins.ts';
import { chunkStep, jsonOf, openService, refineStep } from '../../../support/service.ts';
import { linesIn } from '../../../support/streams.ts';
import { chunksOf } from '../refining.ts';

/** A chunker whose chunks are lines, under the headings that stand before them as `A/B:`. */
const LINES = chunker(
  'headed-lines',
  `return [...text.matchAll(/[^\\n]*\\n|[^\\n]+/g)].map(({ index, 0: line }) => ({
    start: index, end: index + line.length,
    ...(line.includes(':') && { extra: { heading_path: line.split(':')[0].split('/') } }) }));`,
);
const pluginsDir = [await pluginsFolder(t, LINES)];
const { post, chunk, execute: run, stream } = await openService(t, { pluginsDir });

const UUID = /^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

const refine = async (chunks: readonly unknown[], options: object = {}): Promise<Chunk[]> =>
  jsonOf(await post('/v1/refine/parents', { chunks, ...options }));

type Config = Readonly<Record<string, unknown>>;

/** Headed lines, and behind them the refinery. */
const stepsOf = (config: Config, chunkConfig?: Config) => [
  chunkStep('headed-lines', chunkConfig),
  refineStep('parents', config),
];

const execute = async (documents: readonly object[], config: Config, chunkConfig?: Config) =>
  jsonOf<Chunk[][]>(await run(stepsOf(config, chunkConfig), { documents }));

/** The texts of the parents, after what holds for all of them. */
function parentTexts(chunks: readonly Chunk[]): string[] {
  const texts: string[] = [];
  let id: unknown;
  for (const { parent_id, parent_text, parent_start_index, start_index } of chunks) {
    const isFirst = parent_id !== id;
    if (isFirst !== (parent_text !== undefined)) throw new Error('the first chunk alone has the text');
    if (isFirst && parent_start_index !== start_index) throw new Error('it begins with its first chunk');
    if (typeof parent_text === 'string') texts.push(parent_text);
    id = parent_id;
  }
  return texts;
}

t.test('the example is answered as the README says', async (t) => {
  const [one, two, three] = (await post('/v1/refine/parents', manifest.example)).json<Chunk[]>();
  const { parent_id, ...found } = one as Chunk;
  t.match(parent_id, UUID);
  const parent = { parent_start_index: 0, parent_end_index: 14 };
  t.same(found, { ...manifest.example.chunks[0], ...parent, parent_text: 'Run it. Wait. ' });
  t.same(two, { ...manifest.example.chunks[1], ...parent, parent_id });
  t.match(three, { parent_start_index: 14, parent_end_index: 22, parent_text: 'Stop it.' });
  t.not(three?.parent_id, parent_id);
});

t.test('sections share their first headings', async (t) => {
  const text = 'no heading\nA:1\nA/B:2\nA/B/C:3\nA/B/D:4\nA/E:5\nF:6\nA/B:7\n';
  const sections = async (level: number) => parentTexts((await execute([{ text }], { level }))[0] as Chunk[]);
  t.same(await sections(1), ['no heading\n', 'A:1\nA/B:2\nA/B/C:3\nA/B/D:4\nA/E:5\n', 'F:6\n', 'A/B:7\n']);
  const second = ['no heading\n', 'A:1\n', 'A/B:2\nA/B/C:3\nA/B/D:4\n', 'A/E:5\n', 'F:6\n', 'A/B:7\n'];
  t.same(await sections(2), second);
  t.equal((await sections(3)).length, 8);
});

t.test('pages are those of the document, in each unit, or those that the chunks say', async (t) => {
  const text = '😀one\ntwo\nthree\nfour\n';
  for (const [offset_unit, pages] of Object.entries({
    code_point: [0, 6, 6, 16],
    utf16: [0, 7, 7, 17],
    byte: [0, 9, 9, 19],
  })) {
    const [chunks] = await execute([{ text, pages }], { by: 'page' }, { offset_unit });
    t.same(parentTexts(chunks as Chunk[]), ['😀one\ntwo\n', 'three\nfour\n'], offset_unit);
  }
  const whole = await execute([{ text }], { by: 'page' });
  t.same(parentTexts(whole[0] as Chunk[]), [text], 'a document without pages is one page');
  const placed = chunksOf(['a', 'b', 'c']).map((one, at) => ({ ...one, first_page: at === 2 ? 2 : 1 }));
  t.same(parentTexts(await refine(placed, { by: 'page' })), ['ab', 'c']);
});

t.test('what chunks repeat of each other is in the text once', async (t) => {
  const chunks = await chunk('token', { text: 'abcdefghij', chunk_size: 4, chunk_overlap: 2 });
  t.same(parentTexts(await refine(chunks, { by: 'size', parent_size: 8 })), ['abcdefgh', 'ghij']);
});

t.test('ids are the same each time, and tell equal parents and documents apart', async (t) => {
  const text = 'A:1\nB:2\nA:1\n';
  const documents = [{ text, id: 'one' }, { text, id: 'two' }, { text }];
  const idsOf = (lists: Chunk[][]) =>
    lists.map((chunks) => chunks.map(({ parent_id }) => parent_id as string));
  const ids = idsOf(await execute(documents, {}));
  t.equal(new Set(ids.flat()).size, 9);
  for (const id of ids.flat()) t.match(id, UUID);
  t.same(idsOf(await execute(documents, {})), ids);
  const [edited] = idsOf(await execute([{ text: 'A:1\nB:changed\nA:1\n', id: 'one' }], {}));
  t.same([edited?.[0], edited?.[2]], [ids[0]?.[0], ids[0]?.[2]], 'an edit keeps the ids of other parents');
  t.not(edited?.[1], ids[0]?.[1]);

  const given = (await post('/v1/chunk/headed-lines', { documents })).json<Chunk[][]>();
  const refined = (await refine(given)) as unknown as Chunk[][];
  t.same(idsOf(refined), ids, 'refined by themselves, by their document_id');
  const [mixed] = (await refine([[...(given[0] ?? []), ...(given[1] ?? [])]])) as unknown as Chunk[][];
  t.same([...new Set(mixed?.map(({ parent_id }) => parent_id))].length, 6);
});

t.test('refined again, the fields are those of the last time', async (t) => {
  const first = await refine(manifest.example.chunks, { by: 'size' });
  const again = await refine(first, { by: 'size', parent_size: 1 });
  t.same(await refine(again, { by: 'size' }), first);
  const parents = again.map(({ parent_text }) => parent_text);
  const expected = manifest.example.chunks.map(({ text }) => text);
  t.same(parents, expected);
});

t.test('streams and batches give the same', async (t) => {
  const documents = [{ text: 'A:1\nA:22\nB:3\n', id: 'é' }, { text: '' }, { text: 'x\ny\n' }];
  const config = { by: 'size', parent_size: 7 };
  const { bytes } = await stream({ run: 'execute', steps: stepsOf(config) }, {}, documents);
  const streamed = linesIn(bytes).map(({ chunks }) => chunks);
  t.same(streamed, await execute(documents, config));
});
