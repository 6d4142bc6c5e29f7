import fc from 'fast-check';
import type { Test } from 'tap';
import { openChunkers } from '../../support/service.ts';

/** Sentences of a language, how they are joined, and what may end a chunk besides white space. */
interface Language {
  readonly sentences: readonly string[];
  readonly between: string;
  readonly ends: RegExp;
}

const LANGUAGES: Readonly<Record<string, Language>> = {
  Hindi: spaced(/[।॥]$/, [
    'आज सुबह बहुत तेज़ बारिश हुई और सड़कें भीग गईं।',
    'बच्चे स्कूल नहीं गए।',
    'शाम को माँ ने गरम चाय बनाई और सबको बुलाया॥',
  ]),
  Marathi: spaced(/।।$/, ['नदी शांतपणे वाहत होती।।', 'गावातील लोक तिथे रोज पाणी भरायला येत असत।।']),
  Urdu: spaced(/[۔؟]$/, [
    'کل رات بہت دیر تک بارش ہوتی رہی۔',
    'کیا آپ نے کھڑکی بند کر دی تھی؟',
    'صبح تک سب خشک ہو گیا، اور ہم باہر نکلے۔',
  ]),
  Arabic: spaced(/[؟.!]$/, ['أين ذهب القطار هذا الصباح؟', 'وصل متأخرا بساعة كاملة، ولم يعتذر أحد.', 'حقا؟!']),
  Persian: spaced(/[؟.]$/, ['آیا فردا به بازار می‌روی؟', 'من نان و پنیر و کمی سبزی تازه خریدم.']),
  Burmese: spaced(/။$/, [
    'မိုးရွာနေသောကြောင့် အိမ်ပြန်နောက်ကျသည်။',
    'သူသည် စာအုပ်ကို ဖတ်ပြီးပြီ။',
    'ကလေးများ၊ ကျောင်းသို့ သွားကြသည်။။',
  ]),
  Armenian: spaced(/[։]$/, ['Երեկ երեկոյան անձրև էր գալիս։', 'Մենք տանը մնացինք ու գիրք կարդացինք։']),
  Amharic: spaced(/[።፧]$/, ['ትናንት ማታ ከባድ ዝናብ ዘነበ።', 'መንገዱ ተዘግቶ ነበር፣ ስለዚህ ቤት ቆየን።', 'ነገ ትመጣለህ፧']),
  Khmer: spaced(/[។៕]$/, ['ថ្ងៃនេះ មេឃស្រឡះណាស់។', 'យើងទៅ លេងនៅមាត់ទន្លេ ជាមួយមិត្តភក្តិ៕']),
  Tibetan: spaced(/།$/, ['ང་ཚོ་སློབ་གྲྭར་འགྲོ་གི་ཡོད།', 'དེ་རིང་གནམ་གཤིས་ཡག་པོ་འདུག།']),
  Bengali: spaced(/[।?]$/, ['আজ সকালে খুব কুয়াশা ছিল।', 'তুমি কি জানালা খুলেছিলে?', 'নদীর ধারে একটা নৌকা বাঁধা আছে।']),
  Tamil: spaced(/[.?]$/, ['இன்று காலை மழை பெய்தது.', 'நீ பள்ளிக்கு எப்போது போகிறாய்?']),
  Telugu: spaced(/[.?]$/, ['ఈ రోజు ఉదయం వర్షం పడింది.', 'నువ్వు ఎక్కడికి వెళ్తున్నావు?']),
  Sinhala: spaced(/[.?]$/, ['අද උදේ වැස්ස වැටුණා.', 'ඔයා ගෙදර යන්නේ කීයටද?']),
  Mongolian: spaced(/[᠃᠉]$/, ['ᠦᠨᠳᠦᠰᠦᠲᠡᠨ ᠦ ᠪᠢᠴᠢᠭ᠃', 'ᠮᠣᠩᠭᠣᠯ ᠬᠡᠯᠡ᠉']),
  Cree: spaced(/᙮$/, ['ᓂᓯᑐᐦᑌᐣ ᐊᓄᐦᐨ᙮', 'ᑭᓇᓈᐢᑯᒥᑎᐣ ᒥᓯᐌ᙮']),
  Javanese: spaced(/꧉$/, ['ꦱꦸꦒꦼꦁꦌꦚ꧀ꦗꦁ꧉', 'ꦏꦸꦭꦩꦠꦸꦂꦤꦸꦮꦸꦤ꧀꧉']),
  NKo: spaced(/߹$/, ['ߒ ߓߘߊ߫ ߣߊ߬߹', 'ߊ߬ ߞߊ߫ ߞߍߣߍ߫߹']),
  Chakma: spaced(/𑅁$/, ['𑄌𑄋𑄴𑄟 𑄞𑄌𑄴𑅁', '𑄃𑄟𑄢𑄴 𑄊𑄧𑄢𑄴 𑄢𑄋𑄟𑄖𑄳𑄠𑅁']),
  Chinese: joined(/[。？！][”」]?$/, [
    '早上下了一场大雨，街道都湿了。',
    '你把窗户关上了吗？',
    '她说：“快走！”',
  ]),
  Japanese: joined(/[。？！]」?$/, [
    '今朝は雨が降っていたので、傘を持って出かけた。',
    '窓を閉めましたか？',
    '彼は「もう行こう！」',
  ]),
};

