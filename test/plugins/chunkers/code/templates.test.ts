import fc from 'fast-check';
import t from 'tap';
import { ask, type CodeChunk, type CodeNode, chunk, joined } from './support/ask.ts';

/** A small file of each kind, of a few parts and with a block in a block. */
const SAMPLES: Readonly<Record<string, string>> = {
  vue: `<script setup lang="ts">
import { ref } from 'vue';

interface Tea { name: string }

const teas = ref<Tea[]>([]);

/** Adds a tea; "</template>" in a string ends nothing. */
function add(name: string): void {
  teas.value.push({ name: name as string });
}
</script>

<script lang="ts">
export const kinds = ['green', 'black'] as const;
</script>

<!-- The list -->
<template>
  <main :class="{ empty: teas.length < 1 }">
    <template v-if="teas.length > 0">
      <p v-for="tea in teas" :key="tea.name">{{ tea.name }} and {{ kinds[0] }}</p>
    </template>
    <button @click="() => add('Assam')">Add</button>
  </main>
</template>

<style scoped lang="scss">
main {
  button { color: red; }
}
</style>

<i18n>
{ "en": { "add": "Add" } }
</i18n>
`,
  svelte: `<script lang="ts">
  let { teas }: { teas: string[] } = $props();
  function add(name: string) {
    teas.push(name);
  }
</script>

<svelte:head><title>Tea</title></svelte:head>

{#if teas.length > 0}
  <ul>
    {#each teas as tea, index (tea)}
      <li class={index > 1 ? "late" : '{'}>{tea}</li>
    {/each}
  </ul>
{:else}
  <button onclick={() => add('Assam')}>Add</button>
{/if}

<style>
  ul { margin: 0; }
  li.late { color: red; }
</style>
`,
  astro: `---
import Layout from '../layouts/Layout.astro';
interface Props { teas: string[] }
const { teas } = Astro.props;
function label(tea: string): string {
  return \`--- \${tea}\`;
}
---

<Layout title="Tea">
  <ul>
    {teas.map((tea) => (
      <li class={tea}>{label(tea)}</li>
    ))}
  </ul>
  <script>
    const size: number = 1;
  </script>
</Layout>

<style>
  ul { margin: 0; }
</style>
`,
  erb: `<%# The list %>
<h1><%= t('.title') %></h1>
<% if @teas.any? %>
  <ul>
    <% @teas.each do |tea| %>
      <li class="<%= tea.late? ? "late" : "" %>"><%= link_to tea.name, tea_path(tea) %></li>
    <% end %>
  </ul>
<% else %>
  <p>Nothing > here.
<% end %>
<%= form_with model: Tea.new do |form| %>
  <%= form.text_field :name %>
  <%= form.submit %>
<% end %>
<script>
  function add() { return <%= raw @teas.to_json %>; }
</script>
`,
  ejs: `<% if (teas.length) { %>
  <ul>
    <% teas.forEach((tea) => { %>
      <li><%= tea.name %></li>
    <% }); %>
  </ul>
<% } else { %>
  <p>Nothing.</p>
<% } %>
`,
  jinja: `{% extends "base.html" %}
{# The list #}
{% block title %}Tea{% endblock %}

{% block content %}
  <h1>Tea</h1>
  {% for tea in teas if tea.size > 1 %}
    <article class="{% if tea.late %}late{% endif %}">
      <a href="{{ url_for("tea", id=tea.id) }}">{{ tea.name }}</a>
      {%- if tea.text %}
        <p>{{ tea.text }}</p>
      {%- else %}
        <p>Nothing
      {%- endif %}
    </article>
  {% else %}
    {% set empty = true %}
  {% endfor %}
{% endblock %}
`,
  j2: `# {{ ansible_managed }}
server {
  listen {{ port }};
{% for host in hosts %}
  if ($host <b) { return 404; }
  allow {{ host }};
{% endfor %}
  deny all;
}
`,
  handlebars: `{{!-- The list {{#each}} --}}
{{#> layout title="Tea"}}
  {{#if teas}}
    <ul class="{{#if late}}late{{/if}}">
      {{#each teas as |tea|}}
        <li><a href="{{url "tea"}}">{{tea.name}}</a></li>
      {{else}}
        <li>Nothing</li>
      {{/each}}
    </ul>
  {{/if}}
  {{{ raw }}}
{{/layout}}
`,
};

const LANGUAGES: Readonly<Record<string, string>> = { ejs: 'ejs', j2: 'jinja' };
const languageOf = (kind: string) => LANGUAGES[kind] ?? kind;

const VARIANTS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('\n', '\r\n'),
  (text) => `\ufeff${text.replaceAll('Tea', '🍵')}`,
  (text) => text.repeat(3),
];

const nodesOf = async (text: string, language: string, options: object = {}): Promise<CodeNode[]> => {
  const chunks = await chunk(text, { language, include_nodes: true, ...options });
  return chunks.flatMap(({ nodes = [] }) => nodes);
};

