type MarkupSyntax = 'restructuredtext' | 'asciidoc' | 'org' | 'latex' | 'mediawiki' | 'texinfo' | 'roff';

const SAMPLE = 65_536;

/** Patterns by markup language. A text has the language if all patterns of a row match. */
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
const FENCE = /^ {0,3}(?:```|~~~[ \t]*\w)/m;
const HEADING = /^#{1,6} \S.*\r?\n\r?\n/m;

/** Detects the markup language of a text from its beginning; undefined if it looks like Markdown. */
export function markupSyntaxOf(text: string): MarkupSyntax | undefined {
  const sample = text.slice(0, SAMPLE).replace(/\r\n?/g, '\n');
  const syntax = SIGNS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(sample)))?.[0];
  const isMarkdown =
    syntax !== undefined && syntax !== 'asciidoc' && (FENCE.test(sample) || HEADING.test(sample));
  return isMarkdown && syntax !== 'latex' && syntax !== 'roff' ? undefined : syntax;
}

type TemplateKind = 'astro' | 'erb' | 'handlebars' | 'jinja' | 'svelte' | 'vue';

/** Patterns by kind of template. A text is of the kind if all patterns of a row match. */
const PATTERNS: readonly (readonly [TemplateKind, ...RegExp[]])[] = [
  [
    'jinja',
    /\{%[-+]?\s*(?:extends|block|if|for|macro|set|include|import|from|load)\b/,
    /\{%[-+]?\s*(?:end|extends)/,
  ],
  ['handlebars', /\{\{~?[#^]>?\s*[\w.-]/, /\{\{~?\/[\w.-]/],
  [
    'svelte',
    /^<script\b|\{#(?:if|each|await|key|snippet)\s/m,
    /\{[#/@](?:if|each|await|key|snippet|render|html)\b|\s(?:on|bind|use):\w+=\{|\$(?:state|props|derived)\b/,
  ],
  ['vue', /^<template[\s>]/m, /^<\/template>/m, /^<(?:script|style)[\s>]/m],
  ['erb', /<%[-=_#]?\s/, /\s[-_]?%>/],
];

const ASTRO = /^\ufeff?\s*---[ \t]*\r?\n(?:import|const|interface|type|export)\b[\s\S]*?^---[ \t]*$/m;

export function templateKindOf(text: string): TemplateKind | undefined {
  const head = text.slice(0, SAMPLE);
  if (ASTRO.test(head)) return 'astro';
  if (!/^\ufeff?\s*(?:<(?!\?)|\{[{%#])/.test(head)) return undefined;
  return PATTERNS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(head)))?.[0];
}
