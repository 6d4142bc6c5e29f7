import fc from 'fast-check';
import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

/** The pointers and records of chunks, held against a parser that is written in another way: as a tree. */

const chunk = await openChunkers();

/** A value with its name, or with its element's place: from where to where, and where in the tree. */
interface Held {
  readonly start: number;
  readonly end: number;
  readonly path: readonly Step[];
  readonly isContainer: boolean;
}

/** A member or an element; two members of one name are two of them. */
interface Step {
  readonly id: object;
  readonly segment: string;
}

/** Names, scalars and whole containers of a valid JSON text. */
function heldIn(text: string, offset: number, held: Held[], path: readonly Step[] = []): number {
  let at = skip(text, offset);
  const start = at;
  const open = text[at];
  if (open !== '{' && open !== '[') {
    at = /^(?:"(?:[^"\\]|\\.)*"|[^\s,\]}]+)/.exec(text.slice(at))?.[0].length ?? 0;
    held.push({ start, end: start + at, path, isContainer: false });
    return start + at;
  }
  at = skip(text, at + 1);
  for (let element = 0; text[at] !== ']' && text[at] !== '}'; element++) {
    let segment = String(element);
    const step = { id: {}, segment };
    if (open === '{') {
      const name = /^"(?:[^"\\]|\\.)*"/.exec(text.slice(at))?.[0] ?? '';
      segment = JSON.parse(name).replaceAll('~', '~0').replaceAll('/', '~1');
      Object.assign(step, { segment });
      held.push({ start: at, end: at + name.length, path: [...path, step], isContainer: false });
      at = skip(text, at + name.length) + 1;
    }
    at = skip(text, heldIn(text, at, held, [...path, step]));
    if (text[at] === ',') at = skip(text, at + 1);
  }
  held.push({ start, end: at + 1, path, isContainer: true });
  return at + 1;
}

function skip(text: string, at: number): number {
  return at + (/^[ \t\r\n]*/.exec(text.slice(at))?.[0].length ?? 0);
}

/** The pointer that the tree gives for a stretch; undefined where it holds brackets and commas alone. */
function pointerOf(held: readonly Held[], start: number, end: number): string | undefined {
  const inside = held.filter(({ start: from, end: to, isContainer }) =>
    isContainer ? from >= start && to <= end : from < end && to > start,
  );
  const [first, ...others] = inside.map(({ path }) => path);
  if (first === undefined) return undefined;
  const shared = others.reduce((common, path) => {
    const same = common.findIndex((step, level) => step.id !== path[level]?.id);
    return same === -1 ? common : common.slice(0, same);
  }, first);
  return shared.map(({ segment }) => `/${segment}`).join('');
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

t.test('each chunk has the pointer of the smallest value that holds it', async (t) => {
  const cases = fc.record({
    text: anyValue,
    chunk_size: fc.integer({ min: 3, max: 60 }),
    min_chunk_size: fc.constantFrom(0, 0.2),
  });
  let compared = 0;
  await fc.assert(
    fc.asyncProperty(cases, async ({ text, ...options }) => {
      const held: Held[] = [];
      heldIn(text, 0, held);
      const answer = await chunk('json', { text, ...options, offset_unit: 'utf16' });
      if (answer.map(({ text }) => text).join('') !== text) throw new Error('text is lost');
      for (const { start_index, end_index, ...fields } of answer) {
        const expected = pointerOf(held, start_index, end_index);
        if (expected === undefined) continue;
        compared++;
        const { pointer } = fields as { pointer?: unknown };
        if (pointer !== expected)
          throw new Error(
            JSON.stringify({ text, chunk: text.slice(start_index, end_index), pointer, expected }),
          );
      }
    }),
    { numRuns: 1500 },
  );
  t.ok(compared > 1500, `${compared} chunks`);
});

t.test('records are those whose text a chunk has, and no chunk is over the limit', async () => {
  const records = fc
    .array(anyValue, { minLength: 2, maxLength: 8 })
    .map((values) => values.map((one) => one.replace(/\s*\n\s*/g, ' ')));
  const cases = fc.record({
    values: records,
    chunk_size: fc.integer({ min: 1, max: 60 }),
    lineBreak: fc.constantFrom('\n', '\r\n', '\n\n'),
  });
  await fc.assert(
    fc.asyncProperty(cases, async ({ values, chunk_size, lineBreak }) => {
      const text = values.join(lineBreak);
      const starts = values.map(
        (_, index) => values.slice(0, index).join(lineBreak).length + (index > 0 ? lineBreak.length : 0),
      );
      for (const one of await chunk('json', { text, chunk_size, offset_unit: 'utf16' })) {
        const touched = values.flatMap((value, index) => {
          const start = starts[index] as number;
          return start < one.end_index && start + value.length > one.start_index ? [index + 1] : [];
        });
        const { records } = one as { records?: readonly number[] };
        if (touched.length > 0 && `${records}` !== `${touched[0]},${touched.at(-1)}`)
          throw new Error(JSON.stringify({ text, one, touched }));
        if (one.token_count > chunk_size && Array.from(one.text).length > 1)
          throw new Error(`over the limit: ${one.text}`);
      }
    }),
    { numRuns: 500 },
  );
});
