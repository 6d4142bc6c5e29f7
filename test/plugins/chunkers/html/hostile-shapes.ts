import { shapesOf } from '../shapes.ts';

/** HTML that makes parsers quadratic or overflows their stack. */
export const HOSTILE_SHAPES = shapesOf(
  ...['«<div>»', '«<div>»«</div>»', '«<div>a»«</div>b»', '«<b><i>»«x</i>»«</b>»', 'x«</div></p></table>»'],
  ...['«<section>»«<table><tr><td>»«</section>»«</div>»', '«<section>»«</article>»', '«<p>a »'],
  ...['<ul>«<li>a»', '«<ul><li>»«<div><section>»«<li>a»', '«<ul><li>a»«</ul>»'],
  ...['«<table><tr><td>»«</table>»', '«<table><tr><th>h<tr><td>»«</table>»'],
  '«<table><thead><tr><td>h</thead><tr><td>a»«b</td></tr></table>»',
  ...['<table><tr><th>h</th></tr>«<tr><td>1<td>2»', '<table><tr>«<th>head</th>»</tr>«<tr><td>1»</table>'],
  ...['«<h1>a</h1><h2>b</h2><h3>c</h3>»', '«<h1>a<h2>b»', '«<section><h1>a</h1>»«</section>x»'],
  ...['<h1>«word »', '«<h2></h2>»', '«<!--»', '«<!--><!--->x»', '«<!-- a -->»', '«<!»', '<svg>«<![CDATA[»'],
  ...['«<»', '«</»', '«<a »', '«<a b="»', '«<a b="<c d=\'»', '<a «=»', '<a «b=c »>'],
  ...['<a href="«x»">text</a>', '<p>«<br>»</p>', '«&»', '«&amp&#1&#xA»', '&«a»', '«<script>»'],
  ...['<script><!--«<script>a</script>»', '<script>«</scrip»', '«<textarea><title>»'],
  ...['«<svg><g>»«</g></svg>»', '«<template><p>»«</template>»', '<plaintext>«<p>a »'],
  ...['<select>«<optgroup><option>a»', '<dl>«<dt>a<dd>b»', '«<hr>»'],
);
