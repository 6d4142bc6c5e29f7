/**
 * Pages that are slow, large or deep for whoever builds a tree of them, or writes one: by what is hostile about them, of
 * about a number of bytes. They are read in linear time, or refused.
 */
export const HOSTILE_PAGES: Readonly<Record<string, (bytes: number) => string>> = {
  'deep divisions': (bytes) => around('<div>', 'deep', '</div>', bytes),
  'deep lists': (bytes) => around('<ul><li>a', 'deep', '</ul>', bytes),
  'deep quotes': (bytes) => around('<blockquote>a', 'deep', '</blockquote>', bytes),
  'deep tables': (bytes) => around('<table><tr><td>a', 'deep', '</table>', bytes),
  'deep formatting': (bytes) => around('<b><i><font>', 'deep', '', bytes),
  'deep code and links': (bytes) => around('<code><a href=x><sup>', 'deep', '', bytes),
  'deep SVG': (bytes) => around('<svg><g><foreignObject>', 'deep', '', bytes),
  'deep headings in items': (bytes) => around('<ul><li><h2>a</h2>', 'deep', '', bytes),
  'nothing closed': (bytes) => repeated('<p><b><table><tr><td><a><select><option>a', bytes),
  'formatting reopened in each paragraph': (bytes) => numbered((at) => `<p><b id=${at}>a`, bytes),
  'misnested formatting': (bytes) => repeated('<a><b><p></a>x</b>', bytes),
  'text within tables': (bytes) => repeated('<table>a<b>b', bytes),
  'many attributes': (bytes) => `<p ${numbered((at) => ` a${at}=1`, bytes)}>text`,
  'one attribute': (bytes) => `<p><img alt="${'a '.repeat(bytes / 2)}">text`,
  'many classes': (bytes) => `<pre class="${'language '.repeat(bytes / 9)}">text</pre>`,
  'an address': (bytes) => `<a href="https://example.org/?${'utm_a=1&'.repeat(bytes / 8)}">text</a>`,
  'cells with spans': (bytes) => `<table><tr>${repeated('<td colspan=1000 rowspan=65534>a', bytes)}</table>`,
  'rows with spans': (bytes) => `<table>${repeated('<tr><td colspan=1000 rowspan=65534>a', bytes)}</table>`,
  references: (bytes) => repeated('&amp;&lt;&#x41;&notit;&CounterClockwiseContourIntegral;', bytes),
  ampersands: (bytes) => '&'.repeat(bytes),
  'opening brackets': (bytes) => '<'.repeat(bytes),
  'opening tags': (bytes) => repeated('<a ', bytes),
  comments: (bytes) => repeated('<!--', bytes),
  'declarations of encodings': (bytes) => repeated('<meta charset', bytes),
  'XML sections': (bytes) => repeated('<![CDATA[', bytes),
  backticks: (bytes) => `<code>${repeated('`` a ', bytes)}</code>`,
  'spaces and breaks': (bytes) => repeated(' <br> <i> </i>', bytes),
  'lines that would be blocks': (bytes) => repeated('- <br>#<br>1.<br>[a<br>--<br>', bytes),
  brackets: (bytes) => `<p>${'['.repeat(bytes)}`,
  rules: (bytes) => `<p>${'-'.repeat(bytes)}a`,
  'deep templates': (bytes) => around('<template>', 'deep', '', bytes),
  'deep shadow roots': (bytes) => around('<p><template shadowrootmode=open><slot>', 'deep', '', bytes),
  'shadow roots with many slots': (bytes) =>
    `<div><template shadowrootmode=open>${repeated('<slot>a', bytes)}</template>${repeated('<i>b', bytes)}</div>`,
  'deep formulas': (bytes) => around('<math><msqrt><mfrac>', 'deep', '', bytes),
  'formulas in several forms': (bytes) => repeated('<span class=katex><math><mi>x</mi></math>', bytes),
  'formulas with scripts': (bytes) =>
    repeated('<span class=MathJax>x</span><script type=math/tex>x</script>', bytes),
  'pages without frames': (bytes) => `<frameset>${repeated('<noframes><frameset><p>a</noframes>', bytes)}`,
  'many options': (bytes) => `<select>${repeated('<option>a', bytes)}</select>`,
  'empty items': (bytes) => `<ul>${repeated('<li>', bytes)}</ul>`,
  terms: (bytes) => `<dl>${repeated('<dt>a<dd>b', bytes)}</dl>`,
};

function repeated(part: string, bytes: number): string {
  return part.repeat(Math.ceil(bytes / part.length));
}

function around(open: string, inner: string, close: string, bytes: number): string {
  const depth = Math.ceil(bytes / (open.length + close.length));
  return open.repeat(depth) + inner + close.repeat(depth);
}

function numbered(part: (at: number) => string, bytes: number): string {
  const parts: string[] = [];
  for (let at = 0, length = 0; length < bytes; at++) {
    parts.push(part(at));
    length += part(at).length;
  }
  return parts.join('');
}
