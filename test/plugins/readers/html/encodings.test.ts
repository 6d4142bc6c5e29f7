import t from 'tap';
import createReader from '../../../../plugins/readers/html/index.ts';
import { encode } from '../encode.ts';
import { readWith } from '../reading.ts';

const read = async (bytes: Uint8Array) => {
  const reports: Record<string, string> = {};
  const report = (name: string, value: string) => void Object.assign(reports, { [name]: value });
  return { ...(await readWith(createReader, bytes, {}, { content: 'all' }, report)), reports };
};
const page = (text: string, charset?: string): string =>
  `<!DOCTYPE html><html><head>${charset === undefined ? '' : `<meta charset="${charset}">`}<title>A page</title><style>p { color: red }</style></head><body><div class="main"><p>${text}</p></div></body></html>`;

/** Short texts with the encodings that old pages of their language have. */
const TEXTS: readonly (readonly [text: string, ...encodings: readonly string[]])[] = [
  ['これは文字コードの宣言がないページです。', 'shift_jis', 'euc-jp'],
  ['这是没有声明编码的网页，内容很短。', 'gb18030'],
  ['這是沒有宣告編碼的網頁，內容很短。', 'big5'],
  ['이것은 인코딩 선언이 없는 페이지입니다.', 'euc-kr'],
  ['Привет, мир! Это страница без объявления кодировки.', 'windows-1251', 'koi8-r'],
  ['Αυτή είναι μια σελίδα χωρίς δήλωση κωδικοποίησης.', 'windows-1253'],
  ['هذه صفحة بدون إعلان الترميز', 'windows-1256'],
  ['นี่คือหน้าที่ไม่มีการประกาศ', 'windows-874'],
  ['Déjà vu, mon chéri, ça va très bien là-bas.', 'windows-1252'],
  ['Příliš žluťoučký kůň úpěl ďábelské ódy', 'windows-1250'],
];

t.test('pages that declare no encoding are read in the one that their bytes have', async (t) => {
  for (const [text, ...encodings] of TEXTS)
    for (const encoding of encodings) {
      const { text: found, reports } = await read(encode(page(text), encoding));
      t.equal(found, text, encoding);
      const sureness = Number(reports['source-encoding-confidence']);
      t.ok(reports['source-encoding-inferred'] === 'true' && sureness >= 0.5 && sureness < 1, `${sureness}`);
    }
});

t.test('a wrong declaration is not believed where the bytes are UTF-8', async (t) => {
  for (const [text] of TEXTS)
    for (const declared of [
      'gb2312',
      'shift_jis',
      'euc-kr',
      'big5',
      'windows-1252',
      'iso-8859-1',
      'windows-1251',
      'koi8-r',
    ]) {
      const { text: found, encoding, reports } = await read(Buffer.from(page(text, declared)));
      t.same([found, encoding, reports['source-encoding-inferred']], [text, 'utf-8', 'true'], declared);
    }
  for (const sign of ['©', '–', 'é', '€5'])
    t.equal((await read(Buffer.from(page(`Tea ${sign}`, 'gb2312')))).text, `Tea ${sign}`);
});

t.test('a wrong declaration is not believed where it does not fit, or gives no words', async (t) => {
  for (const declared of ['utf-8', 'iso-8859-1', 'windows-1252', 'no-such'])
    for (const [text, ...encodings] of TEXTS.slice(0, 7))
      for (const encoding of encodings)
        t.equal((await read(encode(page(text, declared), encoding))).text, text, `${declared}, ${encoding}`);
  const russian = 'Привет, мир! Это страница без объявления кодировки.';
  t.equal((await read(encode(page(russian, 'windows-1251'), 'koi8-r'))).text, russian);
});

t.test('a right declaration is believed, and nothing is inferred', async (t) => {
  for (const [text, ...encodings] of TEXTS)
    for (const encoding of encodings) {
      const { text: found, encoding: named, reports } = await read(encode(page(text, encoding), encoding));
      t.same([found, named], [text, new TextDecoder(encoding).encoding]);
      t.same(Object.keys(reports), ['html-left-out'], encoding);
    }
  const words = ['Ça', 'ÉTÉ À NOËL', 'São', '“Zoë” — 10 €', 'Ærøskøbing', 'ÅÄÖ', '½ × 3 ÷ 4°', 'naïve…'];
  for (const text of words) {
    const { text: found, reports } = await read(encode(page(text, 'iso-8859-1'), 'windows-1252'));
    t.same([found, Object.keys(reports)], [text, ['html-left-out']]);
  }
  const capitals = 'ВНИМАНИЕ! ВСЕ СТРАНИЦЫ НАПИСАНЫ БОЛЬШИМИ БУКВАМИ';
  t.equal((await read(encode(page(capitals, 'windows-1251'), 'windows-1251'))).text, capitals);
  t.equal(
    (await read(encode(page('聯通', 'gb2312'), 'gb18030'))).text,
    '聯通',
    'two signs that are valid UTF-8',
  );
});

t.test('UTF-16 without a mark, ISO-2022-JP and a few odd bytes are read', async (t) => {
  const wide = await read(Buffer.from(page('Déjà vu'), 'utf16le'));
  t.same(
    [wide.text, wide.encoding, wide.reports['source-encoding-inferred']],
    ['Déjà vu', 'utf-16le', 'true'],
  );
  const japanese = await read(Buffer.from(page('a \u001b$B$3$s\u001b(B b')));
  t.same([japanese.text, japanese.encoding], ['a こん b', 'iso-2022-jp']);
  const [text] = TEXTS[0] as readonly [string];
  const bytes = Buffer.concat([Buffer.from(page(text, 'utf-8')), Buffer.of(0xe9)]);
  const mixed = await read(bytes);
  t.equal(mixed.text, `${text}\n\né`);
  t.match(mixed.reports, { 'source-odd-bytes': '1', 'source-encoding-inferred': 'true' });
});
