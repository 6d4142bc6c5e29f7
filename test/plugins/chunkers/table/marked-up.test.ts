import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

/** Tables of Markdown and HTML. */

const chunk = await openChunkers();

async function shown(text: string, options: object = {}) {
  const chunks = await chunk('table', { text, min_chunk_size: 0, ...options });
  return chunks.map(({ text, ...fields }) => {
    const { rows, context } = fields as { rows?: number[]; context?: string };
    return [text, rows?.join('-'), context];
  });
}

t.test('a Markdown table is cut between rows; text around it has chunks of its own', async (t) => {
  const table = '| a | b |\n|---|---|\n| 1 | x \\| y |\n| 2 | z |\n\n';
  const text = `Some text stands before it, and is cut as text is.\n\n${table}Text behind it.\n`;
  t.same(await shown(text, { chunk_size: 40 }), [
    ['Some text stands before it, and is cut ', undefined, undefined],
    ['as text is.\n\n', undefined, undefined],
    ['| a | b |\n|---|---|\n| 1 | x \\| y |\n', '1-1', undefined],
    ['| 2 | z |\n\n', '2-2', '| a | b |\n|---|---|'],
    ['Text behind it.\n', undefined, undefined],
  ]);
});

t.test('what looks like a table in a fence is none, and one in a list or a quote is one', async (t) => {
  const fenced = '```\n| a |\n|---|\n| 1 |\n```\n';
  t.same(await shown(fenced, { format: 'markdown' }), [[fenced, undefined, undefined]]);
  const [, second] = await shown('> | a |\n> |---|\n> | 1111111111 |\n> | 2 |\n', { chunk_size: 34 });
  t.same(second, ['> | 2 |\n', '2-2', '> | a |\n> |---|']);
});

t.test('a wide Markdown row is cut between its cells, not at an escaped pipe', async (t) => {
  const text = '| a | b |\n|---|---|\n| aaaa | bb \\| cccccccccc |\n';
  t.same(
    (await shown(text, { chunk_size: 22 })).map(([text]) => text),
    ['| a | b |\n|---|---|\n', '| aaaa |', ' bb \\| cccccccccc |\n'],
  );
});

t.test('a chunk that holds rows of two tables names none', async (t) => {
  const text = '| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n';
  t.same(await shown(text), [[text, undefined, undefined]]);
});

const HTML = `<p>Before</p>
<table class="a>b">
  <caption>Numbers</caption>
  <thead><tr><th>A</th><th>B</th></tr></thead>
  <tbody>
    <tr><td>1</td><td><table><tr><td>in</td></tr><tr><td>ner</td></tr></table></td></tr>
    <tr title='</table>'><td>2</td><td>3</td></tr>
  </tbody>
</table>
<p>Behind</p>
`;

t.test('an HTML table is cut between its own rows, and its header is all before its body', async (t) => {
  const header =
    '<table class="a>b">\n  <caption>Numbers</caption>\n  <thead><tr><th>A</th><th>B</th></tr></thead>';
  const first =
    '  <tbody>\n    <tr><td>1</td><td><table><tr><td>in</td></tr><tr><td>ner</td></tr></table></td></tr>\n';
  t.same(await shown(HTML, { chunk_size: 210 }), [
    ['<p>Before</p>\n', undefined, undefined],
    [`${header}\n${first}`, '1-1', undefined],
    ["    <tr title='</table>'><td>2</td><td>3</td></tr>\n  </tbody>\n</table>\n", '2-2', header],
    ['<p>Behind</p>\n', undefined, undefined],
  ]);
});

t.test(
  'without thead the first rows that have th alone are the header; closing tags may be missing',
  async (t) => {
    const header = '<TABLE><TR><TH>a<TH>b<TR><TH>x<TH>y';
    const text = `${header}<TR><TH>one and more words<TD>2<TR><TD>3<TD>4<TR><TD>5<TD>6</TABLE>`;
    t.same(await shown(text, { chunk_size: 75 }), [
      [`${header}<TR><TH>one and more words<TD>2`, '1-1', undefined],
      ['<TR><TD>3<TD>4<TR><TD>5<TD>6</TABLE>', '2-3', header],
    ]);
  },
);

t.test('comments, scripts and values of attributes hold no tags', async (t) => {
  const row = '<tr><td>1<!-- </table><tr> --><script>"</table><tr>"</script></td></tr>\n';
  const text = `<table>\n${row}${row}</table>`;
  t.same(await shown(text, { chunk_size: 88 }), [
    [`<table>\n${row}`, '1-1', undefined],
    [`${row}</table>`, '2-2', undefined],
  ]);
});

t.test('a wide HTML row is cut before its cells', async (t) => {
  const text = '<table><tr><td>some words</td><td>other words</td></tr></table>';
  t.same(
    (await shown(text, { chunk_size: 34 })).map(([text]) => text),
    ['<table><tr><td>some words</td>', '<td>other words</td></tr></table>'],
  );
});
