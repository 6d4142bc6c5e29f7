import t from 'tap';
import createReader from '../../../../plugins/readers/rtf/index.ts';
import { readWith } from '../reading.ts';
import { HOSTILE_FILES } from './hostile-files.ts';

const read = async (body: string) => {
  const reports = new Map<string, string>();
  const bytes = Buffer.from(`{\\rtf1\\ansi\\ansicpg1252 ${body}}`, 'latin1');
  const file = await readWith(createReader, bytes, {}, {}, (name, value) => void reports.set(name, value));
  return { ...file, reports };
};
const textOf = async (body: string) => (await read(body)).text;
const lines = (...texts: readonly string[]): string => texts.join('\n\n');

t.test('headings are found by their style or outline level, and the title by its style', async (t) => {
  const styles = '{\\stylesheet{\\s0 Normal;}{\\s1\\outlinelevel0 Chapter;}{\\s2 heading 2;}{\\s3 Title;}}';
  const file = await read(
    `${styles}{\\info{\\author Ada; Bob}{\\creatim\\yr2024\\mo2\\dy1\\hr13\\min5}}\\pard\\s3 T\\par\\pard\\s1 A\\par\\pard\\s2 B\\par\\pard\\outlinelevel2 C\\par\\pard x\\par`,
  );
  t.equal(file.text, lines('# T', '# A', '## B', '### C', 'x'));
  t.match(file, { title: 'T', metadata: { authors: ['Ada', 'Bob'], created: '2024-02-01T13:05' } });
});

t.test(
  'characters are those of the code page of their font, and of \\u without its replacement',
  async (t) => {
    const fonts =
      '{\\fonttbl{\\f0\\fcharset0 A;}{\\f1\\fcharset204 B;}{\\f2\\fcharset128 C;}{\\f3\\fcharset238 D;}}';
    t.equal(
      await textOf(`${fonts}\\f0 \\'e9 {\\f1 \\'ff}{\\f2 \\'93\\'fa\\'96\\'7b} {\\f3\\'e8} \\'e8`),
      'é я日本 č è',
    );
    t.equal(await textOf("\\uc1\\u8217\\'92 \\uc2\\u-10179 ab\\u-8704 cd {\\uc0\\u233}x"), '’ 😀 éx');
    t.equal(await textOf('a\\~b\\_c\\-d\\emdash e\\{f\\}'), 'a\u00a0b\u2011cd—e{f}');
  },
);

t.test('bytes that are invalid in their code page are reported', async (t) => {
  const { text, reports } = await read("{\\fonttbl{\\f2\\fcharset128 C;}}{\\f2 \\'93}");
  t.equal(text, '“');
  t.equal(reports.get('doubtful-characters'), '1');
});

t.test('lists have the labels that the file shows', async (t) => {
  const item = (label: string, text: string, level = 0): string =>
    `{\\listtext ${label}\\tab}\\pard\\ls1\\ilvl${level} ${text}\\par`;
  const body = item('1.', 'a') + item("\\'b7", 'b', 1) + item('(c)', 'c', 1) + item('2.', 'd');
  t.equal(await textOf(body), '1. a\n   - b\n   - (c) c\n2. d');
});

t.test('tables have merged cells, frames are paragraphs', async (t) => {
  const row = (edges: readonly string[], cells: readonly string[]): string =>
    `\\trowd${edges.join('')}\\pard\\intbl ${cells.map((cell) => `${cell}\\cell`).join(' ')}\\row `;
  const wide = row(['\\cellx1000', '\\cellx3000'], ['a', 'b']);
  const three = row(['\\clvmgf\\cellx1000', '\\cellx2000', '\\cellx3000'], ['c', 'd\\par e', 'f']);
  const merged = row(['\\clvmrg\\cellx1000', '\\clmgf\\cellx2000', '\\clmrg\\cellx3000'], ['', 'g', '']);
  t.equal(
    await textOf(`${wide}${three}${merged}\\pard x\\par`),
    lines('| a | b | b |\n| - | - | - |\n| c | d e | f |\n| c | g | g |', 'x'),
  );
  t.equal(await textOf(`${row(['\\cellx1000'], ['a\\par b'])}\\pard x`), lines('a', 'b', 'x'));
});

t.test(
  'notes and text boxes follow their paragraph; links, emphasis, pictures and equations are kept',
  async (t) => {
    t.equal(
      await textOf(
        'a{\\super\\chftn}{\\footnote {\\super\\chftn} note {\\b 1}}b{\\*\\shpinst{\\shptxt box\\par}}\\par c',
      ),
      lines('a[^1]b', 'box', '[^1]: note **1**', 'c'),
    );
    t.equal(
      await textOf(
        '{\\field{\\*\\fldinst HYPERLINK "https://example.org/"}{\\fldrslt {\\b here}}} {\\i i} 10{\\super 6}',
      ),
      '[**here**](https://example.org/) *i* 10⁶',
    );
    t.equal(
      await textOf(
        '{\\pict{\\*\\picprop{\\sp{\\sn wzDescription}{\\sv a map}}}ffd8ff}{\\mmath{\\*\\moMath{\\mf{\\mfPr x}{\\mnum{\\mr 1}}{\\mden{\\mr ab}}}}}',
      ),
      '![a map]()1/ab',
    );
  },
);

t.test('what is hidden, deleted, a comment or a header is left out and reported', async (t) => {
  const { text, leftOut, reports } = await read(
    '{\\header h\\par}{\\footer  \\par}a{\\v b}{\\deleted c}{\\*\\annotation d}{\\*\\unknown e}{\\b\\*\\cs7 f}',
  );
  t.equal(text, 'a**f**');
  t.strictSame(leftOut, { comment: 1, deleted_text: 1, header: 1, hidden_text: 1 });
  t.equal(reports.get('left-out'), 'comments, deleted text, headers, hidden text');
});

t.test('the HTML of a mail is read in place of its replacement', async (t) => {
  const file = await readWith(
    createReader,
    "{\\rtf1\\ansi\\fromhtml1 {\\*\\htmltag64 <p>}\\htmlrtf{\\b\\htmlrtf0 Gr\\'fc\\'dfe{\\*\\htmltag &nbsp;}x\\htmlrtf}\\htmlrtf0{\\*\\htmltag </p>}}",
  );
  t.equal(file.text, 'Grüße x');
});

t.test('a file that is not RTF, or is nested too deeply, is refused', async (t) => {
  await t.rejects(readWith(createReader, 'plain'), { statusCode: 400, message: /not RTF/ });
  const deep = HOSTILE_FILES['groups in groups'] as () => Buffer;
  await t.rejects(readWith(createReader, deep()), { statusCode: 400, message: /nested more than 1000/ });
  t.equal((await readWith(createReader, '{\\rtf1 {\\pict\\bin999999 x} not {closed')).text, '');
});
