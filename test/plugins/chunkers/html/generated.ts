import fc from 'fast-check';

/** A part of a generated text; one that is whole is not to be cut. */
interface Part {
  readonly text: string;
  readonly isWhole: boolean;
}

const whole = (text: string): Part => ({ text, isWhole: true });
const plain = (text: string): Part => ({ text, isWhole: false });

const TEXTS = [
  ...['Some words. ', 'And more of them here, at last; ', 'Why? ', '漢字。', '😀', '\n', '\r\n  ', 'a < b '],
  ...['1 & 2 ', ''],
];
const WHOLE = [
  ...['&amp;', '&#128512;', '&copy', '<br>', '<img alt="a > b, c. d" src=x>', '<B>', '</b>', '</a >'],
  ...['<!-- a > comment. <p> of words -->', '<a title=\'it. is > here\' HREF="x y">'],
  ...['<svg viewBox="0 0 1 1">', '<path d="M 0 0 L 1 1"/>', '</svg>'],
];
const BLOCKS = [
  ...['p', 'div', 'section', 'h1', 'H2', 'h3', 'li', 'ul', 'blockquote', 'pre', 'dt', 'dd', 'article'],
  ...['td', 'tr', 'table'],
];

const inline: fc.Arbitrary<Part[]> = fc.array(
  fc.oneof(fc.constantFrom(...TEXTS).map(plain), fc.constantFrom(...WHOLE).map(whole)),
  { maxLength: 8 },
);

/** Blocks whose closing tags may be missing. */
const block: fc.Arbitrary<Part[]> = fc
  .tuple(fc.constantFrom(...BLOCKS), inline, fc.constantFrom(true, true, false))
  .map(([name, parts, isClosed]) => [
    whole(`<${name} class="a b">`),
    ...parts,
    ...(isClosed ? [whole(`</${name}>`)] : []),
  ]);
const stray = fc.constantFrom('<hr>', '</div>', '</ul>', '</p>').map((text) => [whole(text)]);
const script = fc
  .constantFrom('if (a < b) { c("</scr" + "ipt>"); }\nd = "<p>";', '')
  .map((text) => [whole('<script type="x>y">'), plain(text), whole('</script>')]);
const piece = fc.oneof(
  { weight: 10, arbitrary: inline },
  { weight: 8, arbitrary: block },
  { weight: 1, arbitrary: stray },
  { weight: 1, arbitrary: script },
);

/** HTML of all constructs, with the stretches that are not to be cut. */
export const anyHtml = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => {
  const stretches: { start: number; end: number }[] = [];
  let text = '';
  for (const part of pieces.flat()) {
    if (part.isWhole) stretches.push({ start: text.length, end: text.length + part.text.length });
    text += part.text;
  }
  return { text, whole: stretches };
});

const CELLS = ['1', 'two words', '<b>3</b>', '&lt;4&gt;', '漢😀', '', 'a longer cell, with. more in it'];
const cell = fc.constantFrom(...CELLS);

/** A table with its cells. */
export const anyTable = fc
  .record({
    header: fc.array(fc.constantFrom('Name', 'Unit', 'Price'), { minLength: 1, maxLength: 3 }),
    rows: fc.array(fc.array(cell, { minLength: 3, maxLength: 3 }), { minLength: 1, maxLength: 30 }),
    hasHead: fc.boolean(),
    hasCaption: fc.boolean(),
    isClosed: fc.boolean(),
    newline: fc.constantFrom('', '\n', '\r\n'),
  })
  .map(({ header, rows, hasHead, hasCaption, isClosed, newline }) => {
    const end = (name: string) => (isClosed ? `</${name}>` : '') + newline;
    const row = (cells: readonly string[], name: string) =>
      `<tr>${cells.map((one) => `<${name}>${one}${end(name)}`).join('')}${end('tr')}`;
    const top = row(header, 'th');
    const head = hasHead ? `<thead>${top}</thead>${newline}<tbody>` : top;
    const caption = hasCaption ? `<caption>Prices</caption>${newline}` : '';
    const body = rows.map((cells) => row(cells, 'td')).join('');
    return { text: `<table>${newline}${caption}${head}${body}</table>`, header, rows };
  });

/** The cells of the tables in a text, row by row, as a reader of simple tables sees them. */
export function cellsOf(text: string): string[][] {
  const rows = text.split('<tr>').slice(1);
  return rows.map((row) =>
    row
      .replace(/<\/?(?:t[rdh]|thead|tbody|table)>/g, (tag) => (/^<t[dh]>$/.test(tag) ? '\0' : ''))
      .split('\0')
      .slice(1)
      .map((one) => one.trim()),
  );
}
