import t from 'tap';
import type { Chunk } from '../../../../core/contracts/chunk.ts';
import type { Tokenizer } from '../../../../core/contracts/tokenizer.ts';
import manifest, { type OverlapOptions } from '../../../../plugins/refineries/overlap/manifest.ts';
import { needs } from '../../../support/here.ts';
import { composeQuietly, runTask } from '../../../support/service.ts';
import {
  character,
  chunksOf,
  cl100k,
  contextOf,
  contexts,
  counted,
  DEFAULTS,
  overlap,
  refine,
  THREE,
} from './support/refine.ts';

t.test('each method, merged', async (t) => {
  t.same(await refine(chunksOf(THREE), { method: 'suffix' }), [
    { text: 'abcdefghij', start_index: 0, end_index: 8, token_count: 10, context: 'ij' },
    { text: 'ijklmnopqr', start_index: 8, end_index: 16, token_count: 10, context: 'qr' },
    { text: 'qrstuvwx', start_index: 16, end_index: 24, token_count: 8, context: null },
  ]);
  t.same(await refine(chunksOf(THREE), { method: 'prefix' }), [
    { text: 'abcdefgh', start_index: 0, end_index: 8, token_count: 8, context: null },
    { text: 'ghijklmnop', start_index: 8, end_index: 16, token_count: 10, context: 'gh' },
    { text: 'opqrstuvwx', start_index: 16, end_index: 24, token_count: 10, context: 'op' },
  ]);
  t.same(await refine(chunksOf(THREE), { method: 'justified', context_size: 1 }), [
    { text: 'abcdefghi', start_index: 0, end_index: 8, token_count: 9, context: 'i' },
    { text: 'hijklmnopq', start_index: 8, end_index: 16, token_count: 10, context: 'hq' },
    { text: 'pqrstuvwx', start_index: 16, end_index: 24, token_count: 9, context: 'p' },
  ]);
});

t.test('each method, with the context beside the text', async (t) => {
  const expected = (contexts: (string | null)[]) =>
    chunksOf(THREE).map((chunk, index) => ({ ...chunk, context: contexts[index] }));
  const refined = (method: OverlapOptions['method']) => refine(chunksOf(THREE), { method, merge: false });
  t.same(await refined('suffix'), expected(['ij', 'qr', null]));
  t.same(await refined('prefix'), expected([null, 'gh', 'op']));
  t.same(await refined('justified'), expected(['ij', 'ghqr', 'op']));
});

t.test('a fraction is one of the tokens that the giving chunk has, rounded, at least one', async (t) => {
  const texts = ['abcdefghij', 'ab', 'abcdef'];
  t.same(await contexts(texts, { context_size: 0.25 }), ['a', 'ab', null]);
  t.same(await contexts(texts, { context_size: 0.25, method: 'prefix' }), [null, 'hij', 'b']);
  t.same(await contexts(texts, { context_size: 0.01 }), ['a', 'a', null]);
  t.same(await contexts(texts, { context_size: 0.99 }), ['ab', 'abcdef', null]);
});

t.test('a token may be a word', needs('tokenizer/tiktoken'), async (t) => {
  const hello = ['x', 'Hello world, how are you today?'];
  t.same(await contexts(hello, { context_size: 0.5 }, cl100k), ['Hello world, how', null]);
  const words = ['Hello world, how are you?', 'The quick brown fox'];
  t.same(await contexts(words, { context_size: 2, method: 'justified' }, cl100k), ['The quick', ' you?']);
});

t.test('an integer is a number of tokens, never more than the giving chunk has', async (t) => {
  t.same(await contexts(THREE, { context_size: 3, method: 'justified' }), ['ijk', 'fghqrs', 'nop']);
  t.same(await contexts(THREE, { context_size: 8 }), ['ijklmnop', 'qrstuvwx', null]);
  t.same(await contexts(THREE, { context_size: 1e300, method: 'justified' }), [
    'ijklmnop',
    'abcdefghqrstuvwx',
    'ijklmnop',
  ]);
});