/** What is wrong with the chunks of a text. */
function wrongIn(text: string, chunks: readonly CodeChunk[], chunk_size: number): string[] {
  const points = Array.from(text);
  const lineOf = (index: number) => points.slice(0, index).join('').split('\n').length;
  const wrong = chunks.flatMap((one) => {
    const isSlice = points.slice(one.start_index, one.end_index).join('') === one.text;
    const isMisplaced = ({ start_index, end_index, start_line }: CodeNode) =>
      start_index < one.start_index || end_index > one.end_index || lineOf(start_index) !== start_line;
    return [
      ...(isSlice ? [] : ['offsets']),
      ...(one.token_count <= chunk_size ? [] : ['size']),
      ...((one.nodes ?? []).some(isMisplaced) ? ['nodes'] : []),
    ];
  });
  return joined(chunks) === text ? wrong : [...wrong, 'text'];
}

for (const [kind, sample] of Object.entries(SAMPLES)) {
  t.test(`${kind}: nothing is lost, no limit is broken, nodes are where they say`, async (t) => {
    for (const [variant, change] of VARIANTS.entries()) {
      const text = change(sample);
      for (const chunk_size of [1, 7, 60, 200, 5000]) {
        const options = { language: languageOf(kind), chunk_size, oversize: 'split', include_nodes: true };
        t.same(
          wrongIn(text, await chunk(text, options), chunk_size),
          [],
          `variant ${variant}, ${chunk_size}`,
        );
      }
    }
    t.equal(
      (await chunk(sample, { language: languageOf(kind), chunk_size: 5000 })).length,
      1,
      'it is whole if it fits',
    );
  });
}

t.test('any part of a file, and any mixture, is cut exactly', async (t) => {
  const texts = Object.values(SAMPLES);
  const pieces = fc.record({
    text: fc.constantFrom(...texts),
    other: fc.constantFrom(...texts),
    cut: fc.double({ min: 0, max: 1, noNaN: true }),
    language: fc.constantFrom('vue', 'svelte', 'astro', 'erb', 'jinja', 'handlebars'),
    chunk_size: fc.constantFrom(1, 20, 90),
  });
  const property = fc.asyncProperty(pieces, async ({ text, other, cut, language, chunk_size }) => {
    const mixed = text.slice(0, Math.floor(cut * text.length)) + other.slice(Math.floor(cut * other.length));
    const options = { language, chunk_size, oversize: 'split', include_nodes: true };
    const wrong = wrongIn(mixed, await chunk(mixed, options), chunk_size);
    if (wrong.length > 0) throw new Error(wrong.join());
  });
  await t.resolves(fc.assert(property, { numRuns: 100 }));
});

/** The nodes with a name, each with what contains it. */
const named = (nodes: readonly CodeNode[]) =>
  nodes.flatMap(({ name, scope = [] }) => (name === undefined ? [] : [...scope, name].join(' > ')));

t.test('scripts and styles are cut by their languages', async (t) => {
  const vue = named(await nodesOf(SAMPLES.vue as string, 'vue', { chunk_size: 120 }));
  for (const name of ['script > Tea', 'script > add', 'style > main', 'template > main > template > p'])
    t.ok(vue.includes(name), name);
  t.ok(named(await nodesOf(SAMPLES.svelte as string, 'svelte')).includes('script > add'));
  const astro = await nodesOf(SAMPLES.astro as string, 'astro', { chunk_size: 100 });
  t.ok(
    named(astro).includes('front_matter > label'),
    'front matter is TypeScript, dashes in its strings included',
  );
  t.ok(astro.some(({ type }) => type === 'interface_declaration'));
});

t.test('the tag of a script stays with its first statement', async (t) => {
  const script = '<script>\nconst tea = 1;\nfunction add() { return 2 }\n</script>\n';
  const text = `<template>\n  <p>Tea</p>\n</template>\n\n${script}`;
  // With the template, the tag alone would fit as well.
  const chunks = await chunk(text, { language: 'vue', chunk_size: 55 });
  t.same(
    chunks.map(({ text }) => text),
    [text.slice(0, -script.length), script.slice(0, 24), script.slice(24)],
  );
});

t.test('the language of a part is that of its attributes', async (t) => {
  const typesOf = async (part: string) =>
    (await nodesOf(part, 'vue')).map(({ type, scope = [] }) => `${scope.join()} ${type}`);
  t.match(await typesOf('<script lang="tsx">\nconst a: string = <b/>;\n</script>\n'), [
    'script lexical_declaration',
  ]);
  t.match(await typesOf("<script lang='js'>\nfunction f() {}\n</script>\n"), ['script function_declaration']);
  t.match(await typesOf('<i18n lang="yaml">\nen: a\n</i18n>\n'), ['i18n block_mapping_pair']);
  t.match(await typesOf('<i18n>\n{"en": 1}\n</i18n>\n'), ['i18n object']);
  t.match(await typesOf('<style lang="stylus">\na\n  b c\n</style>\n'), [' element'], 'unknown: by lines');
  t.match(await typesOf('<script src="a.js"></script>\n'), [' element'], 'empty');
  const page = '<html>\n<script type="application/ld+json">\n{"a": 1}\n</script>\n<p>a</p>\n</html>\n';
  t.ok(
    (await nodesOf(page, 'jinja', { chunk_size: 40 })).some(
      ({ type }) => type === 'pair' || type === 'object',
    ),
  );
});

