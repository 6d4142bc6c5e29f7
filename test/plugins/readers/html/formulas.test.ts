import t from 'tap';
import createReader from '../../../../plugins/readers/html/index.ts';
import { readWith } from '../reading.ts';

const textOf = async (html: string) => (await readWith(createReader, html)).text;
const math = (inner: string): string => `<math>${inner}</math>`;
const [x, y, a, b] = ['x', 'y', 'a', 'b'].map((name) => `<mi>${name}</mi>`);
const mn = (number: number): string => `<mn>${number}</mn>`;
const mo = (sign: string): string => `<mo>${sign}</mo>`;

t.test('formulas of MathML are one line, with their structure', async (t) => {
  for (const [inner, text] of [
    [`<mfrac>${mn(12)}${mn(5)}</mfrac>`, '12/5'],
    [`${mn(3)}<mfrac>${mn(1)}${mn(2)}</mfrac>`, '3 1/2'],
    [`<msup>${mn(10)}${mn(6)}</msup>`, '10^6'],
    [`<msubsup>${x}${mn(1)}${mn(2)}</msubsup>`, 'x_1^2'],
    [`<msqrt>${b}${mo('−')}${mn(4)}</msqrt>`, '√(b−4)'],
    [`<mroot>${x}${mn(3)}</mroot>`, '√(3&x)'],
    [
      `<mfrac><mrow>${mo('−')}${b}${mo('±')}<msqrt><msup>${b}${mn(2)}</msup>${mo('−')}${mn(4)}${a}</msqrt></mrow><mrow>${mn(2)}${a}</mrow></mfrac>`,
      '(−b±√(b^2−4a))/2a',
    ],
    [`<munderover>${mo('∑')}<mrow>${x}${mo('=')}${mn(1)}</mrow>${mn(9)}</munderover>${x}`, '∑_(x=1)^9 x'],
    [`<mover>${x}${mo('¯')}</mover><mover>${y}${mo('^')}</mover>`, 'x\u0305y\u0302'],
    [`<mfenced open="[" close=")">${x}${y}</mfenced>`, '[x,y)'],
    [`<mfrac linethickness="0">${x}${y}</mfrac>`, 'x¦y'],
    [
      `<mtable><mtr><mtd>${mn(1)}</mtd><mtd>${mn(0)}</mtd></mtr><mtr><mtd>${mn(0)}</mtd><mtd>${mn(1)}</mtd></mtr></mtable>`,
      '[1 0; 0 1]',
    ],
    [`<mi>sin</mi>${mo('&#x2061;')}${x}`, 'sin x'],
    [`${mn(2)}${mo('&#x2062;')}${x}`, '2x'],
    [`${mn(2)}${mo('&#x2062;')}${mn(3)}`, '2 3'],
    [`${x}<mtext>if</mtext>${y}`, 'x if y'],
    [`<semantics><mrow>${x}</mrow><annotation>\\x</annotation></semantics>`, 'x'],
    [`<mphantom>${y}</mphantom>\n  ${x}\n`, 'x'],
    [`${a}${mo('&lt;')}${b}`, 'a\\<b'],
  ] as const)
    t.equal(await textOf(`<p>${math(inner)}`), text, inner);
});

t.test('formulas are apart from words, and not from marks', async (t) => {
  for (const [html, text] of [
    [`So ${math(x as string)}, and (${math(y as string)}).`, 'So x, and (y).'],
    [`a${math(x as string)}b <i>c</i>${math(y as string)}${math(y as string)}<b>d</b>`, 'a x b c y y d'],
    [`<mover>${x}<mo>\u0302</mo></mover>`, 'x\u0302'],
    [`<p>a<p>${math(x as string)}<p>b`, 'a\n\nx\n\nb'],
  ] as const)
    t.equal(await textOf(`<p>${html.startsWith('<mover') ? math(html) : html}`), text, html);
});

const katex = (inner: string, rest: string): string =>
  `<span class="katex"><span class="katex-mathml">${math(inner)}</span><span class="katex-html" aria-hidden="true">${rest}</span></span>`;
const square = `<msup>${x}${mn(2)}</msup>`;

t.test('formulas that a page has in several forms are written once', async (t) => {
  const glyphs = '<span class="math"><span>x</span><span>2</span></span>';
  for (const [html, text] of [
    [`So ${katex(square, 'x2')} holds.`, 'So x^2 holds.'],
    [`<span class="katex-display">${katex(square, 'x2')}</span>`, 'x^2'],
    ['<span class="katex"><span class="katex-html" aria-hidden="true">x</span></span>', 'x'],
    [`<span class="katex">${math(square)}</span>`, 'x^2'],
    [
      `<span class="MathJax_Preview"></span><span class="MathJax"><nobr>${glyphs}</nobr><span class="MJX_Assistive_MathML">${math(square)}</span></span><script type="math/tex">x^2</script>`,
      'x^2',
    ],
    [
      `<div class="MathJax_Display"><span class="MathJax"><nobr>${glyphs}</nobr><span>${math(square)}</span></span></div><script type="math/tex; mode=display">x^2</script>`,
      'x^2',
    ],
    [
      `<span class="MathJax_Preview">x2</span><span class="MathJax">${glyphs}</span><script type="math/tex">x^2</script>`,
      '$x^2$',
    ],
    ['a <script type="math/tex; mode=display">\\frac{1}{2}</script> b', 'a $$\\frac{1}{2}$$ b'],
    [
      `<mjx-container><mjx-math aria-hidden="true">x2</mjx-math><mjx-assistive-mml>${math(square)}</mjx-assistive-mml></mjx-container>`,
      'x^2',
    ],
    [
      `${katex(square, 'x2')}<script type="math/tex">y</script>`,
      'x^2',
      'a script behind the formula has the same one',
    ],
    ['<script type="math/tex">x</script><script>var y</script>z', '$x$ z'],
    [`<div class="MathJax"><p>Text</p></div>`, 'Text'],
    [
      `<span class="katex"><span class="katex-mathml">${math(square)}</span> not closed <b>here</b>`,
      'x^2 not closed here',
    ],
  ] as const)
    t.equal((await textOf(`<p>${html}`)).replace(/\s+/g, ' '), text, html);
});

t.test('deep and many formulas are read', async (t) => {
  const deep = `${'<msqrt>'.repeat(900)}<mi>x</mi>${'</msqrt>'.repeat(900)}`;
  t.match(await textOf(`<p>${math(deep)}`), /^√/);
  const many = `<span class="katex">${math(x as string).repeat(20_000)}</span>`;
  t.equal((await textOf(many)).split(' ').length, 20_000);
});
