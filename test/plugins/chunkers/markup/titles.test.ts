import t from 'tap';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

interface Headed extends AnswerChunk {
  readonly heading_path: readonly string[];
}

/** The paths of the words `one`, `two`, ... in a text, each in a chunk of its own. */
async function pathsIn(syntax: string, text: string): Promise<string[]> {
  const chunks = (await chunk('markup', { text, syntax, split_level: 6, min_chunk_size: 0 })) as Headed[];
  return chunks.map(({ heading_path }) => heading_path.join(' > '));
}

/** How a title is written in each syntax, and its plain text. */
const PLAIN: Readonly<Record<string, readonly (readonly [title: string, plain: string])[]>> = {
  restructuredtext: [
    ['Use ``a_b`` in :class:`~x.y.Cup`', 'Use a_b in Cup'],
    ['The :doc:`guide <a/b>` of *all* **cups**', 'The guide of all cups'],
    ['`Link <https://example.org>`_ and ref_', 'Link and ref'],
    ['snake_case and \\*args', 'snake_case and *args'],
    ['|name| stays', '|name| stays'],
    ['1. First', '1. First'],
    ['--verbose', '--verbose'],
    ['标题标题', '标题标题'],
  ],
  asciidoc: [
    ['Use `a_b` *now* [[id]]', 'Use a_b now'],
    ['The <<x,guide>> of link:a.html[cups] ==', 'The guide of cups'],
    ['A &amp; B {cpp} {unknown} {constructor}', 'A & B C++ {unknown} {constructor}'],
    ['snake_case_name and C#', 'snake_case_name and C#'],
  ],
  org: [
    ['TODO [#A] Buy [[https://example.org][some milk]] :a:b:', 'Buy some milk'],
    ['DONE =code= and *bold* [2/3]', 'code and bold'],
    ['The a/b and c/d', 'The a/b and c/d'],
  ],
  latex: [
    ['A \\emph{big} \\textbf{cup}\\footnote{x}', 'A big cup'],
    ['Na\\"ive \\& na\\"{\\i}ve~caf\\\'e', 'Naïve & naïve café'],
    ['The $\\lambda$-cup \\LaTeX{} \\texorpdfstring{$x$}{ex}', 'The λ-cup LaTeX ex'],
    ['Over % not this\n two lines', 'Over two lines'],
  ],
  mediawiki: [["A ''big'' [[Cup|cup]] <!-- x -->", 'A big cup']],
  textile: [['A *big* "cup":https://example.org', 'A big cup']],
  pod: [['Use C<a> and L<the cup|x> E<lt>B<b>E<gt> E<toString>', 'Use a and the cup <b> E<toString>']],
  texinfo: [['Use @code{a} @@ home@anchor{x}', 'Use a @ home']],
  roff: [['"THE \\fBBIG\\fR CUP\\-S"', 'THE BIG CUP-S']],
};

const WRITE: Readonly<Record<string, (title: string) => string>> = {
  restructuredtext: (title) => `${title}\n${'='.repeat(title.length * 2)}\n`,
  asciidoc: (title) => `== ${title}\n`,
  org: (title) => `* ${title}\n`,
  latex: (title) => `\\section{${title}}\n`,
  mediawiki: (title) => `== ${title} ==\n`,
  textile: (title) => `h1. ${title}\n`,
  pod: (title) => `=head1 ${title}\n`,
  texinfo: (title) => `@chapter ${title}\n`,
  roff: (title) => `.SH ${title}\n`,
};

t.test('titles are plain text', async (t) => {
  for (const [syntax, titles] of Object.entries(PLAIN)) {
    for (const [title, plain] of titles) {
      const text = `${WRITE[syntax]?.(title)}\nThe words below it.\n`;
      t.same(await pathsIn(syntax, text), [plain], `${syntax}: ${title}`);
    }
  }
});

t.test('the title of the text is above all others', async (t) => {
  t.same(await pathsIn('org', '#+TITLE: Tea\n\nWords.\n\n* Milk\n\nWords.\n'), ['Tea', 'Tea > Milk']);
  t.same(await pathsIn('asciidoc', '= Tea\nAda\n:a: b\n\nWords.\n\n== Milk\n\nWords.\n'), [
    'Tea',
    'Tea > Milk',
  ]);
  const latex =
    '\\documentclass{article}\n\\title{Tea}\n\\begin{document}\nWords.\n\\section{Milk}\nWords.\n\\end{document}\n';
  t.same((await pathsIn('latex', latex)).at(-1), 'Tea > Milk');
  const book = '= Tea\n:doctype: book\n\n= Part\n\nWords.\n\n== Milk\n\nWords.\n';
  t.same((await pathsIn('asciidoc', book)).at(-1), 'Tea > Part > Milk');
});

t.test('attributes have their values if these are known', async (t) => {
  const text = '= {name} Guide\n:name: Tea\n:other: a\n\nWords.\n\n:other: b\n\n== The {other}\n\nWords.\n';
  t.same(await pathsIn('asciidoc', text), ['Tea Guide', 'Tea Guide > The {other}']);
  const replaced = '.. |cup| replace:: mug\n\nThe |cup|\n=========\n\nWords.\n';
  t.same((await pathsIn('restructuredtext', replaced)).at(-1), 'The mug');
});

