/** Markup languages that a text shows by its lines. */
export type MarkupSyntax =
  | 'restructuredtext'
  | 'asciidoc'
  | 'org'
  | 'latex'
  | 'mediawiki'
  | 'texinfo'
  | 'roff';

/** Characters from which a markup language is recognised. */
const SAMPLE = 65_536;

/** What a text in a language has: each line of the table is one, of which all patterns must be found. */
const SIGNS: readonly (readonly [MarkupSyntax, ...RegExp[]])[] = [
  ['latex', /^[^%\n]{0,200}\\document(?:class|style)\b/m],
  ['latex', /^\\(?:chapter|section|subsection)\*?\{/m, /^\\(?:begin|end)\{[a-z]+\*?\}/m],
  ['texinfo', /^\ufeff?\\input texinfo/],
  ['roff', /^\ufeff?(?:[.']\\?".*\n)*\.(?:TH|Dd)[ \t]+\S/],
  ['org', /^\ufeff?(?:(?:#(?: .*)?|[ \t]*)\n)*#\+(?:title|author|startup|options|property|date|filetags):/i],
  ['org', /^\*+ \S/m, /^[ \t]*#\+begin_(?:src|example|quote)\b/im],
  [
    'restructuredtext',
    /(?<=\S[ \t]{0,99})\n([=\-~^"'#*+.:`])\1{2,}(?=[ \t]{0,99}$)/m,
    /^\.\. (?:[\w:+.-]+::(?: |$)|_[^:\n]+:)/m,
  ],
  ['asciidoc', /^\ufeff?= \S/, /^(?::[a-z][\w-]*:|={2,5} \S|\[[\w,=" -]+\]$|-{4,}$)/m],
  ['asciidoc', /^={2,5} \S.*[^=\s]$/m, /^\[(?:source|NOTE|TIP|WARNING|IMPORTANT)\b.*\]$/m],
  ['mediawiki', /^(={2,5})[^=\n].*\1[ \t]*$/m, /\[\[[^[\]\n]+\]\]|^\{\{|'''|^\{\|/m],
];
/** What only Markdown has. */
const FENCE = /^ {0,3}(?:```|~~~[ \t]*\w)/m;
const HEADING = /^#{1,6} \S.*\r?\n\r?\n/m;

/** The markup language of a text without a name, if its beginning shows one and is not Markdown. */
export function markupSyntaxOf(text: string): MarkupSyntax | undefined {
  const sample = text.slice(0, SAMPLE).replace(/\r\n?/g, '\n');
  const found = SIGNS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(sample)))?.[0];
  const isMarkdown =
    found !== undefined && found !== 'asciidoc' && (FENCE.test(sample) || HEADING.test(sample));
  return isMarkdown && found !== 'latex' && found !== 'roff' ? undefined : found;
}
