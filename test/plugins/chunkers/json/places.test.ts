import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import { isCollection, isNode, isPair, isSeq, parseDocument, type Scalar } from 'yaml';
import { anyText } from '../../../../server/testing/cases/texts.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';

/** The pointers and records of chunks, held against another parser: JSON is YAML. */

const chunk = await openChunkers();
const json = async (request: object): Promise<JsonChunk[]> =>
  chunk('json', { offset_unit: 'utf16', ...request });

interface JsonChunk extends AnswerChunk {
  readonly pointer?: string | null;
  readonly records?: readonly [number, number];
  readonly elements?: readonly [number, number];
}

/** A name, a scalar or a whole container: from where to where, and where in the tree. */
interface Held {
  readonly start: number;
  readonly end: number;
  readonly path: readonly Step[];
  readonly isContainer: boolean;
  readonly isList: boolean;
}

/** A member or an element; two members of one name are two of them. */
interface Step {
  readonly id: unknown;
  readonly segment: string;
}

function heldIn(node: unknown, path: readonly Step[] = []): Held[] {
  const [start = 0, end = 0] = (isNode(node) && node.range) || [];
  const own = { start, end, path, isContainer: isCollection(node), isList: isSeq(node) };
  if (!isCollection(node)) return [own];
  const inner = node.items.flatMap((item, index) => {
    if (!isPair<Scalar>(item)) return heldIn(item, [...path, { id: item, segment: `${index}` }]);
    const segment = String(item.key.value).replaceAll('~', '~0').replaceAll('/', '~1');
    const within = [...path, { id: item, segment }];
    return [...heldIn(item.key, within), ...heldIn(item.value, within)];
  });
  return [own, ...inner];
}

/** What the tree gives for a stretch; undefined where it holds brackets and commas alone. */
function placeOf(held: readonly Held[], start: number, end: number) {
  const inside = held.filter(({ start: from, end: to, isContainer }) =>
    isContainer ? from >= start && to <= end : from < end && to > start,
  );
  const [first, ...others] = inside.map(({ path }) => path);
  if (first === undefined) return undefined;
  const shared = others.reduce((common, path) => {
    const same = common.findIndex((step, level) => step.id !== path[level]?.id);
    return same === -1 ? common : common.slice(0, same);
  }, first);
  const pointer = shared.map(({ segment }) => `/${segment}`).join('');
  const isShared = ({ path }: Held) =>
    path.length === shared.length && path.every(({ id }, level) => id === shared[level]?.id);
  const indexes = inside.flatMap(({ path }) => path[shared.length]?.segment ?? []);
  const isInList = indexes.length > 0 && held.some((one) => one.isList && isShared(one));
  return { pointer, elements: isInList ? [Number(indexes[0]) + 1, Number(indexes.at(-1)) + 1] : undefined };
}

const names = fc.constantFrom('a', 'b', 'a/b', '~', 'long name', 'é', '"', '');
const { value: anyValue } = fc.letrec<{ value: string; list: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom('1', '-2.5e3', 'true', 'null', '"text, with [marks]"', '"\\"\\\\"', '"😀 é"'),
    tie('list'),
    tie('object'),
  ),
  list: fc
    .tuple(fc.constantFrom('', ' ', '\n  '), fc.array(tie('value'), { maxLength: 4 }))
    .map(([space, items]) => `[${space}${items.join(`,${space}`)}]`),
  // Built as text, so that members may share a name.
  object: fc
    .tuple(fc.constantFrom('', ' ', '\r\n\t'), fc.array(fc.tuple(names, tie('value')), { maxLength: 4 }))
    .map(([space, members]) => {
      const written = members.map(([name, value]) => `${JSON.stringify(name)}:${space}${value}`);
      return `{${space}${written.join(`,${space}`)}${space}}`;
    }),
}));

t.test(
  'each chunk has the pointer of the smallest value that holds it, and the elements of a list',
  async (t) => {
    const cases = fc.record({
      text: anyValue,
      chunk_size: fc.integer({ min: 3, max: 60 }),
      min_chunk_size: fc.constantFrom(0, 0.2),
    });
    let compared = 0;
    let listed = 0;
    await fc.assert(
      fc.asyncProperty(cases, async ({ text, ...options }) => {
        const held = heldIn(parseDocument(text, { uniqueKeys: false }).contents);
        const chunks = await json({ text, ...options });
        for (const { start_index, end_index, pointer, elements } of chunks) {
          const expected = placeOf(held, start_index, end_index);
          if (expected === undefined) continue;
          compared++;
          assert.deepEqual({ pointer, elements }, expected, text.slice(start_index, end_index));
          if (elements !== undefined) listed++;
        }
      }),
      { numRuns: 400 },
    );
    t.ok(compared > 1500 && listed > 50, `${compared} chunks, ${listed} of lists`);
  },
);

t.test('records are those whose text a chunk has', async () => {
  const record = anyValue.map((value) => value.replace(/\s*\n\s*/g, ' '));
  const cases = fc.record({
    values: fc.array(record, { minLength: 2, maxLength: 8 }),
    chunk_size: fc.integer({ min: 1, max: 60 }),
    lineBreak: fc.constantFrom('\n', '\r\n', '\n\n'),
  });
  const holds = fc.asyncProperty(cases, async ({ values, chunk_size, lineBreak }) => {
    const text = values.join(lineBreak);
    const startOf = (index: number) => values.slice(0, index).join('').length + index * lineBreak.length;
    for (const { start_index, end_index, records } of await json({ text, chunk_size })) {
      const touched = values.flatMap((value, index) => {
        const start = startOf(index);
        return start < end_index && start + value.length > start_index ? [index + 1] : [];
      });
      if (touched.length > 0) assert.deepEqual(records, [touched[0], touched.at(-1)]);
    }
  });
  await fc.assert(holds, { numRuns: 150 });
});

t.test('whatever the text, tolerant chunks are within the limit, and their records rise', async () => {
  const holds = fc.asyncProperty(anyText, fc.integer({ min: 1, max: 300 }), async (text, chunk_size) => {
    let last = 1;
    for (const one of await json({ text, chunk_size, tolerant: true })) {
      const { pointer, records: [first, end] = [last, last] } = one;
      assert.ok(one.token_count <= chunk_size || Array.from(one.text).length === 1);
      assert.ok(pointer === null || /^(?:\/|$)/.test(pointer ?? '-'), `pointer ${pointer}`);
      assert.ok(first >= last && end >= first, `records ${first} to ${end} behind ${last}`);
      last = end;
    }
  });
  await fc.assert(holds, { numRuns: 300 });
});

t.test('a text that is taken gives the same chunks with tolerant as without', async () => {
  const holds = fc.asyncProperty(anyValue, fc.integer({ min: 1, max: 60 }), async (text, chunk_size) => {
    assert.deepEqual(await json({ text, chunk_size, tolerant: true }), await json({ text, chunk_size }));
  });
  await fc.assert(holds, { numRuns: 100 });
});
