import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { EmbeddingModel } from '../../../../core/contracts/embedding.ts';
import { OWN_MODELS } from '../../../../plugins/embeddings/static/index.ts';
import {
  countOtherWords,
  forEachPart,
} from '../../../../plugins/embeddings/static/lexical/lexical-vectors.ts';
import { never } from '../../../support/hosted-host.ts';
import { createRandom } from '../../../support/random.ts';
import { createProviderWithFolder, openModel } from './support/models.ts';

/** Texts in any language have vectors, with no network; English texts have those of the vocabulary. */

const request = { purpose: 'similarity', signal: never } as const;
const MODELS = new URL('../../../../plugins/embeddings/static/models/', import.meta.url);

/** A sentence about the weather or tea in each of forty languages, which the vocabulary does not know. */
const LANGUAGES: Readonly<Record<string, string>> = {
  Amharic: 'ዛሬ የአየር ሁኔታው ጥሩ ነው።',
  Arabic: 'الطقس جميل اليوم.',
  Armenian: 'Այսօր եղանակը լավ է։',
  Assamese: 'আজি বতৰ ভাল।',
  Belarusian: 'Сёння добрае надвор’е.',
  Bengali: 'আজ আবহাওয়া সুন্দর।',
  Bulgarian: 'Днес времето е хубаво.',
  Burmese: 'ဒီနေ့ ရာသီဥတု ကောင်းတယ်။',
  Cherokee: 'ᎣᏏᏲ ᎣᎯᏍᏗ ᎢᎦ',
  Chinese: '今天天气很好。',
  Cree: 'ᑖᓂᓯ ᒥᔪ ᑮᓯᑳᐤ',
  Dhivehi: 'މިއަދު މޫސުން ރަނގަޅު',
  Dzongkha: 'ད་རེས་གནམ་གཤིས་ལེགས་ཤོམ་འདུག',
  Georgian: 'დღეს კარგი ამინდია.',
  Greek: 'Ο καιρός είναι καλός σήμερα.',
  Gujarati: 'આજે હવામાન સારું છે.',
  Hebrew: 'מזג האוויר יפה היום.',
  Hindi: 'आज मौसम अच्छा है।',
  Inuktitut: 'ᐅᓪᓗᒥ ᓯᓚ ᐱᐅᔪᖅ',
  Japanese: '今日はいい天気です。',
  Kannada: 'ಇಂದು ಹವಾಮಾನ ಚೆನ್ನಾಗಿದೆ.',
  Kazakh: 'Бүгін ауа райы жақсы.',
  Khmer: 'ថ្ងៃនេះអាកាសធាតុល្អ។',
  Korean: '오늘 날씨가 좋습니다.',
  Lao: 'ມື້ນີ້ອາກາດດີ.',
  Macedonian: 'Денес времето е убаво.',
  Malayalam: 'ഇന്ന് കാലാവസ്ഥ നല്ലതാണ്.',
  Marathi: 'आज हवामान छान आहे.',
  Mongolian: 'Өнөөдөр цаг агаар сайхан байна.',
  Nepali: 'आज मौसम राम्रो छ।',
  Odia: 'ଆଜି ପାଗ ଭଲ ଅଛି।',
  Pashto: 'نن هوا ښه ده.',
  Persian: 'امروز هوا خوب است.',
  Punjabi: 'ਅੱਜ ਮੌਸਮ ਚੰਗਾ ਹੈ।',
  Russian: 'Сегодня хорошая погода.',
  Sinhala: 'අද කාලගුණය හොඳයි.',
  Tamil: 'இன்று வானிலை நன்றாக உள்ளது.',
  Telugu: 'ఈరోజు వాతావరణం బాగుంది.',
  Thai: 'วันนี้อากาศดี',
  Ukrainian: 'Сьогодні гарна погода.',
};

const vectorsOf = async (model: EmbeddingModel, texts: readonly string[]) => {
  const vectors = await model.embed(texts, request);
  const { values, dimensions } = vectors;
  const each = texts.map((_, at) => values.subarray(at * dimensions, (at + 1) * dimensions));
  return { ...vectors, each };
};
const OTHER_LETTER = /[\p{L}--\p{sc=Latin}]/v;
const bytesOf = (vector: Float32Array = new Float32Array()) =>
  Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength);
const cosine = (one: Float32Array, other: Float32Array) =>
  one.reduce((sum, value, at) => sum + value * (other[at] as number), 0);