t.test('a template in another language is not markup', async (t) => {
  const pug =
    '<template lang="pug">\nmain\n  p(v-if="a") a <template>\n</template>\n\n<i18n>\n{"a": 1}\n</i18n>\n';
  const nodes = await nodesOf(pug, 'vue', { chunk_size: 70 });
  t.ok(named(nodes).includes('template'));
  t.ok(nodes.some(({ scope = [] }) => scope[0] === 'i18n'));
});

t.test('tags stay with what they open and close', async (t) => {
  const item = '<li>a</li>\n';
  const closed = `<ul>\n${item.repeat(9)}</ul>\n`;
  const textsOf = async (text: string, chunk_size: number) =>
    (await chunk(text, { language: 'jinja', chunk_size })).map((one) => one.text);
  t.same((await textsOf(closed, closed.length - 1))[1], `${item}</ul>\n`);
  const before = '<p>a</p>\n'.repeat(9);
  const opened = `${before}<ul>\n${item.repeat(30)}</ul>\n`;
  t.equal((await textsOf(opened, before.length + 6))[0], before);
});

/** The first text that a chunk holds only a part of although it would fit. */
const broken = (chunks: readonly CodeChunk[], wholes: readonly string[]) =>
  wholes.find((whole) => !chunks.some(({ text }) => text.includes(whole)));

t.test('a pair of tags that fits is not cut', async (t) => {
  const row = (index: number) =>
    `  {% if a${index} %}\n    <p>${index}</p>\n  {% else %}\n    <b>${index}</b>\n  {% endif %}\n`;
  const rows = Array.from({ length: 20 }, (_, index) => row(index));
  const text = `{% block content %}\n<section>\n${rows.join('')}</section>\n{% endblock %}\n`;
  for (const chunk_size of [80, 100, 150, 400]) {
    const chunks = await chunk(text, { language: 'jinja', chunk_size });
    t.equal(broken(chunks, rows), undefined, `jinja ${chunk_size}`);
  }
  const loops = rows.map((_, index) => `<% list${index}.each do |a| %>\n  <p><%= a %></p>\n<% end %>\n`);
  t.equal(broken(await chunk(loops.join(''), { language: 'erb', chunk_size: 70 }), loops), undefined, 'erb');
  const each = rows.map((_, index) => `{{#each list${index}}}\n  <p>{{this}}</p>\n{{/each}}\n`);
  t.equal(
    broken(await chunk(each.join(''), { language: 'hbs', chunk_size: 70 }), each),
    undefined,
    'handlebars',
  );
});

t.test('an element that is opened in two branches ends no block', async (t) => {
  const wrapped = '{% if a %}\n<div class="a">\n{% else %}\n<div>\n{% endif %}\n';
  const text = `<main>\n{% for b in c %}\n${wrapped}<p>text</p>\n</div>\n{% endfor %}\n</main>\n`;
  const names = named(await nodesOf(text, 'jinja', { chunk_size: 90, include_nodes: true }));
  t.ok(names.includes('main > for b in c > if a'), names.join('; '));
});

t.test('the kind is found by the name of the file, or by its content', async (t) => {
  const found = async (text: string, filename?: string) =>
    (await ask({ text, language: 'auto', ...(filename === undefined ? {} : { filename }) })).language;
  const names = {
    'a.vue': 'vue',
    'b.html.erb': 'erb',
    'c.ejs': 'erb',
    'd.yml.j2': 'jinja',
    'e.twig': 'jinja',
    'f.hbs': 'handlebars',
  };
  for (const [name, language] of Object.entries(names)) t.equal(await found('a', name), language, name);
  t.equal(await found(SAMPLES.jinja as string, 'a.html'), 'jinja', 'HTML with template tags');
  t.equal(await found('<p>a</p>', 'a.html'), 'html');
  for (const [kind, text] of Object.entries(SAMPLES)) {
    if (kind === 'j2') continue;
    t.equal(await found(text), kind === 'ejs' ? 'erb' : kind, `${kind} by content`);
  }
});

t.test('deep nesting overflows no stack', async (t) => {
  const depth = 20_000;
  for (const [language, open, close] of [
    ['vue', '<template>\n', '</template>\n'],
    ['jinja', '{% if a %}\n', '{% endif %}\n'],
    ['astro', '{a && <b>\n', '</b>}\n'],
  ] as const) {
    const text = open.repeat(depth) + close.repeat(depth);
    t.equal(joined(await chunk(text, { language, chunk_size: 50 })), text, language);
  }
});
