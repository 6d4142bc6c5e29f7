import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { loadRecipes } from '../../../../plugins/chunkers/recursive/recipes.ts';
import { collaborators } from '../../../../server/testing/collaborators.ts';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();
const texts = async (request: object) => (await chunk('recursive', request)).map(({ text }) => text);

t.test('paragraphs first, then sentences, then words, then tokens', async (t) => {
  const text =
    'First paragraph here.\n\nSecond one. It has two sentences.\n\nUnbreakablewordthatisverylong end.';
  t.same(await texts({ text, chunk_size: 24, min_characters_per_chunk: 1 }), [
    'First paragraph here.\n\n',
    'Second one. ',
    'It has two sentences.\n\n',
    'Unbreakablewordthatisver',
    'ylong ',
    'end.',
  ]);
});

t.test('markdown is cut before headings, the deepest last', async (t) => {
  const text = '# One\n\nText of one.\n\n## One a\n\nText a.\n\n# Two\n\nText of two.\n';
  t.same(await texts({ text, chunk_size: 45, recipe: 'markdown' }), [
    '# One\n\nText of one.\n\n## One a\n\nText a.\n\n',
    '# Two\n\nText of two.\n',
  ]);
  t.same(await texts({ text, chunk_size: 30, recipe: 'markdown', min_characters_per_chunk: 1 }), [
    '# One\n\nText of one.\n\n',
    '## One a\n\nText a.\n\n',
    '# Two\n\nText of two.\n',
  ]);
});

t.test('code recipes cut before definitions', async (t) => {
  const python = 'import os\n\n\ndef one():\n    return 1\n\n\ndef two():\n    return 2\n';
  t.same(await texts({ text: python, chunk_size: 30, recipe: 'python', min_characters_per_chunk: 1 }), [
    'import os\n\n\n',
    'def one():\n    return 1\n\n\n',
    'def two():\n    return 2\n',
  ]);
  const js = 'const a = 1;\nfunction one() {\n  return 1;\n}\nexport const b = 2;\n';
  t.same(await texts({ text: js, chunk_size: 32, recipe: 'js', min_characters_per_chunk: 1 }), [
    'const a = 1;\n',
    'function one() {\n  return 1;\n}\n',
    'export const b = 2;\n',
  ]);
});

t.test('the language chooses the ends of sentences', async (t) => {
  const cut = (lang: string, text: string) =>
    texts({ text, lang, chunk_size: 12, min_characters_per_chunk: 1 });
  t.same(await cut('hi', 'पहला वाक्य। दूसरा है।'), ['पहला वाक्य। ', 'दूसरा है।']);
  t.same(await cut('ar-EG', 'هل تعمل؟ نعم أنا.'), ['هل تعمل؟ ', 'نعم أنا.']);
  t.same(await cut('zh-Hans', '今天天气很好。我们去公园吧！'), ['今天天气很好。', '我们去公园吧！']);
  t.same(await cut('xx', 'One two. Three.'), ['One two. ', 'Three.']);
});

t.test('every language of the data cuts its own sentences at the sentence level', async (t) => {
  const samples: Record<string, string> = {
    en: 'One. Two',
    zh: '一。二',
    ja: '一。二',
    ko: '하나. 둘',
    hi: 'एक। दो',
    ar: 'واحد؟ اثنان',
    ru: 'Раз… Два',
    de: 'Eins… Zwei',
    fr: 'Un… Deux',
    es: 'Uno… Dos',
  };
  const { finders } = loadRecipes(collaborators());
  for (const [lang, text] of Object.entries(samples)) {
    const sentence = finders('default', lang, text)[1];
    t.ok(sentence !== undefined && sentence(text, 0, text.length).length === 1, lang);
  }
});

t.test('every recipe file is a recipe', async (t) => {
  const folder = join(import.meta.dirname, '../../../../plugins/chunkers/recursive/recipes');
  const text = 'Some words here.\n\n'.repeat(20);
  for (const file of readdirSync(folder)) {
    const recipe = file.replace('.json', '');
    t.equal((await texts({ text, recipe, chunk_size: 50 })).join(''), text, recipe);
  }
  await t.rejects(texts({ text, recipe: '../manifest' }), {
    status: 400,
    message: /recipes? .*default, js, markdown, python/,
  });
});

t.test('a limit below the minimum does not spoil the cuts', async (t) => {
  t.same(await texts({ text: '昨天下雨了。今天天晴。明天呢？', chunk_size: 6 }), [
    '昨天下雨了。',
    '今天天晴。',
    '明天呢？',
  ]);
});

t.test('a short chunk joins its neighbour where it fits', async (t) => {
  const text = 'A.\n\nA long enough paragraph stands here.\n\nB.';
  t.same(await texts({ text, chunk_size: 46, min_characters_per_chunk: 24 }), [text]);
  const chunks = await texts({ text, chunk_size: 30, min_characters_per_chunk: 10 });
  t.ok(
    chunks.every((chunk) => chunk.length >= 10),
    chunks.join('|'),
  );
});
