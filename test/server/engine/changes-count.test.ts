import t from 'tap';
import type { Chunk } from '../../../core/contracts/chunk.ts';
import { needs } from '../../support/here.ts';
import { chunker, pluginsFolder, refinery } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { chunkStep, jsonOf, openService, refineStep } from '../../support/service.ts';
import { sliceIn } from './documents.ts';

/** Refineries of a folder outside the tree that drop, merge and split chunks. */

const counting = (name: string, body: string, manifest: object = {}) =>
  refinery(
    name,
    `const { tokenizer, part, join, surround } = context;
    const count = (text) => tokenizer.tokenize(text).count(0, text.length);
    ${body}`,
    { uses: ['tokenizer'], changesCount: true, ...manifest },
  );

const DEDUP = `const seen = new Set();
  return chunks.filter(({ text }) => !seen.has(text) && seen.add(text)).map((chunk) => ({ ...chunk }));`;
const MERGE = `const pairs = [];
  for (let at = 0; at < chunks.length; at += 2) {
    const pair = chunks.slice(at, at + 2);
    const merged = join(pair, { merged: pair.length });
    pairs.push({ ...merged, token_count: count(merged.text) });
  }
  return pairs;`;
const SPLIT = `return chunks.flatMap((chunk) => {
    const middle = chunk.text.indexOf(' ') + 1;
    const cuts = middle === 0 ? [0, chunk.text.length] : [0, middle, chunk.text.length];
    return cuts.slice(1).map((end, at) => {
      return part(chunk, cuts[at], end, { token_count: count(chunk.text.slice(cuts[at], end)) });
    });
  });`;

const folder = await pluginsFolder(
  t,
  counting('dedup', DEDUP),
  counting('merge', MERGE),
  counting('split', SPLIT),
  counting('undeclared', DEDUP, { changesCount: false }),
  counting('shuffle', 'return chunks.toReversed().map((chunk) => ({ ...chunk }));'),
  counting('outside', 'return chunks.map((chunk) => ({ ...chunk, end_index: chunk.end_index + 1000 }));'),
  counting('nowhere', "return [{ text: 'a', token_count: 1 }];"),
  counting('frame', "return chunks.map((chunk) => surround(chunk, '<', '>'));", { changesCount: false }),
  chunker(
    'lines',
    `const cuts = [...text.matchAll(/\\n/g)].map(({ index }) => index + 1);
    return [0, ...cuts].map((start, at) => ({ start, end: cuts[at] ?? text.length })).filter(({ start, end }) => end > start);`,
  ),
);
const client = await openService(t, { pluginsDir: [folder] });

const TEXT = 'é😀 one\ntwo 漢 two\né😀 one\nfour\nfive 😀\n';
const UNITS = ['code_point', 'utf16', 'byte'] as const;

/** What stands at a chunk's place in a text. */
const textAt = (text: string, { start_index, end_index }: Chunk, unit: (typeof UNITS)[number]) =>
  sliceIn(unit, text, start_index, end_index);

const refine = async (name: string, chunks: unknown) =>
  jsonOf<Chunk[]>(await client.post({ run: 'refine', name }, { chunks }));

const textsOf = (chunks: readonly Chunk[]) => chunks.map(({ text }) => text);

for (const unit of UNITS) {
  t.test(`chunks of a request may be dropped, merged and split: places in ${unit}`, async (t) => {
    const chunks = await client.chunk('lines', { text: TEXT, offset_unit: unit });
    t.equal(chunks.length, 5);
    const kept = await refine('dedup', chunks);
    t.same(kept, [chunks[0], chunks[1], chunks[3], chunks[4]], 'in the order of the text');
    const merged = await refine('merge', chunks);
    t.match(merged, [{ merged: 2 }, { merged: 2 }, { merged: 1 }]);
    const split = await refine('split', chunks);
    t.equal(split.length, 9);
    t.equal(textsOf(split).join(''), TEXT);
    for (const chunk of [...merged, ...split]) {
      t.equal(textAt(TEXT, chunk, unit), chunk.text);
      t.equal(chunk.token_count, Array.from(chunk.text).length);
    }
  });
}

t.test('what chunks repeat of each other is merged once', async (t) => {
  const text = '0123456789😀abcdefghi';
  const chunks = await client.chunk('token', { text, chunk_size: 8, chunk_overlap: 3 });
  const merged = await refine('merge', chunks);
  for (const chunk of merged) t.equal(textAt(text, chunk, 'code_point'), chunk.text);
});

