import fc from 'fast-check';
import t from 'tap';
import { findMarkdownBlocks } from '../../../../plugins/toolkit/markdown/find-blocks.ts';

/** The outer blocks of a text, each with its source. */
const blocksOf = (text: string) =>
  findMarkdownBlocks(text)
    .filter(({ depth }) => depth === 0)
    .map(({ kind, start, end }) => [kind, text.slice(start, end)]);
const kindsOf = (text: string) => blocksOf(text).map(([kind]) => kind);

/** What hides headings, how it begins and how it ends. */
const HIDING: readonly (readonly [opening: string, closing: string, kind?: string])[] = [
  ['$$', '$$'],
  ['$$', '$$ {#eq:a}'],
  ['$$', '$$.'],
  ['$$ x', 'y $$'],
  ['\\[', '\\]'],
  ['\\[ x', '\\],'],
  ['%%', '%%'],
  ['%% hidden', 'words %%'],
  ['\\begin{verbatim}', '\\end{verbatim}'],
  ['\\begin{align*}', '\\end{align*}'],
  ['{% raw %}', '{% endraw %}'],
  ['{%- raw -%}', '{%- endraw -%}'],
  ['{%verbatim%}', '{%endverbatim%}'],
  ['{% comment %}', '{% endcomment %}'],
  ['{% highlight ruby linenos %}', '{% endhighlight %}', 'fence'],
  ['{% codeblock lang:js %}', '{% endcodeblock %}', 'fence'],
  ['{{< highlight go "hl_lines=1" >}}', '{{< /highlight >}}', 'fence'],
  ['{{% highlight go %}}', '{{% /highlight %}}', 'fence'],
];
const BETWEEN = ['# no heading', 'x\n===', '- # a', '| a |\n|---|', '> b', '# one\n## two'];

t.test('math, environments, templates and comments hide headings, as one block', (t) => {
  for (const [opening, closing, kind = 'raw'] of HIDING) {
    for (const inner of BETWEEN) {
      for (const [before, end] of [
        ['', '\n'],
        ['Text:\n', '\n'],
        ['Text:\n\n', '\r\n'],
        ['- item\n\n', '\r'],
      ] as const) {
        const block = `${opening}\n${inner}\n  ${closing}\n`;
        const text = `${before}${block}# H\n`.replaceAll('\n', end);
        t.same(
          blocksOf(text).slice(-2),
          [
            [kind, block.replaceAll('\n', end)],
            ['heading', `# H${end}`],
          ],
          text,
        );
      }
    }
  }
  t.end();
});

t.test('blank lines are within them if nothing else is on their first line', (t) => {
  for (const [opening, closing, kind = 'raw'] of HIDING) {
    const isMathWithText = /^(?:\$\$|\\\[|%%) /.test(opening);
    const kinds = kindsOf(`${opening}\n\n# a\n\n${closing}\n`);
    t.same(kinds, isMathWithText ? ['paragraph', 'heading', 'paragraph'] : [kind], opening);
  }
  t.end();
});

t.test('what is not closed hides nothing', (t) => {
  for (const [opening, closing] of HIDING) {
    t.same(kindsOf(`${opening}\n# a\n`), ['paragraph', 'heading'], opening);
    t.same(kindsOf(`${opening} ${closing}\n# a\n`), ['paragraph', 'heading'], `${opening} on one line`);
    if (opening.startsWith('{')) t.notSame(kindsOf(`${closing}\n# a\n${opening}\n`), ['raw'], closing);
  }
  t.end();
});

t.test('prose that begins like them hides nothing', (t) => {
  const texts = {
    'levels of prices': '$$ cheap\n\n# a\n\n$$$ dear\n',
    'a process in a fence': '$$\n# a\n\n```sh\necho $$\n```\n',
    'cells of a notebook': '%% One\n# a\n%% Two\n',
    'brackets that are escaped': '\\[a\\] b\n# a\n\\]\n',
    'another environment': '\\begin{a}\n# a\n\\end{b}\n',
    'a page that is raw for Liquid': '{% raw %}\n# a\n\n```\nx\n```\n{% endraw %}\n',
    'a container': '::: tip\n# a\n:::\n',
    'another tag': '{% if a %}\n# a\n{% endif %}\n',
  };
  for (const [title, text] of Object.entries(texts)) t.ok(kindsOf(text).includes('heading'), title);
  t.end();
});

t.test('blocks that hide lie side by side, whatever is between their marks', (t) => {
  const marks = HIDING.flat();
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom(...marks, '# a', 'b', '', '```', '> $$'), { maxLength: 16 }),
      (lines) => {
        const text = lines.join('\n');
        let last = 0;
        for (const { start, end, depth } of findMarkdownBlocks(text)) {
          if (depth > 0) continue;
          if (start < last || end <= start || end > text.length) throw new Error(text);
          last = end;
        }
      },
    ),
  );
  t.end();
});

t.test('a first line of dashes begins front matter if metadata follows, perhaps after comments', (t) => {
  for (const [text, isData] of [
    ['---\ntitle: Tea\n---\n', true],
    ['---\n# Tea\ntitle: Tea\n---\n', true],
    ['---\n# Tea\n# and milk\n\nlayout: home\ntags:\n- a\n  - b\n---\n', true],
    ['+++\n# Tea\n[a.b]\ntitle = "Tea"\n+++\n', true],
    ['---\n# Tea\n---\n', false],
    ['---\n# Tea\n\nText.\n\n---\n', false],
    ['---\n# Tea\n\nNote: milk\n\nMore text.\n\n---\n', false],
    ['---\n# Tea\n\nAs people say: milk\n\n---\n', false],
    ['---\n# Tea\ntitle: Tea\n', false],
  ] as const) {
    for (const end of ['\n', '\r\n', '\r'])
      t.equal(kindsOf(text.replaceAll('\n', end))[0] === 'front_matter', isData, text);
  }
  t.end();
});

t.test('the rows above a delimiter row with as many cells are its header', (t) => {
  const [rule, body] = ['|---|:-:|\n', '| 1 | 2 |\n'];
  for (const [above, header] of [
    ['', '| a | b |\n'],
    ['', '| a | b |\n| c | d |\n'],
    ['', '| | a |\n| b | c |\n| d | e |\n'],
    ['', 'a | b\nc \\| d | e\n'],
    ['Text\n', '| a | b |\n| c | d |\n'],
    ['Text\n\n', '| a | b |\n| c | d |\n'],
    ['x | y | z\n', '| a | b |\n| c | d |\n'],
    ['| a | b |\n\n', '| c | d |\n'],
    ['| a | b |\n'.repeat(5), '| c | d |\n'],
  ] as const) {
    for (const end of ['\n', '\r\n', '\r']) {
      const text = `${above}${header}${rule}${body}`.replaceAll('\n', end);
      const table = findMarkdownBlocks(text).at(-1);
      t.match(table, { kind: 'table', start: above.replaceAll('\n', end).length, end: text.length }, text);
      t.equal(text.slice(table?.inner), body.replaceAll('\n', end));
    }
    const quoted = `${above}${header}${rule}${body}`.replace(/^/gm, '> ').replace(/> $/, '');
    t.equal(
      findMarkdownBlocks(quoted).at(-1)?.start,
      above.length + 2 * (above.split('\n').length - 1),
      quoted,
    );
  }
  t.end();
});
