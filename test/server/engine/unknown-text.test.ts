import fc from 'fast-check';
import t from 'tap';
import { countingTokenizer } from '../../../server/engine/stages/counting-tokenizer.ts';
import { needs } from '../../support/here.ts';
import { never } from '../../support/hosted-host.ts';
import { type AnswerChunk, composeQuietly, openService } from '../../support/service.ts';

/** How tokens of models count where their vocabulary lacks the script. */

const here = needs('chunker/semantic', 'embedding/static', 'tokenizer/huggingface');
/** Sentences of our own, in scripts that English vocabularies lack as words, as letters, or not at all. */
const SENTENCES = {
  thai: 'เช้านี้อากาศดีมากเราเดินไปตลาดเพื่อซื้อผักและผลไม้ ',
  lao: 'ມື້ນີ້ອາກາດດີຫຼາຍພວກເຮົາໄປຕະຫຼາດ ',
  khmer: 'ថ្ងៃនេះអាកាសធាតុល្អណាស់យើងទៅផ្សារ ',
  greek: 'Σήμερα ο καιρός είναι πολύ καλός και πάμε στην αγορά. ',
  georgian: 'დღეს კარგი ამინდია და ბაზარში მივდივართ. ',
  armenian: 'Այսօր եղանակը լավ է և մենք գնում ենք շուկա։ ',
  amharic: 'ዛሬ አየሩ ጥሩ ነው ወደ ገበያ እንሄዳለን። ',
  malayalam: 'ഇന്ന് കാലാവസ്ഥ നല്ലതാണ് ഞങ്ങൾ ചന്തയിലേക്ക് പോകുന്നു. ',
  russian: 'Сегодня хорошая погода, и мы идём на рынок. ',
  chinese: '今天天气很好，我们去市场。',
  mixed: 'The word ตลาดเพื่อซื้อผักและผลไม้เช้านี้อากาศดีมาก means market. ',
};

t.test('semantic: chunk_size is a limit in every script', here, async (t) => {
  const { chunk, post } = await openService(t);
  for (const [script, sentence] of Object.entries(SENTENCES)) {
    const text = sentence.repeat(200);
    const chunks = await chunk('semantic', { text, chunk_size: 64, oversize: 'split' });
    t.equal(chunks.map((one) => one.text).join(''), text, script);
    const longest = Math.max(...chunks.map((one) => [...one.text].length));
    t.ok(longest <= 64 * 7, `${script}: ${longest} characters`);
    t.ok(
      chunks.every(({ token_count }) => token_count <= 64),
      script,
    );
    const named = await chunk('semantic', {
      text,
      chunk_size: 64,
      oversize: 'split',
      tokenizer: 'character',
    });
    t.ok(
      named.every((one) => one.token_count === [...one.text].length && one.token_count <= 64),
      script,
    );
  }
  const unknown = await post('/v1/chunk/semantic', { text: 'a', tokenizer: 'no-such' });
  t.equal(unknown.status, 400);
});

t.test('semantic: chunk_size is about as much text in every alphabet', here, async (t) => {
  const { chunk } = await openService(t);
  for (const script of ['thai', 'lao', 'greek', 'georgian', 'armenian', 'malayalam', 'russian'] as const) {
    const text = SENTENCES[script].repeat(100);
    const options = { chunk_size: 256, oversize: 'split', threshold: 0, min_characters_per_sentence: 1 };
    const [first] = await chunk('semantic', { text, ...options });
    const length = [...(first?.text ?? '')].length;
    t.ok(length > 256 * 2.5 && length < 256 * 6, `${script}: ${length} characters`);
  }
});

t.test('a named tokenizer counts in pipelines, too', here, async (t) => {
  const { execute } = await openService(t);
  const config = { tokenizer: 'character', chunk_size: 30 };
  const step = { type: 'chunk', chunker: 'semantic', config } as const;
  const answer = await execute([step], { text: 'One two three. '.repeat(10) });
  for (const one of answer.json<AnswerChunk[]>()) t.equal(one.token_count, one.text.length);
});

t.test('English counts as the model counts it, symbols and quotations of a letter too', here, async (t) => {
  const { openers } = await composeQuietly();
  const lease = await openers.model('chunksmith/static-en-256', never);
  t.teardown(() => lease.release());
  const own = await lease.value.tokenizer();
  const counting = await countingTokenizer(lease.value);
  const windowed = await countingTokenizer({ ...lease.value, window: { tokens: 512, count: () => 0 } });
  for (const text of [
    'Tea with milk.',
    '👍👍 → ⚠️ naïve Straße',
    `${'word '.repeat(50)}π and Ω`,
    'https://example.org/a-b_c',
  ]) {
    t.same([...counting.tokenize(text).ends()], [...own.tokenize(text).ends()], text);
    t.equal(counting.tokenize(text).count(0, text.length), own.tokenize(text).count(0, text.length), text);
  }
  for (const [text, grouped, single] of [
    ['сегодня', 2, 7],
    ['и и и', 3, 3],
    ['ตลาด', 1, 4],
    ['市场天气', 4, 4],
    ['𐐀𐐁𐐂𐐃𐐄', 2, 5],
    ['é'.repeat(120), 120, 120],
    ['tea', 1, 1],
  ] as const) {
    t.equal(counting.tokenize(`tea ${text} tea`).count(4, 4 + text.length), grouped, text);
    t.equal(windowed.tokenize(text).count(0, text.length), single, text);
  }
  const unit = fc.constantFrom(
    'tea ',
    'ตลาด',
    'ที่',
    ' ',
    'ό',
    'Ω',
    'и',
    '茶',
    '👍',
    'x'.repeat(60),
    '\n',
    'e\u0301',
  );
  await fc.assert(
    fc.asyncProperty(fc.string({ unit, maxLength: 30 }), fc.nat(), fc.nat(), async (text, one, other) => {
      const [start, end] = [one % (text.length + 1), other % (text.length + 1)].sort((a, b) => a - b) as [
        number,
        number,
      ];
      const part = text.slice(start, end);
      const { length } = counting.tokenize(part).ends();
      if (counting.tokenize(text).count(start, end) !== length)
        throw new Error('the count of a part is not its own');
      const ends = [...counting.tokenize(text).ends()];
      if (
        ends.some((at, index) => at < (ends[index - 1] ?? 0)) ||
        (ends.at(-1) ?? text.length) !== text.length
      )
        throw new Error(`${ends}`);
      const ownCount = own.tokenize(part).count(0, part.length);
      if (length < ownCount / 4) throw new Error('a group of more than four tokens');
      if (windowed.tokenize(part).ends().length < ownCount) throw new Error('more than the window has');
    }),
  );
});
