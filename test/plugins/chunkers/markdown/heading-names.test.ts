import assert from 'node:assert/strict';
import { decodeHTMLStrict } from 'entities/decode';
import fc from 'fast-check';
import { toString as wordsOf } from 'mdast-util-to-string';
import t from 'tap';
import { Definitions } from '../../../../plugins/chunkers/markdown/headings/links.ts';
import { headingName } from '../../../../plugins/chunkers/markdown/headings/name.ts';
import { findMarkdownBlocks } from '../../../../plugins/toolkit/markdown/find-blocks.ts';
import { parseReference } from '../../../support/markdown/reference.ts';
import { openChunkers } from '../../../support/service.ts';
import FORMS from './heading-names.json' with { type: 'json' };

const chunk = await openChunkers();
const DEFINED = '[ref]: /url\n\n[^note]: Note\n';
const BODY = `\n\nText.\n\n${DEFINED}`;

interface Headed {
  readonly heading_path: readonly string[];
}

const pathOf = async (text: string) =>
  ((await chunk('markdown', { text })) as unknown as readonly Headed[])[0]?.heading_path;

/** The names of the headings of a text outside of containers. */
function namesIn(text: string): string[] {
  const blocks = findMarkdownBlocks(text);
  const definitions = new Definitions(text, blocks);
  return blocks
    .filter(({ kind, depth }) => kind === 'heading' && depth === 0)
    .map((block) => headingName(text, block, definitions, decodeHTMLStrict));
}

/** The same by another parser. */
function reference(text: string): string[] {
  return parseReference(text)
    .children.filter(({ type }) => type === 'heading')
    .map((heading) => wordsOf(heading, { includeHtml: false }).replace(/\s+/g, ' ').trim());
}

for (const [sentence, forms] of Object.entries(FORMS)) {
  t.test(`in headings, ${sentence}`, async (t) => {
    for (const [source, name] of Object.entries(forms)) {
      const path = name === '' ? [] : [name];
      t.same(await pathOf(`# ${source}${BODY}`), path, source);
      t.same(await pathOf(`## ${source} ##\r\n\r\nText.\r\n${BODY}`), path, `${source} ##`);
      t.same(namesIn(`${DEFINED}\n### ${source}`), [name], `${source}, at the end of the text`);
      // A line of its own may begin another block.
      if (/^[\p{L}\\]/u.test(source))
        t.same(await pathOf(`${source}\n---${BODY}`), path, `underlined ${source}`);
    }
  });
}

t.test('forms that only CommonMark knows are named as another parser does', (t) => {
  const own: readonly string[] = Object.entries(FORMS).flatMap(([sentence, forms]) =>
    sentence.startsWith('unlike CommonMark') ? [] : Object.keys(forms),
  );
  t.ok(own.length >= 50);
  for (const source of own) t.same(namesIn(`# ${source}${BODY}`), reference(`# ${source}${BODY}`), source);
  t.end();
});

const EMPHASIS = [
  'a',
  'b1',
  ' ',
  '*',
  '**',
  '***',
  '_',
  '__',
  '`',
  '``',
  '(',
  ')',
  '.',
  ',',
  '!',
  'é',
  ':',
  '"',
  '-',
  '#',
  '/',
];
const OTHERS = [
  '<b>',
  '</b>',
  '<https://x.y>',
  '<a@b.c>',
  '<!-- c -->',
  '<i x="*">',
  '&amp;',
  '&#42;',
  '&no;',
  '\\',
  '\\*',
  '<',
  '>',
];
const LINKS = [
  'a',
  ' ',
  '*',
  '[a](x)',
  '[b][ref]',
  '[c][no]',
  '[ref] ',
  '[d][]',
  '![e](f "g")',
  '[h [i](j)](k)',
  '(',
  '`',
  '[l](<m n>)',
];

// micromark counts marks that are left of a run where the specification counts all, and has tags in the texts of images.
for (const [title, parts] of Object.entries({
  'random emphasis, code, tags and references': [...EMPHASIS, ...OTHERS],
  'random links': LINKS,
})) {
  t.test(`${title} are read as another parser does, but for one in a hundred`, (t) => {
    const line = fc.array(fc.constantFrom(...parts), { maxLength: 14 }).map((all) => `x ${all.join('')}`);
    const texts = fc
      .sample(line, { numRuns: 700, seed: 7 })
      .flatMap((source) => [`# ${source}${BODY}`, `${source.trimEnd()}\n===${BODY}`]);
    const different = texts.filter((text) => namesIn(text).join() !== reference(text).join());
    t.ok(different.length / texts.length < 0.01, different.slice(0, 3).join('\n'));
    t.end();
  });
}

t.test('whatever the heading, its name is one line of at most 200 characters', (t) => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (source) => {
      for (const name of namesIn(`# ${source}\n${source}\n===\n`))
        assert.ok(
          name.length <= 200 && name === name.trim() && !/[\r\n\t]| {2}/.test(name) && name.isWellFormed(),
        );
    }),
    { numRuns: 300 },
  );
  t.same(namesIn(`# ${'a'.repeat(199)}😀`), ['a'.repeat(199)]);
  t.same(namesIn(`# ${'![Build](https://example.org/badge.svg?of=a-long-address) '.repeat(40)}\n`), [
    'Build '.repeat(40).slice(0, 200).trim(),
  ]);
  t.end();
});

t.test('a heading without text ends the section before it, and has no name', async (t) => {
  const text = `# One\n\n${'a '.repeat(9)}\n\n#\n\n${'b '.repeat(9)}\n\n## <a id="c"></a>\n\n### Two\n\n${'c '.repeat(9)}\n`;
  const chunks = (await chunk('markdown', {
    text,
    split_level: 6,
    min_chunk_size: 0,
  })) as unknown as Headed[];
  t.same(
    chunks.map(({ heading_path }) => heading_path),
    [['One'], [], ['Two']],
  );
});
