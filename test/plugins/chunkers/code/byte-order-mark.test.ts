import t from 'tap';
import { LANGUAGES } from '../../../../plugins/chunkers/code/languages.ts';
import { type CodeChunk, chunk, joined, sampleOf } from './support/ask.ts';

/** A byte order mark changes nothing but the offsets, unless it does not fit into a chunk. */

const MARK = '\ufeff';

/** Chunks without what the mark may change: the offsets of nodes follow from those of the chunks. */
function comparable(chunks: readonly CodeChunk[], shift: number) {
  return chunks.map((chunk, index) =>
    JSON.parse(
      JSON.stringify(chunk, (key, value) => {
        if (index === 0 && key === 'text') return value.replace(MARK, '');
        if (key === 'token_count') return index === 0 ? value - shift : value;
        const isOffset = key === 'start_index' || key === 'end_index';
        return isOffset ? Math.max(value - shift, 0) : value;
      }),
    ),
  );
}

const VUE =
  '<script setup>\nimport a from "b";\nconst tea = 1;\n</script>\n<template>\n<p>{{ tea }}</p>\n</template>\n';
const PAGE = '<h1>Tea</h1>\n<p>Boil water for the tea.</p>\n<p>Then drink it all.</p>\n';
const CASES: readonly (readonly [text: string, more: object])[] = [
  [VUE, { filename: 'a.vue', include_nodes: true }],
  ['{% if a %}\n<p>b</p>\n{% endif %}\n', { filename: 'a.j2', include_nodes: true }],
  [PAGE, { filename: 'a.html', include_nodes: true }],
];

for (const [text, more] of CASES)
  t.test(text.slice(0, 20).trim(), async (t) => {
    for (const chunk_size of [34, 45, 70, 1000]) {
      const plain = await chunk(text, { chunk_size, ...more });
      if ((plain[0]?.text.length ?? 0) >= chunk_size) continue;
      const marked = await chunk(MARK + text, { chunk_size, ...more });
      t.same(comparable(marked, 1), comparable(plain, 0), `${chunk_size}`);
      t.equal(joined(marked), MARK + text);
    }
  });

for (const { name: language } of LANGUAGES)
  t.test(`code: ${language}`, async (t) => {
    const text = sampleOf(language);
    const more = { language, include_nodes: true };
    const plain = await chunk(text, { ...more, chunk_size: 1000 });
    // The mark fits into every chunk.
    const marked = await chunk(MARK + text, { ...more, chunk_size: 1000 });
    t.same(comparable(marked, 1), comparable(plain, 0));
  });
