import t from 'tap';
import { needs } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';

const chunk = await openChunkers();
const texts = async (request: object) => (await chunk('sentence', request)).map(({ text }) => text);

t.test('sentences stay whole, and only a single one may be over the limit', async (t) => {
  const text =
    'Short one here. This sentence is longer than the limit of thirty. Another short. And one more.';
  t.same(await texts({ text, chunk_size: 30 }), [
    'Short one here. ',
    'This sentence is longer than the limit of thirty. ',
    'Another short. And one more.',
  ]);
  const split = await chunk('sentence', { text, chunk_size: 30, oversize: 'split' });
  t.ok(split.every(({ token_count }) => token_count <= 30));
  t.same(split.map((chunk) => chunk.text).join(''), text);
});

t.test('full-width ends need no space, decimals and dots in words do not end a sentence', async (t) => {
  const options = { chunk_size: 12, min_characters_per_sentence: 1 };
  t.same(await texts({ text: '这是第一句。这是第二句！这是第三句？好｡', ...options }), [
    '这是第一句。这是第二句！',
    '这是第三句？好｡',
  ]);
  t.same(
    await texts({ text: 'Pi is 3.14 or so. See a.b.c now.', chunk_size: 18, min_characters_per_sentence: 1 }),
    ['Pi is 3.14 or so. ', 'See a.b.c now.'],
  );
});

t.test('delim takes a string or a list, include_delim chooses the side', async (t) => {
  const options = { text: 'one;two;three', chunk_size: 5, min_characters_per_sentence: 1 };
  t.same(await texts({ ...options, delim: ';' }), ['one;', 'two;', 'three']);
  t.same(await texts({ ...options, delim: [';', 'th'], include_delim: 'next' }), ['one', ';two;', 'three']);
  t.same(await texts({ ...options, delim: [] }), ['one;two;three']);
});

t.test('a short sentence is joined to its neighbour', async (t) => {
  const options = { text: 'Abcdefgh. Ij. Klmnop.', chunk_size: 14 };
  t.same(await texts({ ...options, min_characters_per_sentence: 8 }), ['Abcdefgh. ', 'Ij. Klmnop.']);
  t.same(await texts({ ...options, min_characters_per_sentence: 1 }), ['Abcdefgh. Ij. ', 'Klmnop.']);
});

t.test('joining a short sentence never puts a chunk over the limit', async (t) => {
  const text = 'Nineteen letters. Ok. Nineteen letters! No.';
  t.same(await texts({ text, chunk_size: 20 }), ['Nineteen letters. ', 'Ok. ', 'Nineteen letters! ', 'No.']);
});

t.test('overlap repeats whole sentences', async (t) => {
  const text = 'Aaaa aaaa. Bbbb bbbb. Cccc cccc. Dddd dddd.';
  const options = { chunk_size: 24, min_characters_per_sentence: 1 };
  t.same(await texts({ text, ...options, chunk_overlap: 12 }), [
    'Aaaa aaaa. Bbbb bbbb. ',
    'Bbbb bbbb. Cccc cccc. ',
    'Cccc cccc. Dddd dddd.',
  ]);
  t.same(await texts({ text, ...options, chunk_overlap: 5 }), [
    'Aaaa aaaa. Bbbb bbbb. ',
    'Cccc cccc. Dddd dddd.',
  ]);
});

t.test('the last chunk gets min_sentences_per_chunk where the limit allows it', async (t) => {
  const text = 'Aaaa aaaa. Bbbb bbbb. Cccc cccc. Dddd dddd. Eeee eeee.';
  const options = { text, chunk_size: 44, min_characters_per_sentence: 1 };
  t.same((await texts(options)).length, 2);
  t.same(await texts({ ...options, min_sentences_per_chunk: 2 }), [
    'Aaaa aaaa. Bbbb bbbb. Cccc cccc. ',
    'Dddd dddd. Eeee eeee.',
  ]);
});

t.test('approximate keeps the limit and exact counts', needs('tokenizer/tiktoken'), async (t) => {
  const text = 'The cat sat on the mat. It was a very fine mat, of course! Who would say no? '.repeat(40);
  const exact = await chunk('sentence', { text, tokenizer: 'cl100k_base', chunk_size: 64 });
  const approximate = await chunk('sentence', {
    text,
    tokenizer: 'cl100k_base',
    chunk_size: 64,
    approximate: true,
  });
  t.same(approximate.map((chunk) => chunk.text).join(''), text);
  t.ok(approximate.every(({ token_count }) => token_count <= 64));
  t.ok(approximate.length >= exact.length);
});

t.test('include_delim: null is taken, and loses no delimiter', async (t) => {
  const options = { text: 'one;two;three', chunk_size: 5, min_characters_per_sentence: 1, delim: ';' };
  t.same(await texts({ ...options, include_delim: null }), ['one;', 'two;', 'three']);
});

t.test('sentences: rules keeps wrapped sentences, abbreviations and quotations whole', async (t) => {
  const sentences = [
    'Dr. Smith wrapped this sentence\nby hand, cf. Fig. 3, as e.g. mails do. ',
    'The U.S. Army said “No.” ',
    'It was over.\n\n',
    '# The next part\n',
    '2. Second thing here. ',
  ];
  const text = sentences.join('');
  const rules = { text, sentences: 'rules', chunk_size: 1, min_characters_per_sentence: 1 };
  t.same(await texts(rules), sentences);
  t.not((await texts({ ...rules, sentences: 'delimiters' })).length, sentences.length);
  t.equal((await texts({ ...rules, min_characters_per_sentence: 20 })).join(''), text);
  t.same(
    await texts({ ...rules, chunk_size: 70 }),
    [sentences.slice(0, 1), sentences.slice(1, 4), sentences.slice(4)].map((some) => some.join('')),
  );
});

t.test('sentences: rules takes abbreviations by lang', async (t) => {
  const text = 'Wir haben Obst, d. h. Birnen usw. Danach nichts.';
  const rules = { text, sentences: 'rules', chunk_size: 1, min_characters_per_sentence: 1 };
  t.same(await texts({ ...rules, lang: 'de' }), ['Wir haben Obst, d. h. Birnen usw. ', 'Danach nichts.']);
  t.same(await texts({ ...rules, text: 'Am 3. Oktober.', lang: 'de-AT' }), ['Am 3. Oktober.']);
  t.same(await texts({ ...rules, text: 'In 1990. October.', lang: 'unknown' }), ['In 1990. ', 'October.']);
});

t.test('sentences: rules separates a short sentence that was joined, where the rules saw it', async (t) => {
  const text = 'Nineteen letters. Ok. Nineteen letters! No.';
  const rules = { text, sentences: 'rules', chunk_size: 20 };
  t.same(await texts(rules), ['Nineteen letters. ', 'Ok. ', 'Nineteen letters! ', 'No.']);
});
