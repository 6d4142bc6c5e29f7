import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../../support/linear-work.ts';
import { shapesOf } from '../../shapes.ts';

const counter = await startBlockCounter(t);
const { markupSyntaxOf } = await import('../../../../../plugins/toolkit/markup/index.ts');
const { SYNTAX_NAMES } = await import('../../../../../plugins/chunkers/markup/manifest.ts');
const { scannerOf } = await import('../../../../../plugins/chunkers/markup/syntax.ts');

const SHAPES: Readonly<Record<(typeof SYNTAX_NAMES)[number] | 'all', readonly string[]>> = {
  all: ['«a »', '« »', '«\n»', '«\t»', '«=»', '«=\n»', '«*»', '«|»', '«- a\n»', '«a\n»#+title: a', '«\n»#'],
  restructuredtext: [
    '«====\n»',
    '«~~~~\n»',
    '«a\n=\n»',
    '«a\n-\n\n»',
    '«::\n»',
    '«a::\n\n»',
    '«.. a::\n»',
    '«.. |a\n»',
    '«=== ===\n»',
    '«+--+\n»',
    '«:a: b\n»',
    '«  - a\n»',
    '«1. a\n»',
    '«a`»',
    '«:a:`b»',
    '«* a\n»',
  ],
  asciidoc: [
    '«[a]\n»',
    '«----\n»',
    '«....\n----\n»',
    '«====\n****\n»',
    '«|===\n»',
    '«:a: \\\n»',
    '«ifdef::a[]\n»',
    '«.a\n»',
    '«a::\n»',
    '«////\n»',
  ],
  org: [
    '«#+begin_a\n»',
    '«#+begin_a\n* b\n»',
    '«#+begin_a\n»* b\n«#+end_a\n»',
    '«:a:\n»',
    '«#+caption:\n»',
    '* «[[a»',
    '* «=a »',
    '«#+todo: a b\n»',
    '«** a\n:a:\n»',
  ],
  latex: [
    '«\\begin{a}\n»',
    '«\\begin{a}»',
    '«\\end{a}\n»',
    '«\\begin{verbatim}\n»',
    '«\\section{»',
    '«\\section[»',
    '«\\section{a}\n»',
    '«\\verb|»',
    '«\\[»',
    '«%\n»',
    '«\\item\n»',
    '«\\begin{verbatim}\n»\\end{verbatim}',
  ],
  mediawiki: ['«{|\n»', '«<pre>\n»', '«<!--\n»', '«{{a\n»', '«== a ==\n»'],
  textile: ['«<pre>\n»', '«<!--\n»', '«h1. a\n»', '«bc.. a\n»', '«h1<»', 'h1«<»x'],
  pod: ['«=head1 a\n»', '«=begin a\n»', '«=cut\n»', '«=begin a»\n«=begin aa\n»'],
  texinfo: ['«@example\n»', '«@node a\n»', '«@section a\n»'],
  roff: ['«.nf\n»', '«.SH a\n»', '«.de\n»', '«.SH\n»'],
};

const run = async (text: string, { syntax }: { readonly syntax?: (typeof SYNTAX_NAMES)[number] }) => {
  const { blocks, plain } = scannerOf(syntax ?? 'org', '')(text);
  for (const { title } of blocks) plain(text.slice(title[0], Math.min(title[1], title[0] + 1000)));
  markupSyntaxOf(text);
};

for (const syntax of SYNTAX_NAMES)
  t.test(`the work to find the blocks of ${syntax} is linear in the text`, (t) =>
    checkLinearWork(t, shapesOf(...SHAPES.all, ...SHAPES[syntax]), [{ syntax }], run, counter),
  );
