import t from 'tap';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();

const languageOf = async (text: string) =>
  ((await chunk('markdown', { text })) as unknown as readonly { readonly language?: string }[])[0]?.language;

/** Info strings, by the language that they name. */
const INFOS: Readonly<Record<string, readonly string[]>> = {
  js: [
    'js',
    'js {1,3}',
    'js{4}',
    'js title="x"',
    'js:title',
    'js=',
    'js=12',
    'js,ignore',
    'language-js',
    'lang-js',
  ],
  r: ['r', '{r}', '{r echo=FALSE}', '{r, echo=FALSE}', '{r setup, include=FALSE}', '{.r}'],
  python: [
    ...[
      '{python}',
      '{.python .numberLines}',
      '{.numberLines .python}',
      '{#id .python}',
      '{ .python }',
      '{{python}}',
    ],
    ...['{: .language-python}', '{code-block} python', 'python {linenos=table}', '{python #fig-a}'],
  ],
  'c++': ['c++', '{c++}'],
  'c#': ['c#'],
  'objective-c': ['objective-c'],
  html: ['{=html}'],
  jsx: ['jsx live', 'jsx twoslash'],
  'diff-js': ['diff-js'],
  JavaScript: ['JavaScript'],
};
/** Those that name none. */
const NONE = [
  '',
  '=',
  '{1,3}',
  'title="x"',
  '{note}',
  '{figure} a.png',
  '{#id}',
  '{lines=2}',
  '12:24:a.ts',
  '{}',
  '{',
];

t.test('a fence names its language in all the ways of info strings', async (t) => {
  const named = Object.entries(INFOS).flatMap(([language, infos]) =>
    infos.map((info) => [info, language] as const),
  );
  for (const [info, language] of [...named, ...NONE.map((info) => [info, undefined] as const)]) {
    for (const marker of ['```', '~~~', '~~~~~']) {
      for (const gap of ['', ' ']) {
        const [first, last] = [`${marker}${gap}${info}`, marker];
        t.equal(await languageOf(`${first}\nx\n${last}\n`), language, first);
        t.equal(await languageOf(`${first} \r\nx\r\n${last}\r\n`), language, `${first} and CRLF`);
        t.equal(await languageOf(`- a\n\n  ${first}\n  x\n  ${last}\n`), language, `${first} in a list`);
        t.equal(await languageOf(`> ${first}\n> x\n`), language, `${first} in a quote`);
        t.equal(await languageOf(`${first}\nx`), language, `${first}, unclosed`);
        t.equal(await languageOf(first), language, `${first} alone`);
      }
    }
  }
});
