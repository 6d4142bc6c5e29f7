import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

/** Real files that are damaged at some places keep the promises all the same. */

const chunk = await openChunkers();
const ROOT = join(import.meta.dirname, '../../../..');
const FILES = ['package.json', 'tsconfig.json', 'biome.jsonc'].map((file) =>
  readFileSync(join(ROOT, file), 'utf8'),
);
const LINES = Array.from({ length: 30 }, (_, id) =>
  JSON.stringify({ id, name: `é😀 ${id}`, tags: ['a\n', { b: null }] }),
);
const PIECES = [
  '',
  '"',
  '\\',
  '\\u',
  '\\ud83d',
  ',',
  ':',
  '{',
  '}',
  '[',
  ']',
  '\n',
  '\r',
  '😀',
  '\ud83d',
  '\0',
  '// a\n',
  '1e',
];

const mutated = fc
  .tuple(
    fc.constantFrom(...FILES, LINES.join('\n'), LINES.join('')),
    fc.array(fc.record({ at: fc.nat(), cut: fc.nat(4), put: fc.constantFrom(...PIECES) }), { maxLength: 6 }),
  )
  .map(([file, mutations]) =>
    mutations.reduce((text, { at, cut, put }) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + cut);
    }, file),
  );

t.test(
  'whatever is damaged, with tolerant chunks are the text, within the limit, and their records rise',
  async () => {
    await fc.assert(
      fc.asyncProperty(mutated, fc.integer({ min: 1, max: 300 }), async (text, chunk_size) => {
        const chunks = await chunk('json', { text, chunk_size, tolerant: true });
        if (chunks.map(({ text }) => text).join('') !== text) throw new Error('text is lost');
        let last = 1;
        for (const one of chunks) {
          if (one.token_count > chunk_size && Array.from(one.text).length > 1)
            throw new Error(`over: ${one.text}`);
          const { pointer, records } = one as {
            pointer?: string | null;
            records?: readonly [number, number];
          };
          if (pointer !== null && !/^(?:\/|$)/.test(pointer ?? '-')) throw new Error(`pointer ${pointer}`);
          if (records === undefined) continue;
          if (records[0] < last || records[1] < records[0])
            throw new Error(`records ${records} behind ${last}`);
          last = records[1];
        }
      }),
      { numRuns: 1000 },
    );
  },
);

t.test('a text that is taken gives the same chunks with tolerant as without', async () => {
  await fc.assert(
    fc.asyncProperty(fc.json({ maxDepth: 5 }), fc.integer({ min: 1, max: 60 }), async (text, chunk_size) => {
      const strict = await chunk('json', { text, chunk_size });
      const tolerant = await chunk('json', { text, chunk_size, tolerant: true });
      if (JSON.stringify(strict) !== JSON.stringify(tolerant)) throw new Error(text);
    }),
    { numRuns: 300 },
  );
});
