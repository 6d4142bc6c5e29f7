import type { Shapes } from '../../../support/linear-work.ts';
import { shapesOf } from '../shapes.ts';

const ELEMENTS = [
  ...[
    '«<script »',
    '«<script>»',
    '«<script>a()</script>\n»',
    '«<div>»',
    '«<div>\n»«</div>\n»',
    '«<a "»',
    '«<a "\'»',
  ],
  ...[
    '<main>«<p>a\n»</main>',
    '«<p>»«</div>»',
    '«<!--»',
    '<a «b="1" »>',
    '<a «b="1" »',
    '<a «b="{{»',
    '«---\n»',
    '«a\n»',
  ],
];
/** By their languages, texts that could make the reading of tags quadratic or overflow the stack. */
const MADE: Readonly<Record<string, readonly string[]>> = {
  vue: [...ELEMENTS, '«<template>»', '«<template>»«</template>»', '«<i18n>{}</i18n>\n»', '«{{»'],
  svelte: [
    ...ELEMENTS,
    '«{»',
    '«{»«}»',
    '«{`»',
    "«{'»",
    '«{/*»',
    '«{#if a}»',
    '«{#if a}\n»«{/if}\n»',
    '<a «b={»',
  ],
  astro: ['«{»', '«{»«}»', '---\n«const a = 1;\n»---\n', '«{a && <b>\n»«</b>}\n»'],
  jinja: [
    ...ELEMENTS,
    '«{%»',
    '«{% if a %}»',
    '«{% if a %}\n»«{% endif %}\n»',
    '«{#»',
    '{% a «b »%}',
    '«{% a %}»{% enda %}',
  ],
  handlebars: ['«{{»', '«{{#a}}»', '«{{#a}}\n»«{{/a}}\n»', '«{{#a}}»«{{/b}}»', '«{{!--»', '«{{{»'],
  erb: [
    '«<%»',
    '«<% a do |b| %>\n»«<% end %>\n»',
    '«<% a do |»%>',
    '<% do« »x %>',
    '«<% } else { %>»',
    '«<% a {»%>',
  ],
};

/** An element of its own name for each number. */
const named = (text: (name: string) => string) => (length: number) => {
  let all = '';
  for (let index = 0; all.length < length; index++) all += text(`a${index}`);
  return all;
};

export const HOSTILE_SHAPES: Shapes = {
  ...Object.fromEntries(
    Object.entries(MADE).flatMap(([language, made]) =>
      Object.entries(shapesOf(...made)).map(([shape, make]) => [`${language}: ${shape}`, make]),
    ),
  ),
  'vue: parts that are not closed': named((name) => `<${name}>\n`),
  'vue: many parts': named((name) => `<${name}>x</${name}>\n`),
  'jinja: many blocks': named((name) => `{% ${name} %}\n{% end${name} %}\n`),
};

export const optionsFor = (shape: string) => ({ language: shape.slice(0, shape.indexOf(':')) });