for (const { name } of OWN_MODELS) {
  t.test(`${name}: no text with a letter, digit or pictograph has a vector of zeros`, async (t) => {
    const model = await openModel((await createProviderWithFolder(t)).provider, name);
    const texts = [...Object.values(LANGUAGES), '😀👍🏽', '１２３', '𝔘𝔫𝔦𝔠𝔬𝔡𝔢'];
    t.equal(Object.keys(LANGUAGES).length, 40);
    const { each, fallback, wordless } = await vectorsOf(model, texts);
    for (const [at, vector] of each.entries())
      t.ok(Math.abs(cosine(vector, vector) - 1) < 1e-5, `${texts[at]}: ${cosine(vector, vector)}`);
    t.same(wordless, []);
    t.ok(fallback !== undefined && fallback.texts >= 40, `${fallback?.texts}`);
    const rest = await vectorsOf(model, ['', ' \n', '茶', '。、', '***']);
    t.match(rest, { fallback: { texts: 1 }, wordless: [0, 1, 3, 4] });
  });

  t.test(`${name}: texts that share parts are near each other, others are not`, async (t) => {
    const model = await openModel((await createProviderWithFolder(t)).provider, name);
    const { each } = await vectorsOf(model, [
      ...['数据库的索引可以加快查询', '查询数据库时使用索引', '红茶需要用沸水冲泡三分钟'],
      ...[
        'Индексы ускоряют запросы к базе данных',
        'Запрос к базе данных и её индексам',
        'Чёрный чай заваривают кипятком',
      ],
    ]);
    const near = (one: number, other: number) =>
      cosine(each[one] as Float32Array, each[other] as Float32Array);
    t.ok(near(0, 1) > near(0, 2) + 0.1, `${near(0, 1)} ${near(0, 2)}`);
    t.ok(near(3, 4) > near(3, 5) + 0.1, `${near(3, 4)} ${near(3, 5)}`);
  });

  t.test(`${name}: English texts have the vectors of the vocabulary, bit by bit`, async (t) => {
    const { provider, folder } = await createProviderWithFolder(t);
    await copyWithout(name, 'unknown_texts', join(folder, 'mine/same'));
    const [model, plain] = [await openModel(provider, name), await openModel(provider, 'mine/same')];
    const readme = await readFile(new URL('../../../../README.md', import.meta.url), 'utf8');
    const changelog = await readFile(new URL('../../../../CHANGELOG.md', import.meta.url), 'utf8');
    const lines = `${readme}\n${changelog}`.split('\n').filter((line) => !OTHER_LETTER.test(line));
    const code = await readFile(new URL(import.meta.url), 'utf8');
    const paragraphs = [
      readme,
      changelog,
      ...changelog.split('\n\n'),
      code.slice(0, 1000),
      code.slice(-2000),
    ];
    const sentences = [
      'Grüße from a naïve café',
      'Angström Ωm in a sentence of Latin words',
      '| Year | Town | Share |\n| --- | --- | --- |\n| 2024 | Paris | 12.5 % |',
      'Angela Merkel met the president of Brazil in Hamburg in 2017',
      'See https://www.example.org/en-us/questions/1234567?page=2#answer',
    ];
    const changedOf = async (texts: readonly string[]) => {
      const [found, expected] = [await vectorsOf(model, texts), await vectorsOf(plain, texts)];
      const changed = texts.filter((_, at) => !bytesOf(found.each[at]).equals(bytesOf(expected.each[at])));
      t.equal(found.fallback?.texts, changed.length);
      return changed;
    };
    t.same(await changedOf([...paragraphs, ...sentences]), []);
    // Some names and headings of one word look like words of other languages.
    const changed = await changedOf(lines);
    t.ok(changed.length < 0.02 * lines.length, changed.join('\n'));
    const chinese = [LANGUAGES.Chinese as string];
    t.notSame((await model.embed(chinese, request)).values, (await plain.embed(chinese, request)).values);
  });

  t.test(`${name}: a word more in another script moves a vector little`, async (t) => {
    const model = await openModel((await createProviderWithFolder(t)).provider, name);
    const english =
      'the database index makes every query faster when the table is large and the disk is slow'.split(' ');
    const russian =
      'индекс базы данных ускоряет запросы если таблица большая а диск работает очень медленно'.split(' ');
    const random = createRandom(1);
    const words = [...english, ...russian];
    for (let at = words.length - 1; at > 0; at--) {
      const other = Math.floor(random() * (at + 1));
      [words[at], words[other]] = [words[other] as string, words[at] as string];
    }
    const texts = words.map((_, count) =>
      [...english, ...words.filter((one) => russian.includes(one)).slice(0, count + 1)].join(' '),
    );
    const { each } = await vectorsOf(model, texts);
    const cosines = each.slice(1).map((vector, at) => cosine(each[at] as Float32Array, vector));
    t.ok(Math.min(...cosines) > 0.7, cosines.map((one) => one.toFixed(2)).join(' '));
  });
}

/** Copies a model without a member of its configuration. */
async function copyWithout(name: string, member: string, target: string): Promise<void> {
  await mkdir(target, { recursive: true });
  const source = fileURLToPath(new URL(`${name}/`, MODELS));
  for (const file of ['model.safetensors', 'tokenizer.json'])
    await copyFile(join(source, file), join(target, file));
  const { [member]: _, ...config } = JSON.parse(await readFile(join(source, 'config.json'), 'utf8'));
  await writeFile(join(target, 'config.json'), JSON.stringify(config));
}

t.test(
  'every letter of a script that is not Latin is one of another script, and nothing else is',
  async (t) => {
    const wrong = [];
    for (let code = 0; code <= 0x10ffff; code++) {
      const character = String.fromCodePoint(code);
      const isOther = /[\p{L}--\p{sc=Latin}--\p{sc=Common}]/v.test(character);
      if (countOtherWords(character) !== Number(isOther)) wrong.push(code.toString(16));
    }
    t.same(wrong, []);
  },
);

t.test('a word of ten million characters does not overflow the stack', async (t) => {
  for (const character of ['a', '漢']) {
    let parts = 0;
    forEachPart(character.repeat(10_000_000), () => parts++);
    t.ok(parts >= 10_000_000, character);
  }
  t.equal(countOtherWords('я'.repeat(10_000_000)), 10_000);
});
