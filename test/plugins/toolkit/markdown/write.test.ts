import fc from 'fast-check';
import t from 'tap';
import { findMarkdownBlocks } from '../../../../plugins/toolkit/markdown/find-blocks.ts';
import {
  escapeBlockStarts,
  escapeCell,
  fencedCode,
  markdownHeading,
  markdownTable,
  tableRow,
} from '../../../../plugins/toolkit/markdown/write.ts';
import { referenceBlocks } from '../../../support/markdown/reference.ts';

const WORDS = [
  'a',
  '-',
  '--',
  '---',
  '=',
  '#',
  '##',
  '>',
  '<b>',
  '<!--',
  '```',
  '~~~',
  '***',
  '|',
  '\\',
  ':',
];
const text = fc
  .array(fc.constantFrom(...WORDS, '1.', '[a]:', '[^a]:', '- |', '``` a`', '|:-', '_', ' ', '\n', '\n '))
  .map((words) => words.join(''));
const kindsOf = (markdown: string) => [
  ...new Set([...findMarkdownBlocks(markdown), ...referenceBlocks(markdown)].map(({ kind }) => kind)),
];
const TEXTUAL = ['paragraph', 'list', 'item', 'indented'];

t.test(
  'an escaped text has no blocks but paragraphs and lists, by our blocks and those of the reference',
  (t) => {
    fc.assert(
      fc.property(text, (any) => {
        const lines = any.split('\n').map((line) => line.trim());
        // What is in an item is not at the start of a line.
        fc.pre(!lines.some((line) => /^(?:[-+*]|\d+[.)])(?:\s|$)/.test(line)));
        const escaped = escapeBlockStarts(lines.join('\n'));
        t.strictSame(
          kindsOf(escaped).filter((kind) => !TEXTUAL.includes(kind)),
          [],
          JSON.stringify(escaped),
        );
        t.equal(escaped.replace(/^\\(?!\\)/gm, ''), lines.join('\n').replace(/^\\(?!\\)/gm, ''));
      }),
      { numRuns: 2000 },
    );
    t.end();
  },
);
t.equal(escapeBlockStarts('a\n# b\n1. c\n- d\n#e ---'), 'a\n\\# b\n1. c\n- d\n#e ---');

t.test('a table is one block, with a line for each row that has text', (t) => {
  const rows = fc.array(fc.array(text, { maxLength: 4 }), { maxLength: 6 });
  fc.assert(
    fc.property(rows, fc.option(fc.array(text, { maxLength: 4 }), { nil: undefined }), (cells, header) => {
      const written = markdownTable(cells, header);
      const filled = cells.filter((row) => row.some((cell) => cell.trim() !== '')).length;
      const lines = filled === 0 ? 0 : filled + (header === undefined ? 1 : 2);
      t.equal(written === '' ? 0 : written.split('\n').length, lines);
      if (lines > 0) t.strictSame(kindsOf(written), ['table'], JSON.stringify(written));
    }),
    { numRuns: 1000 },
  );
  t.equal(
    markdownTable([['a|b', ' c\n\nd '], ['', ' '], ['e']], []),
    '| | |\n| - | - |\n| a\\|b | c d |\n| e |',
  );
  t.equal(markdownTable([['', ''], []]), '');
  t.equal(tableRow(['a', '', 'b\\|c']), '| a | | b\\&#124;c |');
  t.equal(escapeCell(' a\t| b '), ' a \\| b ');
  t.end();
});

t.test('code is one block, whatever fences are in it', (t) => {
  fc.assert(
    fc.property(text, (code) => t.strictSame(kindsOf(fencedCode(code, 'js')), ['fence'])),
    { numRuns: 300 },
  );
  t.end();
});

t.test('a heading is one line', (t) => {
  t.equal(markdownHeading(9, ' a\n b #'), '###### a b \\#');
  t.end();
});
