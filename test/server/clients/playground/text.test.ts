import fc from 'fast-check';
import t from 'tap';
import {
  type Chunk,
  isEffective,
  NO_RUN,
  type Run,
  resolve,
} from '../../../../server/clients/playground/data/model.ts';
import { endNotices } from '../../../../server/clients/playground/data/notices.ts';
import { createStore, type State } from '../../../../server/clients/playground/data/state.ts';
import { histogramOf, numbersOf } from '../../../../server/clients/playground/text/numbers.ts';
import { excerptOf, lengthIn, toUtf16 } from '../../../../server/clients/playground/text/offsets.ts';
import {
  blockAt,
  blocksOf,
  classesOf,
  columnsOf,
  differencesOf,
  piecesOf,
} from '../../../../server/clients/playground/text/pieces.ts';
import { placesOf, wordsOf } from '../../../../server/clients/playground/text/where.ts';
import { needs } from '../../../support/here.ts';
import { startServer } from '../../../support/server.ts';

/** The parts of the playground that need no browser. */

const chunk = (start_index: number, end_index: number, more: object = {}): Chunk => ({
  text: `${start_index}-${end_index}`,
  start_index,
  end_index,
  token_count: end_index - start_index,
  ...more,
});

/** Chunks with rising starts and rising ends, with gaps and overlaps. */
const anyChunks = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 5 }), fc.integer({ min: 0, max: 5 })), { maxLength: 12 })
  .map((steps) => {
    let [start, end] = [0, 0];
    return steps.map(([forward, further]) => {
      start = Math.min(start + forward, end + 2);
      end = Math.max(end, start) + 1 + further;
      return chunk(start, end);
    });
  });

const unit = fc.constantFrom('a', 'é', 'e\u0301', '漢', '😀', '\ud83d', '\ude00', '\r\n', '\n', ' ', 'ש');
const anyText = fc.array(unit, { maxLength: 60 }).map((units) => units.join(''));

t.test('pieces say of every character which chunks cover it', async () => {
  const coveredRight = (chunks: readonly Chunk[], from: number, length: number) => {
    let at = from;
    for (const { start, end, chunk, isOverlap, isStart } of piecesOf(chunks, from, from + length)) {
      if (start !== at || end <= start) return false;
      for (; at < end; at++) {
        const covering = chunks.filter(({ start_index, end_index }) => start_index <= at && at < end_index);
        if (covering[0] !== chunks[chunk] || covering.length > 1 !== isOverlap) return false;
      }
      if (isStart !== chunks.some(({ start_index }) => start_index === start)) return false;
    }
    return at === from + length;
  };
  fc.assert(fc.property(anyChunks, fc.nat(30), fc.nat(40), coveredRight), { numRuns: 500 });
});

t.test('blocks are the text, and cut no pair and no line break in two', async (t) => {
  const cutRight = (units: readonly string[], times: number) => {
    const text = units.join('').repeat(times).slice(0, 20_000);
    const edges = blocksOf(text);
    if (edges[0] !== 0 || edges.at(-1) !== text.length) return false;
    return edges.every((edge, index) => {
      const length = edge - (edges[index - 1] ?? -1);
      const [before = '', after = ''] = [text[edge - 1], text[edge]];
      const isPair = /[\ud800-\udbff]/.test(before) && /[\udc00-\udfff]/.test(after);
      const isWhole = edge === text.length || (!isPair && !(before === '\r' && after === '\n'));
      return isWhole && length > 0 && length <= 3002;
    });
  };
  const units = fc.array(unit, { minLength: 1, maxLength: 9 });
  const examples: [string[], number][] = [[[...'aaa😀aa'], 1000]];
  fc.assert(fc.property(units, fc.integer({ min: 1, max: 4000 }), cutRight), { numRuns: 100, examples });
  const blocks = [0, 5, 9].map((at) => blockAt([0, 5, 9], at));
  t.same(blocks, [0, 1, 1]);
});

