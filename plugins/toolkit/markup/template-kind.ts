/** Kinds of templates and components: markup with parts in other languages. */
export type TemplateKind = 'astro' | 'erb' | 'handlebars' | 'jinja' | 'svelte' | 'vue';

/** Characters from which a template is recognised. */
const MAX_LENGTH = 65_536;

/** What only templates of a kind have; all patterns of a kind must be found. */
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

/** Front matter that is a script. */
const ASTRO = /^\ufeff?\s*---[ \t]*\r?\n(?:import|const|interface|type|export)\b[\s\S]*?^---[ \t]*$/m;

/** The kind of template or component that a text is, if its beginning shows it. */
export function templateKindOf(text: string): TemplateKind | undefined {
  const head = text.slice(0, MAX_LENGTH);
  if (ASTRO.test(head)) return 'astro';
  if (!/^\ufeff?\s*(?:<(?!\?)|\{[{%#])/.test(head)) return undefined;
  return PATTERNS.find(([, ...patterns]) => patterns.every((pattern) => pattern.test(head)))?.[0];
}
