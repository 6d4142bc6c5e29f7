import t from 'tap';
import { findStructure } from '../../../../plugins/chunkers/html/structure/find-structure.ts';
import { openService } from '../../../support/service.ts';
import { checkDepth, testCuts } from '../cuts.ts';
import { testClusters, testSentenceEnds } from '../scripts.ts';
import CUTS from './cuts.json' with { type: 'json' };
import { HOSTILE_SHAPES } from './hostile-shapes.ts';

await testCuts(t, 'html', { min_chunk_size: 0 }, CUTS);
testSentenceEnds(t, 'html', { min_chunk_size: 0 }, '<p>%</p>');
testClusters(t, 'html', { min_chunk_size: 0 }, '<p>%</p>');

t.test('blocks whose closing tags are left out lie beside each other', async (t) => {
  for (const text of [
    '<ul><li>a<li><div>b<li>c</ul>',
    '<dl><dt>a<dt>b<dt>c</dl>',
    '<p>a<p>b<p>c',
    '<table><tr><td>a<tr><td>b<tr><td>c</table>',
    '<table><tr><td>a<td>b<td>c</table>',
    '<select><option>a<option>b<option>c</select>',
  ]) {
    const { ranks } = findStructure(text, []).outline;
    t.equal(ranks.length, 4, text);
    t.equal(ranks[1], ranks[2], text);
  }
});

t.test('skip leaves out whole elements, and a header counts them', async (t) => {
  const { post } = await openService(t);
  const scripts = '<p>a</p><SCRIPT>"<p>"</SCRIPT>\n<script>b</script><div>c<style>d</style></div>';
  for (const [text, skip, left, header] of [
    [scripts, ['Script', 'style'], ['<p>a</p>', '<div>c'], 'script 2; style 1'],
    ['<p>a<p>b<div>c</div>d', ['p'], ['<div>c</div>d'], 'p 2'],
    ['<div>a<span>b<span>c</span>d</div>e', ['span'], ['<div>a', '</div>e'], 'span 1'],
    ['a<svg><path/><svg/>x</svg>b<img src=x>c', ['svg', 'img'], ['a', 'b', 'c'], 'img 1; svg 1'],
    ['<nav><h1>A</h1></nav>b', ['nav'], ['b'], 'nav 1'],
    ['<div><div>a</div>', ['div'], [], 'div 1'],
    ['a', ['b'], ['a'], 'none'],
    ['a', [], ['a'], null],
  ] as const) {
    const answer = await post('/v1/chunk/html', { text, skip });
    const found = answer.json<{ text: string }[]>().map((one) => one.text);
    t.same([found, answer.headers.get('x-html-skipped')], [left, header], text);
  }
});

t.test('1 MB of endless nesting overflows no stack', (t) =>
  checkDepth(t, 'html', HOSTILE_SHAPES, [
    '«<div>a»«</div>b»',
    '«<table><tr><td>»«</table>»',
    '«<section><h1>a</h1>»«</section>x»',
  ]),
);

t.test('a byte order mark hides no heading', async (t) => {
  const { post } = await openService(t);
  for (const text of [
    '<h1>T</h1><p>a</p><h2>S</h2><p>b</p>',
    '<!DOCTYPE html><html><body><h1>T</h1><p>a</p></body></html>',
    '<!-- c --><h1>T</h1><p>a</p>',
    '<?xml version="1.0"?>\n<html><body><h1>T</h1></body></html>',
  ])
    for (const chunk_size of [24, 44, 512]) {
      const described = async (given: string) => {
        const answer = await post('/v1/chunk/html', { text: given, chunk_size, min_chunk_size: 0 });
        const chunks = (await answer.json()) as Record<string, unknown>[];
        return chunks.map(({ text, heading_path }) => [String(text).replace('\ufeff', ''), heading_path]);
      };
      t.same(await described(`\ufeff${text}`), await described(text), `${chunk_size} ${text}`);
    }
});
