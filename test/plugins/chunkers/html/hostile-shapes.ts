import type { Shapes } from '../../../support/linear-work.ts';

/** A text of about `length` letters: parts are repeated, each as often as all together are long. */
function repeated(...parts: string[]): (length: number) => string {
  const unit = parts.join('').length;
  return (length) => parts.map((part) => part.repeat(Math.max(Math.floor(length / unit), 1))).join('');
}

function between(before: string, part: string, after = ''): (length: number) => string {
  return (length) => before + repeated(part)(length) + after;
}

/** HTML that makes parsers quadratic or overflows their stack, of about a given length. */
export const HOSTILE_SHAPES: Shapes = {
  'nested div': repeated('<div>'),
  'nested div, all closed': repeated('<div>', '</div>'),
  'nested div with text': repeated('<div>a', '</div>b'),
  'nested inline elements': repeated('<b><i>', 'x</i>', '</b>'),
  'closing tags of nothing': between('x', '</div></p></table>'),
  'closing tags beyond a cell': (length) =>
    repeated('<section>', '<table><tr><td>', '</section>')(length) + repeated('</div>')(length),
  'unknown closing tags in deep nesting': repeated('<section>', '</article>'),
  'paragraphs without ends': repeated('<p>a '),
  'items without ends': between('<ul>', '<li>a'),
  'items within open blocks': repeated('<ul><li>', '<div><section>', '<li>a'),
  'nested lists': repeated('<ul><li>a', '</ul>'),
  'nested tables': repeated('<table><tr><td>', '</table>'),
  'nested tables with headers': repeated('<table><tr><th>h<tr><td>', '</table>'),
  'nested tables with heads, one row each': repeated(
    '<table><thead><tr><td>h</thead><tr><td>a',
    'b</td></tr></table>',
  ),
  'rows without ends': between('<table><tr><th>h</th></tr>', '<tr><td>1<td>2'),
  'a long header and many rows': (length) =>
    `<table><tr>${'<th>head</th>'.repeat(length / 40)}</tr>${'<tr><td>1'.repeat(length / 20)}</table>`,
  'headings without text behind': repeated('<h1>a</h1><h2>b</h2><h3>c</h3>'),
  'headings within headings': repeated('<h1>a<h2>b'),
  'nested sections with headings': repeated('<section><h1>a</h1>', '</section>x'),
  'empty headings': repeated('<h2></h2>'),
  'a heading without an end': between('<h1>', 'word '),
  'comments without ends': repeated('<!--'),
  'comments that end too early': repeated('<!--><!--->x'),
  'comments alone': repeated('<!-- a -->'),
  'declarations without ends': repeated('<!'),
  'CDATA without ends': between('<svg>', '<![CDATA['),
  'less-than signs': repeated('<'),
  'less-than signs and slashes': repeated('</'),
  'tags without ends': repeated('<a '),
  'attributes without ends': repeated('<a b="'),
  'attributes of both quotes': repeated('<a b="<c d=\''),
  'equals signs': between('<a ', '='),
  'one tag of many attributes': between('<a ', 'b=c ', '>'),
  'one long attribute': between('<a href="', 'x', '">text</a>'),
  'tags that a paragraph consists of': between('<p>', '<br>', '</p>'),
  ampersands: repeated('&'),
  'entities without ends': repeated('&amp&#1&#xA'),
  'one long entity': between('&', 'a'),
  'scripts without ends': repeated('<script>'),
  'scripts within comments in scripts': between('<script><!--', '<script>a</script>'),
  'almost the end of a script': between('<script>', '</scrip'),
  'text areas and titles without ends': repeated('<textarea><title>'),
  'nested svg': repeated('<svg><g>', '</g></svg>'),
  'nested templates': repeated('<template><p>', '</template>'),
  'plain text': between('<plaintext>', '<p>a '),
  options: between('<select>', '<optgroup><option>a'),
  terms: between('<dl>', '<dt>a<dd>b'),
  rules: repeated('<hr>'),
};