t.test('context is the original text, not that of a widened neighbour', async (t) => {
  const refined = await refine(chunksOf(['a', 'b', 'c', 'd']), { method: 'justified', context_size: 50 });
  t.same(
    refined.map(({ text }) => text),
    ['ab', 'abc', 'bcd', 'cd'],
  );
});

t.test(
  'recursive mode gives whole paragraphs, lines, sentences or words, the largest that fit',
  async (t) => {
    const next = 'One two.\n\nThree four. Five six.\nSeven eight nine.';
    const head = async (context_size: number) =>
      (await contexts(['x', next], { context_size, mode: 'recursive' }))[0];
    t.equal(await head(2), 'On', 'not even a word');
    t.equal(await head(3), 'One');
    t.equal(await head(7), 'One ');
    t.equal(await head(8), 'One two.');
    t.equal(await head(10), 'One two.\n\n');
    t.equal(await head(40), 'One two.\n\n', 'a paragraph before a longer line');
    t.equal(await head(49), next, 'all of it');

    const tail = async (context_size: number, previous = next) =>
      (await contexts([previous, 'x'], { context_size, mode: 'recursive', method: 'prefix' }))[1];
    t.equal(await tail(4), 'ine.', 'not even a word');
    t.equal(await tail(5), 'nine.');
    t.equal(await tail(16), 'eight nine.');
    t.equal(await tail(17), 'Seven eight nine.');
    t.equal(await tail(38), 'Seven eight nine.', 'a line before a longer sentence');
    t.equal(await tail(39), 'Three four. Five six.\nSeven eight nine.');
    t.equal(await tail(48), 'Three four. Five six.\nSeven eight nine.', 'a paragraph before a longer word');
    t.equal(await tail(20, 'One. Two three. Four five?'), 'Four five?', 'a sentence before a longer word');
    t.equal(await tail(21, 'One. Two three. Four five?'), 'Two three. Four five?');
  },
);

t.test('recursive mode knows the ends of sentences of many scripts', async (t) => {
  const head = async (text: string, context_size: number) =>
    (await contexts(['x', text], { context_size, mode: 'recursive' }))[0];
  const tail = async (text: string, context_size: number) =>
    (await contexts([text, 'x'], { context_size, mode: 'recursive', method: 'prefix' }))[1];
  t.equal(await head('这是一句。这是第二句！好', 8), '这是一句。');
  t.equal(await tail('这是一句。这是第二句！好', 5), '好');
  t.equal(await tail('これは？はい｡そうです', 9), 'はい｡そうです');
  t.equal(await head('यह एक है। वह दो है।', 14), 'यह एक है। ');
  for (const end of '。！？｡।؟') t.equal(await tail(`ab${end}cd ef`, 6), 'cd ef', end);
  for (const end of '.!?') t.equal(await tail(`a b${end} cd ef`, 7), 'cd ef', end);
  for (const end of '.!?') t.equal(await tail(`a b${end}cd ef`, 6), 'ef', end);
  t.equal(await head('هل هذا؟ نعم هو', 12), 'هل هذا؟ ');
  t.equal(await head('Is it? Yes it is', 12), 'Is it? ');
  t.equal(await head('Go! Yes it is', 10), 'Go! ');
  t.equal(await head('Pi is 3.14159 or so', 12), 'Pi is ', 'a dot in a number ends no sentence');
  t.equal(await head('これは長い文です', 3), 'これは', 'no boundary at all');
});

