import assert from 'node:assert/strict';
import fc from 'fast-check';
import t from 'tap';
import type { Chunk, DocumentInfo } from '../../../../core/contracts/chunk.ts';
import createContext from '../../../../plugins/refineries/context/index.ts';
import type { ContextOptions } from '../../../../plugins/refineries/context/manifest.ts';
import { chunksOf, TOOLS } from '../refining.ts';

const { refine } = createContext();

/** Texts that contain no word that a missing value could become. */
const text = fc.string({
  unit: fc.constantFrom('a', 'b', 'é', '😀', '这', '\ud83d', ' ', '0', '1', '-', ':', '/'),
});
const line = fc.oneof(text, fc.constantFrom('', 'Tea', 'x'.repeat(70), '😀'.repeat(400)));
const given = fc.oneof(
  line,
  fc.double(),
  fc.constantFrom<unknown>(null, undefined, true, [], {}, [null, { name: null }]),
);
const values = fc.oneof(
  given,
  fc.array(given, { maxLength: 40 }),
  fc.array(fc.array(line, { maxLength: 2 })),
);
const metadata = fc.dictionary(fc.constantFrom('filename', 'year', 'by', 'tags', '1', '__proto__'), values);
const scope = fc.array(fc.constantFrom('class A', 'class B', 'parse'), { maxLength: 4 });
const nodes = fc.array(
  fc.oneof(
    fc.record({ name: line, scope }, { requiredKeys: [] }),
    fc.record({ name: given, scope: values }),
    given,
  ),
  { maxLength: 30 },
);

const anyChunks: fc.Arbitrary<Chunk[]> = fc
  .array(
    fc.record(
      {
        nodes: fc.oneof(nodes, given),
        metadata: fc.oneof(metadata, given),
        heading_path: values,
        context: given,
        document_id: given,
      },
      { requiredKeys: [] },
    ),
    { maxLength: 5 },
  )
  .map((all) => all.flatMap((fields, index) => chunksOf([`text ${index}`], fields)));
const anyDocument: fc.Arbitrary<DocumentInfo> = fc.record(
  { id: line, title: line, filename: line, metadata: fc.oneof(metadata, fc.constant(undefined)) },
  { requiredKeys: [] },
);

const value = fc.constantFrom(
  ...['title', 'filename', 'id', 'heading_path', 'scope', 'names', 'metadata', 'context'],
  ...['metadata.year', 'metadata.by.name', 'metadata.tags', 'previous:5', 'next:7'],
);
const alternatives = fc.uniqueArray(value, { minLength: 1, maxLength: 3 }).map((all) => `{${all.join('|')}}`);
const template = fc
  .array(fc.oneof(alternatives, fc.constantFrom('\n', '\n', ' by ', '{{', 'Tea')), {
    minLength: 1,
    maxLength: 20,
  })
  .map((pieces) => pieces.join(''));
const max_length = fc.oneof(fc.constant(2000), fc.integer({ min: 1, max: 50 }));
const anyOptions: fc.Arbitrary<ContextOptions> = fc.record({
  template,
  max_length,
  separator: fc.constantFrom(' > ', '', '/'),
});

async function contextsOf(
  chunks: readonly Chunk[],
  document: DocumentInfo,
  options: Partial<ContextOptions>,
): Promise<(string | null)[]> {
  const all = { separator: ' > ', max_length: 2000, template: '', ...options };
  const refined = await refine(chunks, all, { ...TOOLS, document });
  return refined.map(({ context }) => context as string | null);
}

t.test('no context is longer than its limit, and none names what is missing', async () => {
  const holds = fc.asyncProperty(anyChunks, anyDocument, anyOptions, async (chunks, document, options) => {
    for (const context of await contextsOf(chunks, document, options)) {
      if (context === null) continue;
      assert.ok(context !== '' && Array.from(context).length <= options.max_length);
      assert.doesNotMatch(context, /undefined|null|none|NaN|Infinity|\[object/i);
    }
  });
  await fc.assert(holds, { numRuns: 1000 });
});

t.test('alternatives are the first context that is not null, and lines are those of each value', async () => {
  const pair = fc.uniqueArray(value, { minLength: 2, maxLength: 2 });
  const holds = fc.asyncProperty(anyChunks, anyDocument, pair, async (chunks, document, [a, b]) => {
    const made = (template: string) => contextsOf(chunks, document, { template, max_length: 20_000 });
    const [first, second] = [await made(`{${a}}`), await made(`{${b}}`)];
    const expected = first.map((context, index) => context ?? second[index]);
    assert.deepEqual(await made(`{${a}|${b}}`), expected);
    const lines = first.map((context, index) => {
      const both = [context, second[index]].filter((one) => one !== null);
      return [...new Set(both)].join('\n') || null;
    });
    assert.deepEqual(await made(`{${a}}\n{${b}}`), lines);
  });
  await fc.assert(holds, { numRuns: 500 });
});

t.test('a scope is all that every node begins with; lists are whole and short', async () => {
  const longName = fc.string({
    unit: fc.constantFrom(...'abcdef'),
    minLength: 1,
    maxLength: 90,
    size: 'max',
  });
  const known = fc.array(fc.record({ name: longName, scope }), { minLength: 1, maxLength: 20, size: 'max' });
  const holds = fc.asyncProperty(known, async (nodes) => {
    const [chunk] = chunksOf(['text'], { nodes, metadata: Object.fromEntries(nodes.entries()) });
    const of = async (template: string) => (await contextsOf([chunk as Chunk], {}, { template }))[0] ?? '';
    const shared = (await of('{scope}')).split(' > ').filter((one) => one !== '');
    assert.ok(nodes.every(({ scope }) => shared.every((unit, depth) => scope[depth] === unit)));
    const isLongest = new Set(nodes.map(({ scope }) => scope[shared.length])).size > 1;
    assert.ok(isLongest || nodes.some(({ scope }) => scope.length === shared.length));
    const all = nodes.map(({ name, scope }) => {
      const unit = scope.length > shared.length ? `${scope.at(-1)} > ` : '';
      return unit + name;
    });
    const names = await of('{names}');
    const written = names.split(', ');
    assert.deepEqual(written, [...new Set(all)].slice(0, written.length));
    const next = [...new Set(all)][written.length];
    assert.ok(names.length <= 300 && (next === undefined || names.length + next.length + 2 > 300));
  });
  await fc.assert(holds, { numRuns: 500 });
});
