import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadRecipes } from '../../../../plugins/chunkers/recursive/recipes.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { type AnswerChunk, openChunkers } from '../../../support/service.ts';
import { testCuts } from '../cuts.ts';
import { checkRefusals } from '../refusals.ts';

const MARKDOWN = { recipe: 'markdown' };
/** The default is that short chunks are joined. */
const JOINED = { min_characters_per_chunk: undefined };

await testCuts(
  t,
  'recursive',
  { min_characters_per_chunk: 1 },
  {
    'paragraphs first, then sentences, then words, then tokens': [
      ['First.\n\n‖Two. ‖It has two.\n\n‖Unbreakablewor‖dislong ‖end.', { chunk_size: 14 }],
    ],
    'markdown is cut before headings, the deepest last': [
      ['# One\n\nA.\n\n## One a\n\nB.\n\n‖# Two\n\nC.\n', { ...MARKDOWN, ...JOINED, chunk_size: 28 }],
      ['# One\n\nA.\n\n‖## One a\n\nB.\n\n‖# Two\n\nC.\n', { ...MARKDOWN, chunk_size: 18 }],
    ],
    'code recipes cut before definitions': [
      ['import os\n\n\n‖def one():\n pass\n\n\n‖def two():\n pass\n', { chunk_size: 30, recipe: 'python' }],
      ['const a = 1;\n‖function one() {\n f();\n}\n‖export const b = 2;\n', { chunk_size: 32, recipe: 'js' }],
    ],
    'the language chooses the ends of sentences': [
      ['पहला वाक्य। ‖दूसरा है।', { lang: 'hi', chunk_size: 12 }],
      ['هل تعمل؟ ‖نعم أنا.', { lang: 'ar-EG', chunk_size: 12 }],
      ['今天天气很好。‖我们去公园吧！', { lang: 'zh-Hans', chunk_size: 12 }],
      ...['xx', '__proto__', 'constructor', 'default', 'x y'].map(
        (lang) => ['One two. ‖Three.', { lang, chunk_size: 12 }] as const,
      ),
    ],
    'a short chunk joins its neighbour where it fits; a limit below the minimum does not spoil the cuts': [
      ['昨天下雨了。‖今天天晴。‖明天呢？', { ...JOINED, chunk_size: 6 }],
      ['A.\n\nA long enough paragraph stands here.\n\nB.', { chunk_size: 46, min_characters_per_chunk: 24 }],
      ['A.\n\nA long enough paragraph ‖stands here.\n\nB.', { chunk_size: 30, min_characters_per_chunk: 10 }],
    ],
    'a request brings its own delimiters or levels': [
      ['one|two|three;‖four|five;six', { chunk_size: 14, delimiters: [';'] }],
      ['one|two|‖three;‖four|‖five;‖six', { chunk_size: 9, levels: [[';'], ['|']] }],
      ['one|two|three;‖four|five;six', { chunk_size: 14, delimiters: [';'], recipe: 'default' }],
      ['one|two|three;four|five;six', { chunk_size: 30, delimiters: [], ...MARKDOWN }],
    ],
    'chunk_overlap repeats whole pieces where they fit, else tokens, within the limit': [
      ['One. ‖ne. Two. ‖Two. Three.', { text: 'One. Two. Three.', chunk_size: 12, chunk_overlap: 5 }],
      ['abcd‖cdefgh‖ghij', { text: 'abcdefghij', chunk_size: 6, chunk_overlap: 2 }],
      ['abcdef', { chunk_size: 6, chunk_overlap: 5 }],
    ],
  },
);

t.test('own delimiters go with no other hierarchy, and have the limits of all delimiters', (t) =>
  checkRefusals(t, 'recursive', [
    [{ delimiters: ['|'], recipe: 'markdown' }, 'delimiters: cannot be given together with recipe'],
    [{ levels: [['|']], delimiters: [';'] }, 'levels: cannot be given together with delimiters'],
    [{ levels: [['|']], recipe: 'js' }, 'levels: cannot be given together with recipe'],
    [{ delimiters: Array(101).fill('a') }, 'delimiters: 101 entries, over the limit of 100'],
    [{ levels: [Array(101).fill('a')] }, 'levels[0]: 101 entries, over the limit of 100'],
    [{ levels: Array(101).fill(['a']) }, 'levels: 101 entries, over the limit of 100'],
    [{ levels: [['a', 'b'.repeat(101)]] }, 'levels[0][1]: 101 characters, over the limit of 100'],
    [{ levels: [['a', 1]] }, 'levels[0][1]: expected a string'],
    [{ delimiters: '|' }, 'delimiters: expected a list'],
    ...['no-such', '../manifest', 'default.json', '__proto__', 'constructor'].map(
      (recipe) => [{ recipe }, /recipes? .*default, diff, js, lines, log, mail, markdown, python/] as const,
    ),
  ]),
);

t.test('every language of the data cuts its own sentences at the sentence level', async (t) => {
  const western = { en: 'One. Two', de: 'Eins… Zwei', fr: 'Un… Deux', es: 'Uno… Dos', ru: 'Раз… Два' };
  const others = { zh: '一。二', ja: '一。二', ko: '하나. 둘', hi: 'एक। दो', ar: 'واحد؟ اثنان' };
  const { hierarchyOf } = loadRecipes(collaborators());
  for (const [lang, text] of Object.entries({ ...western, ...others }))
    t.equal(hierarchyOf('default', lang, text).finders[2]?.(text, 0, text.length).length, 1, lang);
});

t.test('every recipe file is a recipe', async (t) => {
  const chunk = await openChunkers();
  const folder = join(import.meta.dirname, '../../../../plugins/chunkers/recursive/recipes');
  const text = 'Some words here.\n\n'.repeat(20);
  for (const file of readdirSync(folder)) {
    const chunks = await chunk('recursive', { text, recipe: file.replace('.json', ''), chunk_size: 50 });
    t.equal(chunks.map((one) => one.text).join(''), text, file);
  }
});

t.test('chunks begin at numbered headings and have their paths', async (t) => {
  const chunk = await openChunkers();
  const body = 'Here is what it says, in words. And here is some more of it.\n\n';
  const text = `§ 1 Scope\n\n${body}${body}§ 2 Terms\n\n${body}§ 2a (repealed)\n\n§ 3 Use\n\n${body}`;
  const options = { text, numbered_headings: true, min_characters_per_chunk: 1 };
  for (const chunk_size of [20, 60, 80, 100, 160]) {
    const chunks = await chunk('recursive', { ...options, chunk_size });
    t.equal(chunks.map((one) => one.text).join(''), text);
    t.ok(chunks.every((one) => one.text.length <= chunk_size));
    if (chunk_size >= 60) t.notOk(chunks.some((one) => /§ \d [^\n]+\n*$/.test(one.text)));
  }
  const chunks = await chunk('recursive', { ...options, chunk_size: 80 });
  const paths = (chunks as (AnswerChunk & { heading_path: string[] })[]).map(({ heading_path }) =>
    heading_path.join(),
  );
  t.same([...new Set(paths)], ['§ 1 Scope', '§ 2 Terms', '§ 2a (repealed)', '§ 3 Use']);
  const [first] = await chunk('recursive', { text, chunk_size: 80 });
  t.notOk(first !== undefined && 'heading_path' in first);
});
