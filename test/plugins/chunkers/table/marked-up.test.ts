import t from 'tap';
import { testCuts } from '../cuts.ts';

/** Tables of Markdown and HTML. */

const NONE = undefined;
const FENCE = '```\n| a |\n|---|\n| 1 |\n```\n';
const AROUND = [
  'Some text stands before it, and is cut ‖as text is.\n\n‖',
  '| a | b |\n|---|---|\n| 1 | x \\| y |\n‖| 2 | z |\n\n‖Text behind it.\n',
].join('');
const HEAD = `<table class="a>b">
  <caption>Numbers</caption>
  <thead><tr><th>A</th><th>B</th></tr></thead>`;
const HTML = `<p>Before</p>
‖${HEAD}
  <tbody>
    <tr><td>1</td><td><table><tr><td>in</td></tr><tr><td>ner</td></tr></table></td></tr>
‖    <tr title='</table>'><td>2</td><td>3</td></tr>
  </tbody>
</table>
‖<p>Behind</p>
`;
const UNCLOSED_HEAD = '<TABLE><TR><TH>a<TH>b<TR><TH>x<TH>y';
const UNCLOSED = `${UNCLOSED_HEAD}<TR><TH>one and more words<TD>2‖<TR><TD>3<TD>4<TR><TD>5<TD>6</TABLE>`;
const ROW = '<tr><td>1<!-- </table><tr> --><script>"</table><tr>"</script></td></tr>\n';

await testCuts(
  t,
  'table',
  { min_chunk_size: 0 },
  {
    'a Markdown table is cut between rows; text around it has chunks of its own': [
      [
        AROUND,
        { chunk_size: 40 },
        { rows: [NONE, NONE, '1-1', '2-2', NONE], context: [NONE, NONE, NONE, '| a | b |\n|---|---|', NONE] },
      ],
    ],
    'what looks like a table in a fence is none, and one in a list or a quote is one': [
      [FENCE, { format: 'markdown' }, { rows: [NONE], context: [NONE] }],
      [
        '> | a |\n> |---|\n> | 1111111111 |\n‖> | 2 |\n',
        { chunk_size: 34 },
        { rows: ['1-1', '2-2'], context: [NONE, '> | a |\n> |---|'] },
      ],
      ['- | a |\n  |---|\n  | 1 |\n‖  | 2 |\n', { chunk_size: 24 }, { rows: ['1-1', '2-2'] }],
    ],
    'a wide Markdown row is cut between its cells, not at an escaped pipe': [
      ['| a | b |\n|---|---|\n‖| aaaa |‖ bb \\| cccccccccc |\n', { chunk_size: 22 }],
    ],
    'a chunk that holds rows of two tables names none': [
      ['| a |\n|---|\n| 1 |\n\n| b |\n|---|\n| 2 |\n', {}, { rows: [NONE], context: [NONE] }],
    ],
    'an HTML table is cut between its own rows, and its header is all before its body': [
      [HTML, { chunk_size: 210 }, { rows: [NONE, '1-1', '2-2', NONE], context: [NONE, NONE, HEAD, NONE] }],
    ],
    'without thead the first rows that have th alone are the header; closing tags may be missing': [
      [UNCLOSED, { chunk_size: 75 }, { rows: ['1-1', '2-3'], context: [NONE, UNCLOSED_HEAD] }],
    ],
    'comments, scripts and values of attributes hold no tags': [
      [`<table>\n${ROW}‖${ROW}</table>`, { chunk_size: 88 }, { rows: ['1-1', '2-2'], context: [NONE, NONE] }],
    ],
    'a wide HTML row is cut before its cells': [
      ['<table><tr><td>some words</td>‖<td>other words</td></tr></table>', { chunk_size: 34 }],
    ],
  },
);
