import fc from 'fast-check';

const SURROGATES = 0x800;
const FIRST_SURROGATE = 0xd800;

/** Generates any code point except surrogates. */
const character = fc
  .nat(0x10ffff - SURROGATES)
  .map((index) => String.fromCodePoint(index < FIRST_SURROGATE ? index : index + SURROGATES));

/**
 * Generates texts of any characters. `fc.string({ unit: 'binary' })` would first spend seconds on building a
 * table of Unicode.
 */
const anyCharacters = (maxLength: number): fc.Arbitrary<string> =>
  fc.array(character, { maxLength }).map((list) => list.join(''));

const WORDS = ['tea', 'a & b', '漢字。', '😀', 'é — ü', '"q"', "it's", '<b>', '|', ',', '\\', '3.5', ''];
const words = fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }).map((list) => list.join(' '));

const MARKDOWN = [
  ['# One', '## Two *x* ##', '###### Six', 'Title\n=====', 'Part\n---', '---', '* * *', '[l]: /u "t"'],
  ['[^1]: note', '- a\n- b\n\n  c', '1. d\n   - e\n     > f\n2) g', '> quote\n> > deeper\nlazy'],
  ['    code\n\n    code', '- [ ] task', '```js\nlet a;\n\nlet b;\n```', '~~~\nnever closed'],
  ['````\n```\n````', '- x\n  ```\n  y\n  ```', '| a | b |\n|---|:-:|\n| 1 | 2 |\n| \\| | 4 |'],
  ['a | b\n-- | --\n1 | 2', '<div>\n\n# x\n\n</div>', '<!-- c -->'],
  ['A paragraph of words. And a sentence! With `code`, [a link](/u) and *more*.', '---\nkey: value\n---'],
].flat();

const HTML = [
  ['<h1>One</h1>', '<h2 class="a">Two <em>x</em></h2>', '<p>Words and &amp; more &lt;words&gt;.'],
  ['<p>b</p>', '<hr>', '<ul><li>a<li>b</ul>', '<ol>\n<li>c</li>\n</ol>'],
  ['<table><thead><tr><th>k</thead><tr><td>1<td>2</table>', '<pre>\na\nb</pre>'],
  ['<script>if (a < b) "</p>";</script>', '<style>p { }</style>', '<!-- c > -->', '<!doctype html>'],
  ['<div>', '</div>', '</p>', '<section>', '</section>', '<img alt="a > b" src=x>', "<DIV TITLE='y'>"],
  ['<a href="/u">link</a>', '<br/>', '&nbsp;&#x20;&copy', '<'],
].flat();

const row = fc.array(
  words.map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)),
  { minLength: 1, maxLength: 4 },
);

const csv = fc
  .tuple(
    fc.array(row, { minLength: 1, maxLength: 12 }),
    fc.constantFrom(',', ';', '\t'),
    fc.constantFrom('\n', '\r\n'),
  )
  .map(([rows, comma, end]) => rows.map((cells) => cells.join(comma)).join(end));

const json = fc.oneof(
  fc
    .tuple(fc.jsonValue({ maxDepth: 4 }), fc.constantFrom(undefined, 1, '\t'))
    .map(([value, indent]) => JSON.stringify(value, null, indent)),
  fc.array(fc.json({ maxDepth: 2 }), { maxLength: 8 }).map((lines) => lines.join('\n')),
);

const blocks = (list: readonly string[], gap: string) =>
  fc
    .array(fc.oneof({ weight: 3, arbitrary: fc.constantFrom(...list) }, words), { maxLength: 20 })
    .map((all) => all.join(gap));

const whole = fc.oneof(
  blocks(MARKDOWN, '\n\n'),
  blocks(MARKDOWN, '\n'),
  blocks(HTML, ''),
  blocks(HTML, '\n'),
  csv,
  json,
);

const damaged = fc.tuple(whole, fc.nat(), fc.nat(30), anyCharacters(3)).map(([text, at, length, other]) => {
  const start = at % (text.length + 1);
  return text.slice(0, start) + other + text.slice(start + length);
});

export const structuredText = fc
  .tuple(fc.oneof({ weight: 3, arbitrary: whole }, damaged), fc.constantFrom('\n', '\n', '\r\n', '\r'))
  .map(([text, end]) => text.replaceAll('\n', end));

/** Parts of generated texts. fast-check shrinks failing texts towards the first list. */
const PIECES = [
  ['a', 'The quick brown fox', ' jumps over the lazy dog. ', 'Is it true? ', 'Yes! ', 'e.g. 3.14 '],
  ['\n', '\n\n', '\r\n', '\r\n\r\n', '\t', '   ', '\u00a0', '\u2028'],
  ['# Title\n', '## Part\n', '- item\n', '```js\nconst a = 1;\n```\n', 'def f(x):\n    return x\n\n\n'],
  ['这是一个句子。', 'これは文です！', '그것은 문장입니다. ', 'यह एक वाक्य है। ', 'هل هذه جملة؟ '],
  ['Это предложение. ', 'naïve café — ', 'e\u0301', '😀', '👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', '𠮷野家'],
  ['\ud83d', '\ude00', '\0', '\u0085', '\ufeff', '"quoted" \\ back/slash ', '\u0007', 'x'.repeat(60)],
  ['<|endoftext|>', '__proto__'],
].flat();

export const anyText = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }).map((pieces) => pieces.join('')),
  },
  { weight: 4, arbitrary: structuredText },
  { weight: 2, arbitrary: anyCharacters(200) },
  {
    weight: 1,
    arbitrary: fc.array(fc.nat(0xffff), { maxLength: 120 }).map((units) => String.fromCharCode(...units)),
  },
  { weight: 1, arbitrary: fc.stringMatching(/^[ \t\n\r\u00a0\u3000]*$/) },
);
