import type { Shapes } from '../../../support/linear-work.ts';

/** Texts that are hard on readers of tables, of about a given length. */
export const HOSTILE_SHAPES: Shapes = {
  'one line': (length) => 'a,'.repeat(length / 2),
  'one field': (length) => 'x'.repeat(length),
  'one quoted field': (length) => `a,b\n"${'x\n'.repeat(length / 2)}",1\n`,
  'quotes that are never closed': (length) =>
    'a,"b\n'.repeat(length / 5 / 2).concat('c,"', '""'.repeat(length / 4)),
  'doubled quotes': (length) => `"${'""'.repeat(length / 2)}"`,
  'odd and even quotes': (length) => `",${',""'.repeat(length / 3)}`,
  'quotes alone': (length) => '"'.repeat(length),
  'quotes at every field': (length) => '"a"b,'.repeat(length / 5),
  'lines of one letter': (length) => 'a\n'.repeat(length / 2),
  'blank lines': (length) => `a,b\n${'\n'.repeat(length)}1,2\n`,
  'CR alone': (length) => 'a,b\r'.repeat(length / 4),
  'delimiters alone': (length) => ',;\t|'.repeat(length / 4),
  'a header of half the text': (length) => `${'a,'.repeat(length / 4)}\n${'1,2\n'.repeat(length / 8)}`,
  comments: (length) => '# a\n'.repeat(length / 4),
  'Markdown tables': (length) => '|a|b|\n|-|-|\n|1|2|\n\n'.repeat(length / 19),
  'one Markdown table': (length) => `|a|\n|-|\n${'|1|\n'.repeat(length / 4)}`,
  'pipes and dashes': (length) => '|-'.repeat(length / 2),
  'rows of delimiters': (length) => '|-|\n'.repeat(length / 4),
  'escaped pipes': (length) => `|a|\n|-|\n|${'\\|'.repeat(length / 2)}|\n`,
  'tables that nest': (length) => '<table><tr><td>'.repeat(length / 15),
  'tables side by side': (length) => '<table><tr><td>1</table>'.repeat(length / 24),
  'rows of HTML': (length) => `<table>${'<tr><th>'.repeat(length / 8)}`,
  'cells of HTML': (length) => `<table><tr>${'<td>'.repeat(length / 4)}`,
  'ends of tables': (length) => `<table>${'</table>'.repeat(length / 8)}`,
  'tags that never end': (length) => `<table ${'<td '.repeat(length / 4)}`,
  'values that never end': (length) => `<table>${'<td a="'.repeat(length / 7)}`,
  'comments that never end': (length) => `<table>${'<!-- '.repeat(length / 5)}`,
  'scripts that never end': (length) => `<table>${'<script>'.repeat(length / 8)}`,
  'less-than signs': (length) => `<table>${'<'.repeat(length)}`,
  'space before rows': (length) => `<table>${' '.repeat(length / 2)}<tr>${' '.repeat(length / 2)}<tr>`,
  'prose around a table': (length) =>
    `${'Words. '.repeat(length / 14)}\n\n|a|\n|-|\n|1|\n\n${'Words. '.repeat(length / 14)}`,
  'NUL and halves of pairs': (length) => '\0,\ud83d\n\ude00,'.repeat(length / 6),
};
