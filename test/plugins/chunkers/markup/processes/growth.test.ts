import t from 'tap';
import { startBlockCounter } from '../../../../support/executed-blocks.ts';
import { checkLinearWork } from '../../../../support/linear-work.ts';
import { shapesOf } from '../../shapes.ts';

const counter = await startBlockCounter(t);
const { kit } = await import('../../../../../core/kit.ts');
const { SYNTAX_NAMES } = await import('../../../../../plugins/chunkers/markup/manifest.ts');
const { scannerOf } = await import('../../../../../plugins/chunkers/markup/syntaxes/all.ts');

const SHAPES = shapesOf(
  ...[
    '«=»',
    '«=\n»',
    '«====\n»',
    '«~~~~\n»',
    '«a\n=\n»',
    '«a\n-\n\n»',
    '«::\n»',
    '«a::\n\n»',
    '«.. a::\n»',
    '«.. |a\n»',
  ],
  ...[
    '«=== ===\n»',
    '«+--+\n»',
    '«:a: b\n»',
    '«- a\n»',
    '«  - a\n»',
    '«1. a\n»',
    '«a`»',
    '«:a:`b»',
    '«|»',
    '«* a\n»',
    '«*»',
  ],
  ...[
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
  ...[
    '«#+begin_a\n»',
    '«#+begin_a\n* b\n»',
    '«:a:\n»',
    '«#+caption:\n»',
    '* «[[a»',
    '* «=a »',
    '«#+todo: a b\n»',
    '«** a\n:a:\n»',
  ],
  ...[
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
  ],
  ...[
    '«{|\n»',
    '«<pre>\n»',
    '«<!--\n»',
    '«{{a\n»',
    '«== a ==\n»',
    '«h1. a\n»',
    '«bc.. a\n»',
    '«=head1 a\n»',
    '«=begin a\n»',
    '«=cut\n»',
  ],
  ...[
    '«@example\n»',
    '«@node a\n»',
    '«@section a\n»',
    '«.nf\n»',
    '«.SH a\n»',
    '«.de\n»',
    '«.SH\n»',
    '«a »',
    '« »',
    '«\n»',
    '«\t»',
  ],
);

t.test('the work to find the blocks of a text is linear in it', (t) => {
  const requests = SYNTAX_NAMES.map((syntax) => ({ syntax }));
  const run = async (text: string, { syntax }: { readonly syntax?: (typeof SYNTAX_NAMES)[number] }) => {
    const { blocks, plain } = scannerOf(syntax ?? 'org', '')(text);
    for (const { title } of blocks) plain(text.slice(title[0], Math.min(title[1], title[0] + 1000)));
    kit.markupSyntaxOf(text);
  };
  return checkLinearWork(t, SHAPES, requests, run, counter);
});
