import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import t from 'tap';
import createReader from '../../../../plugins/readers/html/index.ts';
import { between, createRandom } from '../../../support/random.ts';
import { readWith } from '../reading.ts';
import { inOrder, wordsOf } from '../words.ts';
import { HOSTILE_PAGES } from './hostile-pages.ts';

/** Real pages, and generated ones. Those of another folder are read with `HTML_SAMPLES=FOLDER`. */

const FOLDER = process.env.HTML_SAMPLES ?? join(import.meta.dirname, '../../../fixtures/html');
const NAMES = readdirSync(FOLDER).filter((name) => name.endsWith('.html'));
const MIN_SHARE = 0.98;
const UNSEEN = new Set('head title script style template iframe select'.split(' '));

const textOf = async (source: string | Uint8Array) => (await readWith(createReader, source)).text;

/** What is in a page outside of elements that are not shown, with a space at each tag. */
function textIn(source: string): string {
  const texts: string[] = [];
  const open: DefaultTreeAdapterTypes.Node[] = [parse(source, { scriptingEnabled: false })];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if ('value' in node) texts.push(node.value);
    else if ('childNodes' in node && !isHidden(node) && !UNSEEN.has(node.nodeName))
      open.push(...node.childNodes.toReversed());
  }
  return texts.join(' ');
}

const isHidden = (node: DefaultTreeAdapterTypes.Node) =>
  'attrs' in node && node.attrs.some(({ name }) => name === 'hidden');

/** Code in fences and spans may contain tags, as the page shows them. */
const withoutCode = (markdown: string) =>
  markdown.replace(/^[> ]*(`{3,})[^\n]*\n[\s\S]*?\n[> ]*\1$/gm, '').replace(/(`+)(?!`).*?(?<!`)\1(?!`)/g, '');
const TAG = /(?<!\\)<[a-z/!]/i;

/** The kinds of what a parser of Markdown finds in a text. */
function kindsIn(markdown: string): Set<string> {
  const kinds = new Set<string>();
  const open: Nodes[] = [fromMarkdown(markdown)];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    kinds.add(node.type);
    if ('children' in node) open.push(...node.children);
  }
  return kinds;
}
/** What no page becomes. */
const UNWRITTEN = ['html', 'definition', 'image'];

for (const name of NAMES)
  t.test(`${name}: its words are in the Markdown in their order, its tags are not`, async (t) => {
    const source = readFileSync(join(FOLDER, name), 'utf8');
    const text = await textOf(source);
    const [words, own] = [wordsOf(textIn(source).replace(/\s+/g, ' ')), wordsOf(text)];
    const share = inOrder(words, own) / words.length;
    t.ok(share >= MIN_SHARE, `${share.toFixed(4)} of ${words.length} words`);
    t.notMatch(withoutCode(text), TAG);
    t.notOk(
      UNWRITTEN.some((kind) => kindsIn(text).has(kind)),
      'nor for a parser of Markdown',
    );
    t.ok(text.length < source.length / 1.5, 'it is much shorter');
  });

const CONTAINERS =
  'div p ul li ol blockquote section table tr td th b i a code span h2 pre dl dt dd details figure label'.split(
    ' ',
  );

/** A tree of visible elements whose texts are numbered words. */
const anyPage = fc
  .array(fc.oneof(fc.constant('word'), fc.constant('end'), fc.constantFrom(...CONTAINERS)), { maxLength: 60 })
  .map((steps) => {
    const open: string[] = [];
    let [html, count] = ['', 0];
    for (const step of steps) {
      if (step === 'word') html += ` w${count++} `;
      else if (step === 'end') html += open.length > 0 ? `</${open.pop()}>` : '';
      else {
        open.push(step);
        html += `<${step} href="https://a.org">`;
      }
    }
    return html;
  });

t.test('any tree of visible elements has its words in the order of the tree', async () => {
  await fc.assert(
    fc.asyncProperty(anyPage, async (html) => {
      const text = await textOf(html);
      const words = textIn(html).match(/w\d+/g) ?? [];
      const own = text.replaceAll('https://a.org', '').match(/w\d+/g) ?? [];
      if (own.join() !== words.join()) throw new Error(`${words} became ${own} in ${JSON.stringify(text)}`);
      if (TAG.test(withoutCode(text))) throw new Error(`a tag in ${JSON.stringify(text)}`);
      const unwritten = UNWRITTEN.find((kind) => kindsIn(text).has(kind));
      if (unwritten !== undefined) throw new Error(`${unwritten} in ${JSON.stringify(text)}`);
    }),
    { numRuns: 500 },
  );
});

t.test('pages with parts removed, doubled and swapped keep their words, and get no tags', async (t) => {
  const sources = NAMES.map((name) => readFileSync(join(FOLDER, name), 'utf8').slice(0, 20_000));
  const random = createRandom(7);
  for (let run = 0; run < 500; run++) {
    const source = sources[run % sources.length] as string;
    const [from, to, at] = [0, 0, 0].map(() => between(random, 0, source.length)) as [number, number, number];
    const part = source.slice(Math.min(from, to), Math.min(from, to) + 2000);
    const mutated = (source.slice(0, at) + part + source.slice(at + between(random, 0, 500))).toWellFormed();
    const text = await textOf(mutated);
    const words = wordsOf(textIn(mutated).replace(/\s+/g, ' '));
    const lost = words.length - inOrder(words, wordsOf(text));
    if (lost > words.length * (1 - MIN_SHARE) || !text.isWellFormed())
      t.fail(`${NAMES[run % NAMES.length]} ${run}: ${lost} of ${words.length} words`);
    if (TAG.test(withoutCode(text))) t.fail(`a tag: ${TAG.exec(withoutCode(text))?.index} of ${run}`);
  }
});

t.test('hostile pages are read or refused', async (t) => {
  for (const [what, page] of Object.entries(HOSTILE_PAGES)) {
    const read = textOf(page(100_000)).catch((error) => error as { statusCode?: number });
    const outcome = await read;
    t.ok(typeof outcome === 'string' || outcome.statusCode === 400, what);
  }
});