/** Texts without a title, though they have lines like some. */
const UNTITLED: Readonly<Record<string, readonly string[]>> = {
  restructuredtext: [
    'Words\n\n----\n\nWords.\n',
    'Three lines\nof a paragraph\n==============\n',
    '   Indented\n   ========\n',
    'Short one\n--\n\nWords.\n',
    '=====  =====\nA      B\n=====  =====\n1      2\n=====  =====\n',
    'So::\n\n  A\n  =\n\n::\n\n> B\n> =\n',
    '.. A comment\n   Title\n   =====\n',
    '- item\n\n  Title\n  =====\n',
    '=====\nTitle\n-----\n',
  ],
  asciidoc: [
    'Words\n== No title\n',
    '----\n== No title\n----\n',
    '[source]\n== No title == at all\n'.replace('== No', 'x == No'),
    '====\n\n== No title\n\n====\n',
    '[discrete]\n== No section\n\nWords.\n',
    ' == No title\n',
    '* item\n== No title\n',
    '-- \nWords\n',
    '======= Seven\n',
  ],
  org: ['*bold* words\n', ' * item\n', '# * comment\n', '#+BEGIN_SRC org\n* No headline\n#+END_SRC\n', '*\n'],
  latex: [
    '% \\section{No}\n',
    '\\begin{verbatim}\n\\section{No}\n\\end{verbatim}\n',
    '\\newcommand{\\x}{\\section{#1}}\n',
    '\\renewcommand\\section{\\relax}\n',
    '\\documentclass{article}\n\\section{No}\n',
    'Words \\verb|\\section{No}| words.\n',
    '\\section{never closed\n\nWords.\n',
    '\\sectionmark{No}\n',
  ],
  mediawiki: ['<nowiki>\n== No ==\n</nowiki>\n', '== No\n', '=====\n'],
  textile: ['h7. No\n', 'h1.No\n', 'bc.. a\n\nWords\n'],
  pod: [' =head1 No\n', '=begin text\n\n=head1 No\n\n=end text\n'],
  texinfo: ['@c @chapter No\n', '@example\n@chapter No\n@end example\n'],
  roff: ['.\\" .SH No\n', '.nf\n.SH No\n.fi\n', 'Words .SH no\n'],
};

t.test('what only looks like a title is none', async (t) => {
  for (const [syntax, texts] of Object.entries(UNTITLED))
    for (const text of texts) t.same([...new Set(await pathsIn(syntax, text))], [''], `${syntax}: ${text}`);
});

t.test('the levels of adornments are those of their first use; a skipped one makes no title', async (t) => {
  const title = (name: string, mark: string) => `${name}\n${mark.repeat(5)}\n\nWords.\n\n`;
  const over = `-----\nTop\n-----\n\nWords.\n\n`;
  const text = [over, title('A', '-'), title('B', '~'), title('C', '-'), over, title('D', '~')].join('');
  t.same(await pathsIn('restructuredtext', text), ['Top', 'Top > A', 'Top > A > B', 'Top > C', 'Top']);
});

t.test('blocks that fit are whole, and their lines stay together with what names them', async (t) => {
  const words = `${'Words and words. '.repeat(6)}\n\n`;
  const blocks = {
    restructuredtext: '.. code-block:: sh\n\n   # a\n\n   b\n\n   c\n\n',
    asciidoc: '.The code\n[source,sh]\n----\n# a\n\nb\n\nc\n----\n\n',
    org: '#+CAPTION: The code\n#+BEGIN_SRC sh\n# a\n\nb\n\nc\n#+END_SRC\n\n',
    latex: '\\begin{lstlisting}[language=sh]\n# a\n\nb\n\nc\n\\end{lstlisting}\n\n',
  };
  for (const [syntax, block] of Object.entries(blocks)) {
    for (const chunk_size of [90, 110, 130]) {
      const chunks = await chunk('markup', { text: words + block + words + block, syntax, chunk_size });
      t.equal(chunks.filter(({ text }) => text.includes(block.trimEnd())).length, 2, syntax);
    }
  }
});

t.test('a block that is continued is introduced by its first lines', async (t) => {
  const text = `[source,sh]\n----\n${'echo one more line\n'.repeat(9)}----\n`;
  const chunks = (await chunk('markup', { text, syntax: 'asciidoc', chunk_size: 80 })) as {
    context?: string;
  }[];
  t.same([...new Set(chunks.map(({ context }) => context))], [undefined, '[source,sh]\n----']);
});

t.test('auto finds the syntax by the media type, the name and the content', async (t) => {
  const org = '#+TITLE: Tea\n\n* Milk\n\nWords.\n';
  for (const document of [
    { text: org, media_type: 'text/x-org', filename: 'a.rst' },
    { text: org, filename: 'A.ORG' },
    { text: org },
    { text: `\ufeff${org}` },
    { text: org.replaceAll('\n', '\r\n'), filename: 'a.org' },
    { text: org.replaceAll('\n', '\r'), filename: 'a.org' },
  ]) {
    const [[only]] = (await chunk('markup', { documents: [document] })) as unknown as [[Headed]];
    t.same(only.heading_path, ['Tea', 'Milk'], JSON.stringify(document));
  }
  const [prose] = (await chunk('markup', { text: 'Tea\n===\n\nWords.\n' })) as Headed[];
  t.same(prose?.heading_path, [], 'nothing says that it is no Markdown');
});