t.test('offsets of other units are found again', async () => {
  fc.assert(
    fc.property(anyText, fc.constantFrom('code_point' as const, 'byte' as const), (text, unit) => {
      const edges: number[] = [0];
      for (const character of text) edges.push((edges.at(-1) as number) + character.length);
      const chunks = edges.map((edge) => chunk(0, lengthIn(text.slice(0, edge), unit)));
      return toUtf16(text, chunks, unit).every(({ end_index }, index) => end_index === edges[index]);
    }),
  );
  fc.assert(fc.property(anyText, (text) => lengthIn(text, 'byte') === Buffer.byteLength(text)));
  fc.assert(fc.property(anyText, (text) => lengthIn(text, 'code_point') === Array.from(text).length));
});

t.test('numbers', async (t) => {
  const text = 'One two. Three\n| a | b |\n```\nx\ny\n```\nend';
  const none = { sentence: 0, fence: 0, row: 0, word: 0 };
  for (const [mark, cuts] of [
    [0, {}],
    [text.indexOf('Three'), {}],
    [text.indexOf('two'), { sentence: 1 }],
    [text.indexOf('ree'), { sentence: 1, word: 1 }],
    [text.indexOf('b |'), { sentence: 1, row: 1 }],
    [text.indexOf('y'), { fence: 1 }],
  ] as const) {
    const chunks = mark === 0 ? [chunk(0, text.length)] : [chunk(0, mark), chunk(mark, text.length)];
    const found = numbersOf(text, chunks, 20).cuts;
    t.same(found, { ...none, ...cuts }, `cut before ${text.slice(mark, mark + 5)}`);
  }
  const chunks = [chunk(0, 10), chunk(5, 15, { text: '0-10' }), chunk(20, 21)];
  const counts = { chunks: 3, least: 1, median: 10, most: 10, tokens: 21 };
  const numbers = numbersOf('x'.repeat(40), chunks, 9);
  t.match(numbers, { ...counts, duplicates: 1, overLimit: 2, coverage: 0.4 });
  const sized = [1, 10, 10, 11, 20].map((token_count) => chunk(0, 1, { token_count }));
  t.same(histogramOf(sized, 20, 2), [3, 2]);
});

t.test('differences are the boundaries that not all have', async (t) => {
  const [a, b] = [
    [chunk(0, 5), chunk(5, 9)],
    [chunk(0, 6), chunk(6, 9)],
  ];
  t.same(differencesOf([a, b]), [new Set([5]), new Set([6])]);
  t.same(differencesOf([a, a]), [new Set(), new Set()]);
});

t.test('schemas are read as the document has them', async (t) => {
  const components = { Size: { type: 'integer', minimum: 1 } };
  const parts = [{ properties: { a: { $ref: '#/components/schemas/Size' } } }, { properties: { b: {} } }];
  t.same(Object.keys(resolve({ allOf: parts }, components).properties ?? {}), ['a', 'b']);
  const inner = { type: 'string', default: 'x' };
  t.same(resolve({ description: 'd', allOf: [inner] }, {}), { ...inner, description: 'd' });
  const properties = { mode: { default: 'one' }, only: { 'x-effective-with': { mode: ['two'] } } };
  t.notOk(isEffective(properties.only, properties, {}));
  t.ok(isEffective(properties.only, properties, { mode: 'two' }));
});

t.test('a notice ends by itself, by Escape, by a click and by the next action', async (t) => {
  const [store, page] = [createStore({ notice: '' }), new EventTarget()];
  let pass = () => {};
  endNotices(store, page, (end, after) => {
    t.equal(after, 15_000, 'the longest, however long the notice');
    pass = end;
    return setTimeout(() => {});
  });
  const does = (action: string) => () => page.dispatchEvent(new Event(action));
  for (const end of [() => pass(), ...['keydown', 'click', 'change', 'drop'].map(does)]) {
    store.change({ notice: `The file cannot be read. ${'x'.repeat(1000)}` });
    await Promise.resolve();
    end();
    t.equal(store.state.notice, '');
  }
});