t.test('recursive mode knows line ends, keeps indentation and gives no white space alone', async (t) => {
  const head = async (text: string, context_size: number) =>
    (await contexts(['x', text], { context_size, mode: 'recursive' }))[0];
  const tail = async (text: string, context_size: number) =>
    (await contexts([text, 'x'], { context_size, mode: 'recursive', method: 'prefix' }))[1];
  t.equal(await head('One two\r\nthree four', 15), 'One two\r\n', 'CRLF is one break');
  t.equal(await head('a b\r\nc d\r\n\r\ne f g', 15), 'a b\r\nc d\r\n\r\n');
  t.equal(await head('a\r\n\r\nb c\r\nd e', 12), 'a\r\n\r\n', 'and no blank line');
  t.equal(await tail('a b\rc d e', 7), 'c d e', 'CR alone is one');
  t.equal(await tail('One\n  \nTwo\nthree', 12), 'Two\nthree', 'a line of spaces is blank');
  t.equal(await tail('if x:\n    y = 1', 11), '    y = 1');
  t.equal(await tail('if x:\n    y = 1', 7), 'y = 1');
  t.equal(await head('if x:\n    y = 1', 11), 'if x:\n');
  t.equal(await head('\n\nincomprehensible', 6), '\n\ninco');
  t.equal(await tail('incomprehensible\n\n ', 6), 'ble\n\n ');
});

const SPACED = 'recursive mode with tokens that begin with a space loses no word';
t.test(SPACED, needs('tokenizer/tiktoken'), async (t) => {
  const texts = ['The quick brown fox', 'over the lazy dog'];
  const options: Partial<OverlapOptions> = { context_size: 2, mode: 'recursive', method: 'justified' };
  t.same(await contexts(texts, options, cl100k), ['over the', 'brown fox']);
  t.equal(counted(cl100k, ' bureaucracy'), 1);
  t.equal(counted(cl100k, 'bureaucracy'), 5);
  t.same(
    await contexts(['x', 'foo    bar'], { context_size: 2, mode: 'recursive' }, cl100k),
    ['foo', null],
    'no longer than in token mode',
  );
  const costly = ['a lot of bureaucracy was cut', 'x'];
  const tail = async (context_size: number) =>
    (await contexts(costly, { context_size, mode: 'recursive', method: 'prefix' }, cl100k))[1];
  t.equal(await tail(3), 'was cut', 'the next word would need more tokens than there are');
});

t.test('lists without neighbours', async (t) => {
  for (const mode of ['token', 'recursive'] as const) {
    for (const method of ['suffix', 'prefix', 'justified'] as const) {
      t.same(await refine([], { mode, method }), []);
      t.same(await refine(chunksOf(['one chunk']), { mode, method }), [
        { text: 'one chunk', start_index: 0, end_index: 9, token_count: 9, context: null },
      ]);
      t.same(await contexts(['', '', ''], { mode, method }), [null, null, null]);
    }
  }
  t.same(await contexts(['ab', '', 'cd'], { context_size: 1, method: 'justified' }), [null, 'bc', null]);
});

t.test('a code point is never cut, whatever its tokens', async (t) => {
  const texts = ['a👍🏽', '🦙b', '\ud83d\udc4dx', '\udc4d\ud83d', '\0\0'];
  t.same(await contexts(texts, { context_size: 1 }), ['🦙', '👍', '\udc4d', '\0', null]);
  t.same(await contexts(texts, { context_size: 1, method: 'prefix' }), [null, '🏽', 'b', 'x', '\ud83d']);
});