type Step = readonly [name: string, config?: Record<string, unknown>];

function execute(text: string, ...steps: Step[]) {
  const all = steps.map(([plugin, config], index) =>
    index === 0 || plugin === 'token' ? chunkStep(plugin, config) : refineStep(plugin, config),
  );
  return client.execute(all, { text });
}

t.test('in a pipeline', async (t) => {
  for (const unit of UNITS) {
    await t.test(`offsets and ids are right, and a later step cuts what is left: ${unit}`, async (t) => {
      const lines: Step = ['lines', { offset_unit: unit }];
      const chunks = (await execute(TEXT, lines, ['dedup'], ['split'], ['merge'])).json<Chunk[]>();
      t.same(textsOf(chunks), ['é😀 one\n', 'two 漢 two\n', 'four\nfive ', '😀\n'], 'pairs of halves');
      t.equal(new Set(chunks.map(({ id }) => id)).size, chunks.length);
      for (const chunk of chunks) t.equal(textAt(TEXT, chunk, unit), chunk.text);
      const cut: Step = ['token', { chunk_size: 3, offset_unit: unit }];
      const again = (await execute(TEXT, lines, ['dedup'], cut)).json<Chunk[]>();
      t.equal(textsOf(again).join(''), 'é😀 one\ntwo 漢 two\nfour\nfive 😀\n', 'what was dropped stays away');
      for (const chunk of again) t.equal(textAt(TEXT, chunk, unit), chunk.text);
    });
  }

  await t.test('neighbours are those that are left', needs('refinery/overlap'), async (t) => {
    const overlap: Step = ['overlap', { context_size: 100 }];
    const chunks = (await execute(TEXT, ['lines'], ['dedup'], overlap)).json<Chunk[]>();
    const contexts = ['two 漢 two\n', 'four\n', 'five 😀\n', null];
    for (const [index, chunk] of chunks.entries()) {
      t.equal(chunk.context, contexts[index]);
      t.equal(textAt(TEXT, chunk, 'code_point') + (chunk.context ?? ''), chunk.text);
    }
  });

  await t.test('what others have put around a chunk stays, before and after', async (t) => {
    const framed = (await execute(TEXT, ['lines'], ['frame'], ['dedup'], ['frame'])).json<Chunk[]>();
    t.same(textsOf(framed), ['<<é😀 one\n>>', '<<two 漢 two\n>>', '<<four\n>>', '<<five 😀\n>>']);
    const split = (await execute(TEXT, ['lines'], ['frame'], ['split'])).json<Chunk[]>();
    t.same(textsOf(split).slice(0, 2), ['<é😀 ', 'one\n>']);
    // Parts of a text that is not the source have the place of the whole.
    for (const part of split.slice(0, 2)) t.equal(textAt(TEXT, part, 'code_point'), 'é😀 one\n');
  });
});

t.test('a promise that is broken is a 500 that says what to do', async (t) => {
  const chunks = await client.chunk('lines', { text: TEXT });
  for (const [name, reason] of [
    ['undeclared', /it got 5 chunks and returned 4; .* says "changesCount: true" in its manifest/],
    ['shuffle', /the chunk 1 that it returned begins before the previous one/],
    ['nowhere', /the chunk 0 that it returned has no offsets in the text/],
  ] as const) {
    checkProblem(t, await client.post(`/v1/refine/${name}`, { chunks }), 500, reason);
  }
  const outside = await execute(TEXT, ['lines'], ['outside']);
  checkProblem(t, outside, 500, /the chunk 0 that it returned lies outside the text/);
});

t.test('a chunk step after one with an overlap keeps places and texts right', async (t) => {
  const text = 'abcdefghij😀lmnopqrst';
  const steps: Step[] = [
    ['token', { chunk_size: 10, chunk_overlap: 5 }],
    ['token', { chunk_size: 3 }],
  ];
  const chunks = (await execute(text, ...steps)).json<Chunk[]>();
  t.same(textsOf(chunks).slice(0, 6), ['abc', 'def', 'ghi', 'j', 'fgh', 'ij😀']);
  for (const chunk of chunks) t.equal(textAt(text, chunk, 'code_point'), chunk.text);
});
