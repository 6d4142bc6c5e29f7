import fc from 'fast-check';
import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

/** Tables of every format that are damaged at some places keep the promises all the same. */

const chunk = await openChunkers();

const rows = Array.from({ length: 12 }, (_, row) => [
  `${row}`,
  `name ${row}, "nick"`,
  'é 😀 a|b\nline',
  '<b>&amp;</b>',
]);
const FILES: readonly string[] = [
  `# from a test\r\nid,name,note,mark\r\n${rows.map((row) => row.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\r\n')}\r\n`,
  `id\tname\tnote\n${rows.map((row) => row.slice(0, 2).join('\t')).join('\n')}`,
  `Before.\n\n| id | name |\n| --- | :-: |\n${rows.map(([id, name]) => `| ${id} | ${name} \\| x |\n`).join('')}\nBehind.\n`,
  `<h1>Title</h1><table class="a>b">\n<thead><tr><th>id</th></tr></thead>\n<tbody>${rows.map(([id]) => `<tr><td>${id}<!-- a --></td></tr>\n`).join('')}</tbody></table>\n<p>Behind</p>`,
];
const PIECES = [
  '',
  '"',
  '""',
  ',',
  '\n',
  '\r',
  '\r\n',
  '|',
  '\\',
  '<table>',
  '</table>',
  '<tr>',
  '<',
  '>',
  '-->',
  '😀',
  '\ud83d',
  '\0',
  '```\n',
  '> ',
];

const mutated = fc
  .tuple(
    fc.constantFrom(...FILES),
    fc.array(fc.record({ at: fc.nat(), cut: fc.nat(6), put: fc.constantFrom(...PIECES) }), { maxLength: 6 }),
  )
  .map(([file, mutations]) =>
    mutations.reduce((text, { at, cut, put }) => {
      const from = at % (text.length + 1);
      return text.slice(0, from) + put + text.slice(from + cut);
    }, file),
  );

t.test('whatever is damaged, chunks are the text, within the limit, and their rows rise', async () => {
  const options = fc.record(
    {
      chunk_size: fc.integer({ min: 1, max: 120 }),
      format: fc.constantFrom('auto', 'csv', 'tsv', 'markdown', 'html'),
      count_context: fc.boolean(),
      header_rows: fc.integer({ min: 0, max: 3 }),
      rows_per_chunk: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ['chunk_size'] },
  );
  await fc.assert(
    fc.asyncProperty(mutated, options, async (text, given) => {
      const chunks = await chunk('table', { text, ...given });
      if (chunks.map(({ text }) => text).join('') !== text) throw new Error('text is lost');
      for (const one of chunks) {
        const { rows, context } = one as { rows?: readonly [number, number]; context?: string };
        if (one.token_count > given.chunk_size && Array.from(one.text).length > 1)
          throw new Error(`over: ${one.text}`);
        if (rows !== undefined && !(rows[0] >= 1 && rows[1] >= rows[0])) throw new Error(`rows ${rows}`);
        if (
          rows !== undefined &&
          given.rows_per_chunk !== undefined &&
          rows[1] - rows[0] >= given.rows_per_chunk
        )
          throw new Error(`too many rows: ${rows}`);
        if (context !== undefined && Array.from(context).length + 1 > given.chunk_size / 2)
          throw new Error(`context ${context}`);
        if (context !== undefined && !text.includes(context))
          throw new Error('the context is no part of the text');
      }
    }),
    { numRuns: 2000 },
  );
});
