import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import createReader from '../../../../plugins/readers/notebook/index.ts';
import { placed, readWith } from '../reading.ts';

const read = (book: unknown) =>
  readWith(createReader, typeof book === 'string' ? book : JSON.stringify(book));

const COLOURED = '\u001b[0;31mred\u001b[0m';

t.test('cells are Markdown with their number, and outputs are text', async (t) => {
  const file = await read({
    metadata: { title: 'Tea', language_info: { name: 'julia' } },
    nbformat: 4,
    cells: [
      { cell_type: 'markdown', source: ['# Tea\n', '\n', 'Boil.'] },
      { cell_type: 'code', source: '', outputs: [] },
      {
        cell_type: 'code',
        source: 's = "```"\n',
        outputs: [
          { output_type: 'stream', text: [`${COLOURED}\n`, 'two\n'] },
          { output_type: 'display_data', data: { 'image/png': 'iVBO', 'text/plain': 'A picture' } },
          { output_type: 'display_data', data: { 'text/html': '<b>no</b>' } },
          { output_type: 'error', ename: 'KeyError', evalue: "'cup'" },
        ],
      },
      { cell_type: 'raw', source: 'raw' },
    ],
  });
  const outputs = ['red\ntwo', 'A picture', "KeyError: 'cup'"].map((text) => `\`\`\`text\n${text}\n\`\`\``);
  t.same(placed(file), [
    ['# Tea\n\nBoil.', { cell: 1 }],
    [['````julia\ns = "```"\n````', ...outputs].join('\n\n'), { cell: 3 }],
    ['raw', { cell: 4 }],
  ]);
  t.match(file, { mediaType: 'text/markdown', title: 'Tea', encoding: 'utf-8' });
  t.equal(
    file.text,
    placed(file)
      .map(([text]) => text)
      .join('\n\n'),
    'and nothing else',
  );
});

t.test('a fence that a Markdown cell leaves open ends with the cell', async (t) => {
  for (const [source, closing] of [
    ['```sh\nls', '\n```'],
    ['~~~~', '\n~~~~'],
    ['a\n\n````\n```\n', '\n````'],
    ['```\nls\n```', ''],
    ['~~~\nls\n~~~~  \n', ''],
    ['```a``` b', ''],
    ['- ```\n  ls', ''],
  ] as const) {
    const cells = [source, '# Tea'].map((one) => ({ cell_type: 'markdown', source: one }));
    const { text } = await read({ nbformat: 4, cells });
    t.equal(text, `${source.replace(/\n$/, '')}${closing}\n\n# Tea`, source);
  }
});

t.test('notebooks of nbformat 3 have sheets, headings and inputs', async (t) => {
  const cells = [
    { cell_type: 'heading', level: 2, source: 'Tea' },
    { cell_type: 'code', input: 'x', outputs: [{ output_type: 'pyout', text: ['1'] }] },
  ];
  const file = await read({ worksheets: [{ cells }, { cells: [{ cell_type: 'markdown', source: 'end' }] }] });
  t.equal(file.text, '## Tea\n\n```python\nx\n```\n\n```text\n1\n```\n\nend');
});

t.test('every line of the sources of a real notebook is in the text, in order', async (t) => {
  const json = readFileSync(join(import.meta.dirname, '../../../fixtures/docling/backend_csv.ipynb'), 'utf8');
  const { cells } = JSON.parse(json) as { cells: { source: string[] }[] };
  const { text, places = [] } = await read(json);
  let from = 0;
  for (const line of cells.flatMap(({ source }) => source)) {
    const at = text.indexOf(line.trimEnd(), from);
    if (at === -1) t.fail(line);
    from = at;
  }
  t.same(
    places.map(({ cell }) => cell),
    cells.map((_, index) => index + 1),
  );
});

t.test('what is no notebook is refused, with what is wrong', async (t) => {
  for (const [book, problem] of [
    ['{', /The notebook cannot be read: .*JSON/],
    [5, /expected an object, got 5/],
    [{}, /it is JSON without cells/],
    [{ cells: 5 }, /cells: expected a list .*, got 5/],
    [{ cells: [{ cell_type: 'code', outputs: null }] }, /cells\[0\]\.outputs: expected a list .*, got null/],
    [{ cells: [null] }, /cells\[0\]: expected an object, got null/],
  ] as const)
    await t.rejects(read(book), { statusCode: 400, message: problem });
});
