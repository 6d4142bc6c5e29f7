import t from 'tap';
import createReader from '../../../../plugins/readers/pdf/index.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { never } from '../../../support/hosted-host.ts';
import { at, column, makePdf } from './support/builder.ts';

const reader = await createReader(collaborators());

async function textOf(content: string): Promise<string> {
  const file = { bytes: makePdf([{ content }]), name: undefined, mediaType: undefined, charset: undefined };
  return (await reader.read(file, { report() {}, signal: never, options: {} })).text;
}

const ENTRIES = [
  'Introduction',
  'What came before',
  'The method',
  'Results of it',
  'What follows',
  'References',
];
const NUMBERS = ['1', '4', '9', '12', '17', '21'];

t.test('numbers that are drawn after their entries are beside them', async (t) => {
  const text = await textOf(column(50, 700, ENTRIES) + column(400, 700, NUMBERS));
  for (const [index, entry] of ENTRIES.entries())
    t.match(text.replace(/[\s|]+/g, ' '), `${entry} ${NUMBERS[index]}`);
});

const LINES = [
  'The petitioner is before this Court and',
  'says that the judgment of the court below',
  'was wrong, because it did not look at all',
  'of what had been said. We have heard both',
  'and find that nothing in it is wrong. The',
  'judgment stands, and what it says is law.',
];

t.test('the numbers of lines are in their lines', async (t) => {
  const text = await textOf(column(30, 700, ['1', '2', '3', '4', '5', '6']) + column(60, 700, LINES));
  t.match(text.replace(/[\s|]+/g, ' '), `2 ${LINES[1]}`);
});

t.test('text columns stay apart, whether they are drawn one after the other or by rows', async (t) => {
  const right = LINES.toReversed();
  const expected = new RegExp(`${LINES.join('\\s+')}[^]*${right.join('\\s+')}`);
  t.match(await textOf(column(50, 700, LINES) + column(330, 700, right)), expected);
  const rows = LINES.map(
    (line, row) => at(50, 700 - 12 * row, line) + at(330, 700 - 12 * row, right[row] ?? ''),
  );
  t.match(await textOf(rows.join('')), expected);
});

t.test('lines that are drawn from the bottom are read from the top', async (t) => {
  const drawn = LINES.map((line, row) => at(50, 700 - 12 * row, line)).toReversed();
  t.match(await textOf(drawn.join('')), new RegExp(LINES.join('\\s+')));
});

t.test('entries of contents stay apart, however full their lines are', async (t) => {
  const entries = ENTRIES.map((entry, at) => `${entry.padEnd(60, '.')}${NUMBERS[at]}`);
  t.equal(await textOf(column(50, 700, entries)), entries.join('\n\n'));
});
