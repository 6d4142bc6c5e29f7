import t from 'tap';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import manifest from '../../../../plugins/refineries/overlap/manifest.ts';
import { needs } from '../../../support/here.ts';
import { openService } from '../../../support/service.ts';
import { chunksOf, cl100k } from '../refining.ts';
import { contexts } from './support/refine.ts';

const THREE = ['abcdefgh', 'ijklmnop', 'qrstuvwx'];

/** Which context of a size a text gives to the chunk before it, or to the one behind it. */
type Cut = readonly [side: 'head' | 'tail', text: string, size: number, context: string];

const PROSE = 'One two.\n\nThree four. Five six.\nSeven eight nine.';
const PARAGRAPH = 'Three four. Five six.\nSeven eight nine.';
const RECURSIVE: Readonly<Record<string, readonly Cut[]>> = {
  'gives the largest of paragraphs, lines, sentences or words that fit': [
    ['head', PROSE, 2, 'On'],
    ['head', PROSE, 3, 'One'],
    ['head', PROSE, 7, 'One '],
    ['head', PROSE, 8, 'One two.'],
    ['head', PROSE, 10, 'One two.\n\n'],
    ['head', PROSE, 40, 'One two.\n\n'],
    ['head', PROSE, 49, PROSE],
    ['tail', PROSE, 4, 'ine.'],
    ['tail', PROSE, 5, 'nine.'],
    ['tail', PROSE, 16, 'eight nine.'],
    ['tail', PROSE, 17, 'Seven eight nine.'],
    ['tail', PROSE, 38, 'Seven eight nine.'],
    ['tail', PROSE, 39, PARAGRAPH],
    ['tail', PROSE, 48, PARAGRAPH],
    ['tail', 'One. Two three. Four five?', 20, 'Four five?'],
  ],
  'knows the ends of sentences of many scripts, and no dots in numbers': [
    ...Array.from('。！？｡।؟', (end): Cut => ['tail', `ab${end}cd ef`, 6, 'cd ef']),
    ...Array.from('.!?', (end): Cut => ['tail', `a b${end} cd ef`, 7, 'cd ef']),
    ...Array.from('.!?', (end): Cut => ['tail', `a b${end}cd ef`, 6, 'ef']),
    ['head', '这是一句。这是第二句！好', 8, '这是一句。'],
    ['head', 'Pi is 3.14159 or so', 12, 'Pi is '],
    ['head', 'これは長い文です', 3, 'これは'],
  ],
  'knows line ends, keeps indentation and gives no white space alone': [
    ['head', 'One two\r\nthree four', 15, 'One two\r\n'],
    ['head', 'a\r\n\r\nb c\r\nd e', 12, 'a\r\n\r\n'],
    ['tail', 'a b\rc d e', 7, 'c d e'],
    ['tail', 'One\n  \nTwo\nthree', 12, 'Two\nthree'],
    ['tail', 'if x:\n    y = 1', 11, '    y = 1'],
    ['tail', 'if x:\n    y = 1', 7, 'y = 1'],
    ['head', '\n\nincomprehensible', 6, '\n\ninco'],
  ],
};

for (const [promise, cuts] of Object.entries(RECURSIVE))
  t.test(`recursive mode ${promise}`, async (t) => {
    for (const [side, text, context_size, expected] of cuts) {
      const options = { context_size, mode: 'recursive', method: 'justified' } as const;
      const found = await contexts(side === 'head' ? ['', text] : [text, ''], options);
      t.equal(found[side === 'head' ? 0 : 1], expected, `${side} of ${text}: ${context_size}`);
    }
  });

const TOKENS =
  'the request names the tokenizer, whose tokens may begin with a space or be parts of a character';
t.test(TOKENS, needs('tokenizer/tiktoken'), async (t) => {
  const texts = ['The quick brown fox', 'over the lazy dog'];
  const options = { context_size: 2, mode: 'recursive', method: 'justified' } as const;
  t.same(await contexts(texts, options, cl100k), ['over the', 'brown fox']);
  t.same(await contexts(['x', '🦙🦙'], { context_size: 1 }, cl100k), ['🦙', null]);
  t.same(await contexts(['🦙🦙', 'x'], { context_size: 1, method: 'prefix' }, cl100k), [null, '🦙']);
  const { post } = await openService(t);
  const named = { chunks: chunksOf(texts), tokenizer: 'cl100k_base', context_size: 2 };
  t.match((await post('/v1/refine/overlap', named)).json(), [{ token_count: 6, context: 'over the' }, {}]);
});

t.test('a token without text of its own does not use up the context', async (t) => {
  /** Puts a token of no width before the text, as SentencePiece models do. */
  const prefixed: Tokenizer = {
    name: 'prefixed',
    tokenize: (text) => ({
      count: (start, end) => end - start + 1,
      ends: () => Uint32Array.from({ length: text.length + 1 }, (_, token) => token),
    }),
  };
  t.same(await contexts(['x', 'abc'], { context_size: 1 }, prefixed), ['a', null]);
  t.same(await contexts(['abc', 'x'], { context_size: 3, method: 'prefix' }, prefixed), [null, 'abc']);
});

t.test('by its manifest: the example, the defaults, a list of documents, and what is no size', async (t) => {
  const { post } = await openService(t);
  const send = (body: object) => post('/v1/refine/overlap', body);
  t.match((await send(manifest.example)).json(), [
    { text: 'The quick brown fox jumps over', token_count: 30, context: 'jumps over' },
    { text: 'brown fox jumps over the lazy dog and ', context: 'brown fox dog and ' },
    { text: 'the lazy dog and sleeps.', context: 'the lazy ' },
  ]);
  t.match((await send({ chunks: chunksOf(THREE) })).json(), [{ text: 'abcdefghij', context: 'ij' }, {}, {}]);
  const lists = [chunksOf(['ab', 'cd']), [], chunksOf(['ef'])];
  const documents = (await send({ chunks: lists, context_size: 1 })).json();
  t.match(documents, [[{ text: 'abc' }, { text: 'cd' }], [], [{ text: 'ef' }]]);
  const expected = /context_size: expected a number above 0 and below 1 or an integer of at least 1, got /;
  for (const context_size of [0, -1, -0.5, 1.5, 2.25, '0.5', true, null, []]) {
    const { status, bytes } = await send({ chunks: [], context_size });
    t.equal(status, 400);
    t.match(bytes.toString(), typeof context_size === 'number' ? expected : /context_size: expected/);
  }
  const wrong = await send({ chunks: [], mode: 'tokens', method: 'both', merge: 1 });
  t.match(wrong.bytes.toString(), /mode: .*; method: .*; merge: /, 'all at once');
  for (const context_size of [1, 2, 0.001, 0.999])
    t.equal((await send({ chunks: [], context_size })).status, 200);
});