t.test('a setting that failed, or has not run, does not look like lost text', async (t) => {
  const ran: Run = { ...NO_RUN, chunks: [chunk(0, 5), chunk(6, 9)] };
  const stateOf = (runs: Run[]) =>
    ({
      settings: runs.map((_, at) => ({
        id: 'ABC'[at],
        steps: [{ kind: 'chunker', name: 'x', options: {} }],
      })),
      runs: new Map(runs.map((run, at) => ['ABC'[at], run])),
      showsDifferences: true,
      asked: { found: new Map() },
    }) as unknown as State;
  const failed: Run = { ...NO_RUN, error: 'chunk_size: expected an integer of at least 1, got 0.' };
  const columns = columnsOf(stateOf([ran, failed, { ...ran, chunks: [chunk(0, 5), chunk(7, 9)] }]));
  const differences = columns.map((column) => [...column.differences]);
  t.same(differences, [[6], [], [7]], 'what failed differs from nothing');
  const shown = [ran, failed, { ...NO_RUN, isStale: true }, { ...ran, isStale: true }, NO_RUN].map((run) => {
    const [column] = columnsOf(stateOf([run]));
    return column && classesOf(column, { start: 5, end: 6, chunk: -1, isOverlap: false, isStart: false });
  });
  t.same(shown, ['gap', '', '', 'gap', 'gap']);
});

t.test('what is found is shown in words', async (t) => {
  t.equal(excerptOf(' two\n\n  words ', 20), 'two words');
  t.equal(excerptOf('😀😀😀', 2), '😀😀 …');
});

t.test('places are said in words', async (t) => {
  for (const [places, words] of [
    [[], ''],
    [[{ page: 4 }, { page: 3, box: [0, 0, 1, 1] }, { page: 7 }, { page: 3 }], 'page 3–4, 7'],
    [[{ cell: 4 }, { cell: 5 }], 'cell 4–5'],
    [[{ start_time: 61.5, end_time: 75.2, speaker: 'Ann' }], '1:01.5 – 1:15.2 · Ann'],
    [[{ start_time: 3599.96, end_time: 3600.04 }], '1:00:00 – 1:00:00'],
    [[{ start_time: 36_000.5, end_time: 39_661 }], '10:00:00.5 – 11:01:01'],
    [[{ start_time: 0 }, { speaker: 'Bob' }], '0:00 – 0:00; Bob'],
    [[{ sheet: 'Costs', cells: 'A2:D9' }, { sheet: 'Notes' }, { sheet: 'Notes' }], 'Costs A2:D9; Notes'],
    [[{ page: 2, image: 1 }], 'page 2; image 1'],
  ] as const)
    t.equal(wordsOf(places), words);
});

t.test('a chunk has its places, or those of what overlaps it in the file', async (t) => {
  const of = [chunk(0, 5), chunk(5, 9)];
  const placed = (start: number, end: number, page: number) => chunk(start, end, { places: [{ page }] });
  const stateOf = (chunks: Chunk[] | undefined, index: number) => ({
    runs: new Map([['A', { ...NO_RUN, chunks: of }]]),
    selection: { setting: 'A', chunk: index },
    located: { of, chunks, problem: undefined },
  });
  const same = [placed(0, 5, 1), placed(5, 9, 2)];
  t.same(placesOf(stateOf(same, 1)), [{ page: 2 }]);
  const others = [placed(0, 4, 1), placed(4, 7, 2), placed(7, 9, 3)];
  t.same(placesOf(stateOf(others, 0)), [{ page: 1 }, { page: 2 }]);
  t.same(placesOf(stateOf([chunk(0, 5, { places: null }), chunk(5, 9)], 0)), []);
  t.same(placesOf(stateOf(undefined, 0)), []);
  t.same(placesOf({ ...stateOf(same, 0), located: undefined }), []);
});

const OF_MODELS = needs('embedding/static', 'tokenizer/huggingface');

t.test('questions start with the model that the service takes for them', OF_MODELS, async (t) => {
  const { url } = await startServer(t);
  Object.assign(globalThis, { location: { href: `${url}/playground` } });
  t.teardown(() => Reflect.deleteProperty(globalThis, 'location'));
  // Not by a literal: its types are those of a page.
  const catalogue: string = '../../../../server/clients/playground/data/catalogue.ts';
  const { readCatalogue } = await import(catalogue);
  t.equal((await readCatalogue()).model, 'chunksmith/retrieval-en-512');
});

t.test('it can be left out', async (t) => {
  const without = await startServer(t, { playground: false });
  t.equal((await without.get('/playground')).status, 404);
  t.equal((await without.get('/playground/main.ts')).status, 404);
  t.equal((await without.get('/docs')).status, 200);
});