t.test('nor one that is several tokens', needs('tokenizer/tiktoken'), async (t) => {
  t.ok(counted(cl100k, '🦙') > 1);
  t.same(await contexts(['x', '🦙🦙'], { context_size: 1 }, cl100k), ['🦙', null]);
  t.same(await contexts(['🦙🦙', 'x'], { context_size: 1, method: 'prefix' }, cl100k), [null, '🦙']);
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

t.test(
  'other fields are kept, and what chunks carry already stands before what neighbours give',
  async (t) => {
    const given = JSON.parse(
      '[{"id":1,"text":"ab","start_index":5,"end_index":7,"token_count":9,"__proto__":{"x":1},"context":"old","nodes":[{}]},' +
        '{"text":"cd","start_index":0,"end_index":0,"token_count":0,"embedding":[0.5],"context":"old"}]',
    );
    const before = structuredClone(given);
    const refined = await refine(given, { context_size: 1 });
    t.equal(
      JSON.stringify(refined),
      '[{"id":1,"text":"abc","start_index":5,"end_index":7,"token_count":3,"__proto__":{"x":1},"context":"old\\nc","nodes":[{}]},' +
        '{"text":"cd","start_index":0,"end_index":0,"token_count":2,"embedding":[0.5],"context":"old"}]',
    );
    t.same(given, before);
    t.equal(refined[0]?.nodes, given[0].nodes);
  },
);

t.test('an aborted request is not worked on', async (t) => {
  const signal = AbortSignal.abort(new Error('gone'));
  const tokenizer = { ...character, tokenize: () => t.fail('tokenised') as never };
  t.throws(() => overlap.refine(chunksOf(THREE), DEFAULTS, contextOf(tokenizer, signal)), {
    message: 'gone',
  });
});
t.test('through the service', async (t) => {
  const { service } = await composeQuietly();
  const send = async (body: object) => {
    const { bytes } = await runTask(service, { run: 'refine', name: 'overlap' }, body);
    return JSON.parse(Buffer.from(bytes).toString());
  };

  t.test('the example of the manifest works as it is', async (t) => {
    t.same(await send(manifest.example), [
      {
        text: 'The quick brown fox jumps over',
        start_index: 0,
        end_index: 20,
        token_count: 30,
        context: 'jumps over',
      },
      {
        text: 'brown fox jumps over the lazy dog and ',
        start_index: 20,
        end_index: 40,
        token_count: 38,
        context: 'brown fox dog and ',
      },
      {
        text: 'the lazy dog and sleeps.',
        start_index: 40,
        end_index: 55,
        token_count: 24,
        context: 'the lazy ',
      },
    ]);
  });

  t.test('the defaults are a quarter of the next chunk, merged', async (t) => {
    const [first] = await send({ chunks: chunksOf(THREE) });
    t.same(first, { text: 'abcdefghij', start_index: 0, end_index: 8, token_count: 10, context: 'ij' });
  });

  t.test('context does not cross from one document to the next', async (t) => {
    const chunks = [chunksOf(['ab', 'cd']), [], chunksOf(['ef', 'gh'])];
    const refined: Chunk[][] = await send({ chunks, context_size: 1, method: 'justified' });
    t.same(
      refined.map((document) => document.map(({ text }) => text)),
      [['abc', 'bcd'], [], ['efg', 'fgh']],
    );
  });

  t.test('the request names the tokenizer', needs('tokenizer/tiktoken'), async (t) => {
    const chunks = chunksOf(['x', 'The quick brown fox']);
    const [first] = await send({ chunks, tokenizer: 'cl100k_base', context_size: 2 });
    t.match(first, { text: 'xThe quick', context: 'The quick', token_count: counted(cl100k, 'xThe quick') });
  });

  t.test('refuses what is no size of a context', async (t) => {
    for (const context_size of [0, -1, -0.5, 1.5, 2.25]) {
      await t.rejects(send({ chunks: [], context_size }), {
        status: 400,
        message: `context_size: expected a number above 0 and below 1 or an integer of at least 1, got ${context_size}.`,
      });
    }
    for (const context_size of ['0.5', true, null, []]) {
      await t.rejects(send({ chunks: [], context_size }), {
        status: 400,
        message: /^context_size: expected/,
      });
    }
    for (const context_size of [1, 2, 0.001, 0.999]) t.same(await send({ chunks: [], context_size }), []);
  });

  t.test('refuses other wrong options, all at once', async (t) => {
    await t.rejects(send({ chunks: [], mode: 'tokens', method: 'both', merge: 1 }), {
      status: 400,
      message: /mode: .*; method: .*; merge: /,
    });
  });
});
