import t from 'tap';
import { needs } from '../../../support/here.ts';
import { openChunkers } from '../../../support/service.ts';
import { testCuts } from '../cuts.ts';

const JOINING = { min_characters_per_sentence: 12 };
const RULES = { sentences: 'rules', chunk_size: 1 };
const WRAPPED = [
  'Dr. Smith wrapped this sentence\nby hand, cf. Fig. 3, as e.g. mails do. ‖',
  'The U.S. Army said “No.” ‖It was over.\n\n‖# The next part\n‖2. Second thing here. ',
].join('');

await testCuts(
  t,
  'sentence',
  { min_characters_per_sentence: 1 },
  {
    'sentences stay whole, and only a single one may be over the limit': [
      [
        'Short one. ‖This is longer than thirty characters. ‖Another short. And one more.',
        { chunk_size: 30 },
      ],
      ['Short one. ‖This one is longer than ‖thirty characters. ', { chunk_size: 30, oversize: 'split' }],
    ],
    'full-width ends need no space, decimals and dots in words do not end a sentence': [
      ['这是第一句。这是第二句！‖这是第三句？好｡', { chunk_size: 12 }],
      ['Pi is 3.14 or so. ‖See a.b.c now.', { chunk_size: 18 }],
    ],
    'delim takes a string or a list, include_delim chooses the side, null loses nothing': [
      ['one;‖two;‖three', { delim: ';', chunk_size: 5 }],
      ['one‖;two;‖three', { delim: [';', 'th'], include_delim: 'next', chunk_size: 5 }],
      ['one;‖two;‖three', { delim: ';', include_delim: null, chunk_size: 5 }],
      ['one;two;three', { delim: [], chunk_size: 5 }],
    ],
    'a short sentence is joined to its neighbour, never over the limit': [
      ['Abcdefgh. ‖Ij. Klmnop.', { chunk_size: 14, min_characters_per_sentence: 8 }],
      ['Abcdefgh. Ij. ‖Klmnop.', { chunk_size: 14 }],
      ['Nineteen letters. ‖Ok. ‖Nineteen letters! ‖No.', { ...JOINING, chunk_size: 20 }],
      ['Nineteen letters. ‖Ok. ‖Nineteen letters! ‖No.', { ...JOINING, chunk_size: 20, sentences: 'rules' }],
    ],
    'overlap repeats whole sentences': [
      ['Aa a. Bb b. ‖Bb b. Cc c.', { text: 'Aa a. Bb b. Cc c.', chunk_size: 12, chunk_overlap: 6 }],
      ['Aaa aaa. Bbb bbb. ‖Ccc ccc. Ddd ddd.', { chunk_size: 18, chunk_overlap: 5 }],
    ],
    'the last chunk gets min_sentences_per_chunk where the limit allows it': [
      ['Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd. ‖Eee eee.', { chunk_size: 36 }],
      ['Aaa aaa. Bbb bbb. Ccc ccc. ‖Ddd ddd. Eee eee.', { chunk_size: 36, min_sentences_per_chunk: 2 }],
      ['Aaa aaa. Bbb bbb. ‖Ccc ccc.', { chunk_size: 18, min_sentences_per_chunk: 3 }],
    ],
    'sentences: rules keeps wrapped sentences, abbreviations and quotations whole': [
      [WRAPPED, RULES],
      [WRAPPED.replace('“No.” ‖', '“No.” ').replace('\n\n‖', '\n\n'), { ...RULES, chunk_size: 70 }],
      ['Dr. ‖Smith wrapped this sentence\n‖by hand, cf. ‖Fig. ', { chunk_size: 1, sentences: 'delimiters' }],
    ],
    'sentences: rules takes abbreviations by lang': [
      ['Wir haben Obst, d. h. Birnen usw. ‖Danach nichts.', { ...RULES, lang: 'de' }],
      ['Am 3. Oktober.', { ...RULES, lang: 'de-AT' }],
      ['In 1990. ‖October.', { ...RULES, lang: 'unknown' }],
    ],
  },
);

t.test('approximate keeps the limit and exact counts', needs('tokenizer/tiktoken'), async (t) => {
  const chunk = await openChunkers();
  const text = 'The cat sat on the mat. It was a very fine mat, of course! Who would say no? '.repeat(40);
  const request = { text, tokenizer: 'cl100k_base', chunk_size: 64 };
  const exact = await chunk('sentence', request);
  const approximate = await chunk('sentence', { ...request, approximate: true });
  t.same(approximate.map((chunk) => chunk.text).join(''), text);
  t.ok(approximate.every(({ token_count }) => token_count <= 64));
  t.ok(approximate.length >= exact.length);
});