function spaced(ends: RegExp, sentences: readonly string[]): Language {
  return { sentences, between: ' ', ends };
}

function joined(ends: RegExp, sentences: readonly string[]): Language {
  return { sentences, between: '', ends };
}

/**
 * Tests that chunks end where sentences do, in languages of many scripts, without options that name the language.
 *
 * @param around what the format needs around a text
 */
export function testSentenceEnds(t: Test, chunker: string, options: object = {}, around = '%'): void {
  t.test(`${chunker}: chunks end with sentences in every script`, async (t) => {
    const chunk = await openChunkers();
    for (const [language, { sentences, between, ends }] of Object.entries(LANGUAGES)) {
      const longest = Math.max(...sentences.map(({ length }) => length)) + around.length;
      for (const extra of [2, 9, longest]) {
        const many = Array.from(
          { length: 24 },
          (_, index) => sentences[(index * 7 + extra) % sentences.length],
        );
        const text = around.replace('%', many.join(between));
        const chunks = await chunk(chunker, { text, chunk_size: longest + extra, ...options });
        // The first and the last chunk may be what is around the text.
        const inner = chunks.slice(around === '%' ? 0 : 1, -1).map((one) => one.text.trimEnd());
        t.same(
          inner.filter((one) => !ends.test(one)),
          [],
          `${language} + ${extra}`,
        );
        t.ok(
          inner.length > 0 && chunks.slice(1, -1).every((one) => !/^[\p{Po}\p{Pe}\p{Pf}]/u.test(one.text)),
          language,
        );
      }
    }
  });
}

/** Clusters of many kinds, each of at most 12 code points. */
const CLUSTERS = [
  ...['👨‍👩‍👧‍👦', '👍🏽', '1️⃣', '🇩🇪', '🇫🇷', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '❤️‍🔥', 'é'.normalize('NFD'), 'ö̲', '각'.normalize('NFD')],
  ...['नि', 'क्षि', 'ที่', 'น้ำ', 'မြို့', 'ស្ត្រី', 'தொ', 'বাং', '漢', 'x', 'が'.normalize('NFD'), '葛󠄀'],
];
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
/** Clusters without white space, so that nothing else is left to cut at. */
const word = fc
  .array(fc.constantFrom(...CLUSTERS), { minLength: 30, maxLength: 60 })
  .map((all) => all.join(''));

/** Tests that chunks begin and end between grapheme clusters, as `Intl.Segmenter` finds them. */
export function testClusters(t: Test, chunker: string, options: object = {}, around = '%'): void {
  t.test(`${chunker}: no grapheme cluster that fits is cut`, async () => {
    const chunk = await openChunkers();
    const holds = fc.asyncProperty(word, fc.integer({ min: 12, max: 40 }), async (word, chunk_size) => {
      const text = around.replace('%', word);
      const edges = new Set([...segmenter.segment(text)].map(({ index }) => index));
      const chunks = await chunk(chunker, { text, chunk_size, ...options });
      let at = 0;
      for (const one of chunks) {
        if (!edges.has(at)) throw new Error(`a chunk begins within a cluster, at ${at} of ${text}`);
        at += one.text.length;
      }
      if (at !== text.length || chunks.length < 2) throw new Error('text is lost, or whole');
    });
    await fc.assert(holds, { numRuns: 30 });
  });
}
