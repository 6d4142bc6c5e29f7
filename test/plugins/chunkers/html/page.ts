/** A page with what pages have. */
export const PAGE = `<!DOCTYPE html>
<html lang=en><head><meta charset="utf-8"><title>Tea &amp; milk</title>
<link rel=stylesheet href="a.css?b=1&c=2"><style>p > a::before { content: "</p>"; }</style>
<script>if (1 < 2) document.write("<p>" + '</scr' + 'ipt>');</script></head>
<body class='a > b'><!-- navigation --><nav><h2>Menu</h2><ul><li><a href="#tea">Tea</a><li><a href="#milk">Milk</a></ul></nav>
<main><header><h1 id=tea>Tea <small>(hot)</small></h1></header>
<p>Boil water, as <em>hot</em> as it gets.<br>Pour it on&nbsp;the leaves. Wait for four minutes &ndash; or five.
<p>You need:</p><ol><li>a pot<li>leaves, of which there are<ul><li>green ones</li><li>black ones</li></ul></ol>
<section><h2>Temperatures</h2><table class="data"><caption>By kind</caption>
<thead><tr><th>Kind<th>Degrees</thead><tbody><tr><td>green<td>80<tr><td>black<td>95<tr><td>white<td>75</table></section>
<h2 id=milk>Milk</h2><blockquote><p>Milk first.</p></blockquote><pre><code>pour(milk);
pour(tea); // &lt;hot&gt;
</code></pre><svg width=10><title>A cup</title><path d="M 0 0 L 10 10"/><style/></svg><hr>
<details open><summary>Why?</summary><dl><dt>Taste<dd>Try it.<dt>Habit<dd>Ask them.</dl></details>
<form><textarea name=t><p>not a tag</textarea><select><option>one<option>two</select></form></main>
<footer><p>漢字 😀 &copy 2026</footer></body></html>
`;
