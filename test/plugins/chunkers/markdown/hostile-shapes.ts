import type { Shapes } from '../../../support/linear-work.ts';
import { shapesOf } from '../shapes.ts';

const growing = (part: (index: number) => string) => (length: number) => {
  let text = '';
  for (let index = 0; text.length < length; index++) text += part(index);
  return text;
};

/** Shapes of MDX: their names say so. */
function mdxShapes(...made: readonly string[]): Shapes {
  return Object.fromEntries(
    Object.entries(shapesOf(...made)).map(([shape, make]) => [`mdx: ${shape}`, make]),
  );
}

export const optionsFor = (shape: string) => ({ mdx: shape.startsWith('mdx: ') });

/** Texts that make other parsers of Markdown quadratic or overflow their stack. */
export const HOSTILE_SHAPES: Shapes = {
  ...shapesOf(
    ...['«> »', `${'> '.repeat(200)}«a\n»`, '«- »', '«- »«\n»', '«1. »', '«> - »', '«[»', '«*»a«*»'],
    ...['«*a_ »', '«# a\n»', '«# a\n## b\n### c\n»', '# «a »', '| a | b |\n|---|---|\n«| 1 | 2 |\n»'],
    ...['«|---|---|\n»', '«| a »|\n«|---»|\n«| a »|\n', '```\n«code\n»', '`````\n«```\n»', '```«a »\n«b\n»'],
    ...["«[a]: /b 'c\n»", '[a]: /b "«x\n»', '«[^1]: »', '«<»', '«<a »', '«<a b="c" »', '«<!-- »'],
    ...['«Article 1\n\na\n\nArticle 2\n\na\n\n»', '«1. A\n\na\n\n»', 'Article 1\n«Article 1\n»'],
    ...['«<div>\n\n»', '«a\n»', '«a\n»===\n', '«a:\n»', 'a«\n»', '«\r»«a\r»', '« »a', '«\t»a', '«x»'],
  ),
  ...mdxShapes(
    ...[
      '«import {\n\n»',
      '«import a\n\n»',
      '«<A>\n\n»',
      '«<A>\n\n»«</A>\n\n»',
      '«<A b={\n\n»',
      '«{/*\n\n»',
      '«{`\n\n»',
    ],
    ...['«<A>»', '«- <A>\n»', '«</A>\n\n»', '<A «b="1" »>', "import a« 'b»", '«export const a = `\n\n»'],
  ),
  // One heading.
  ...shapesOf(
    ...[
      '# «*a_ »',
      '# «**a»«_»',
      '# «[»«[a](b) »',
      '# «[a](b "c»',
      '# «<a b="»',
      '# «<a b=\'">»',
      '# «<!--»«<?»',
    ],
    ...[
      '# «$a »',
      '# «{#a}<b>»',
      '# «`a ``»',
      '# a« #»',
      '«*a\n»===\n',
      '«\\[ a\n»',
      '«\\begin{a}\n»',
      '«{% raw %}\n»',
    ],
    ...['«$$\n\n»', '«%% a\n\n»%%', '«| a |\n»|---|\n| 1 |\n', '---\n«# a: \n»'],
  ),
  'lists on ever deeper lines': growing((index) => `${' '.repeat(index % 60)}- a\n`),
  'backticks of all lengths': growing((index) => `${'`'.repeat(index % 80)} `),
  'long headings with text': growing((index) => `${'#'.repeat((index % 6) + 1)} ${'h'.repeat(150)}\nx\n`),
  'fences of all lengths': growing((index) => `${'`'.repeat((index % 200) + 3)}\n`),
  'link definitions': growing((index) => `[a${index}]: /b\n`),
};
