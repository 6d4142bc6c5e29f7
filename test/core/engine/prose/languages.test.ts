import t from 'tap';
import { checkSentences, sentencesOf } from './sentences-of.ts';

/** Texts of each language, with `|` where one sentence ends and the next one begins. */
const CASES: Readonly<Record<string, readonly string[]>> = {
  de: [
    'Hr. Müller kam mit Dr. Weiß. |Sie blieben lange.',
    'Am 3. Oktober ist frei. |Der 2. Weltkrieg endete 1945. |Danach kam Frieden.',
    'Wir haben z. B. Äpfel, d. h. Obst, u. a. von hier. |Er mag Birnen.',
    'Er sagte: „Hallo!“ |Dann ging er.',
    '»So!« sagte er. |»Nein!« |»Doch!«',
    'Äpfel, Birnen usw. |Danach nichts mehr.',
    'Siehe Abb. 3 und S. 12 ff. in Bd. 2. |Das reicht.',
    'Die Fa. Müller u. Co. liefert an die Str. der Nationen. |Ludwig XIV. war König.',
  ],
  fr: [
    'M. Dupont et Mme. Durand sont là. |Ils attendent.',
    '« Bonjour ! » |Puis il sortit.',
    '« Où vas-tu ? » demanda-t-elle. |Il ne dit rien.',
    'Voir p. 12 et fig. 3 du vol. 2. |C’est clair.',
    'Rome, en 50 av. J.-C. et plus tard. |Elle était grande.',
    'Des pommes, des poires, etc. |Le reste plus tard.',
    'Vraiment ? |Oui ! |Bien sûr… |Mais non.',
  ],
  es: [
    'El Sr. García y la Dra. López viven aquí. |Ella es médica.',
    '¿Cómo está? |¡Muy bien! |Gracias.',
    'Vive en EE. UU. desde 1990. |Es feliz.',
    'Vea la pág. 5 y la fig. 2. |Está claro.',
    'La Avda. Colón, n.º 7, es larga. |Hay tiendas, p. ej. Zara.',
    'Peras, uvas, etc. |El resto no importa.',
    '«¡Ven!» |Ella vino. |—¿Qué? —dijo él. |—Nada.',
  ],
  it: [
    'Il sig. Rossi e la dott.ssa Bianchi arrivano. |Lui parla.',
    'Vedi pag. 5 e fig. 2. |È chiaro.',
    'Pere, mele, ecc. |Il resto non importa.',
    'L’art. 3 della legge n. 241 vale. |Gli altri no.',
    '«Vieni!» disse. |Lei venne.',
    'La Alfa S.p.A. di Milano cresce. |Perché? |Non si sa!',
    'Nel 44 a.C. Cesare morì. |Dopo venne Augusto.',
  ],
  pt: [
    'O Sr. Silva e a Dra. Ana vieram. |Ela é médica.',
    'Mora na Av. Paulista, n.º 5. |É longe.',
    'Veja a pág. 3 e a fig. 2. |Está claro.',
    'Peras, uvas, etc. |O resto não importa.',
    'Custa R$ 3.50 hoje. |Amanhã não.',
    '“Vem!” |Ela veio. |Por quê? |Não sei!',
    'Temos frutas, p. ex. maçãs. |Elas são boas.',
  ],
  ru: [
    'А. С. Пушкин родился в 1799 г. |Он писал стихи.',
    'Он жил в г. Москве на ул. Ленина, д. 5. |Потом уехал.',
    'Яблоки, груши и т. д. |Потом ничего.',
    '— Привет! — сказал он. |— Как дела?',
    'См. рис. 3 и табл. 2 на с. 15. |Это ясно.',
    '«Иди сюда!» |Она пришла.',
    'Это стоит 5 тыс. руб. за штуку, т. е. дорого. |Я не куплю.',
  ],
  zh: [
    '今天天气很好。|我们去公园吧！|好吗？|好。',
    '“你好。”他说。|然后他走了。',
    '“我走了。”|然后他离开了。',
    '她问：“什么？！”|没有人回答。',
    '（他来了。）|我们开始吧。',
    '价格是3.14元。|网址是www.example.com。|我……我不知道。|再见。',
  ],
  ja: [
    '今日は天気がいい。|散歩に行こう！|いいですか？|はい。',
    '「こんにちは。」と彼は言った。|彼女は笑った。',
    '「はい。」|彼は帰った。',
    '値段は３．１４円です。|安い｡|でも買わない。',
    '（注意してください。）|次に進みます。',
    '『終わり。』|本を閉じた。|そして……眠った。',
  ],
  hi: [
    'यह एक वाक्य है। |यह दूसरा है।',
    'यह श्लोक है॥ |अगला यहाँ है।',
    'डॉ. राम आए। |वे बैठे।',
    'क्या? |हाँ! |ठीक है।',
    'मूल्य 3.14 है। |यह कम है।',
    '"आओ।" |वह आया।',
  ],
  ar: [
    'هذه جملة. |وهذه جملة أخرى.',
    'كيف حالك؟ |أنا بخير!',
    'جاء د. أحمد اليوم. |ثم ذهب.',
    'القيمة 3.14 فقط. |هذا قليل.',
    'قال: «تعال!» |ثم جاء.',
    'ماذا؟! |لا شيء… |حسنا.',
  ],
  el: [
    'Τι κάνεις; |Είμαι καλά.',
    'Ο κ. Παπαδόπουλος ήρθε. |Ναι!',
    'Βλ. σελ. 5 και εικ. 3. |Είναι σαφές.',
    'Μήλα, αχλάδια κ.λπ. |Τα άλλα αργότερα.',
    '«Έλα!» |Ήρθε αμέσως.',
    'Η τιμή είναι 3.14 ευρώ. |Γιατί; |Δεν ξέρω.',
  ],
  nl: [
    'Dhr. Jansen en mevr. De Vries komen. |Zij blijven.',
    'Hij werkt bij Bakker B.V. |De zaak is open.',
    'Zie blz. 5 en afb. 3. |Dat is duidelijk.',
    'Appels, peren enz. |De rest later.',
    'Fruit, bijv. Elstar, is d.w.z. gezond. |Het smaakt goed.',
    '“Kom!” riep hij. |Ze kwam. |Waarom? |Geen idee!',
  ],
  hy: ['Սա նախադասություն է։ |Սա երկրորդն է: |Վերջ։'],
  my: ['ဒါက ပထမ။ |ဒါက ဒုတိယ။'],
  am: ['ይህ አንድ ነው። |ይህ ሁለት ነው።'],
  th: ['ฉันชอบกินข้าวกับปลาและผักมากทุกวันตั้งแต่เด็กจนโต วันนี้อากาศดีมากและฉันจะไปตลาดกับแม่ของฉันตอนบ่าย |พรุ่งนี้ฉันจะทำงานที่บ้าน'],
};

for (const [lang, texts] of Object.entries(CASES)) {
  t.test(`sentences of ${lang} end where they do`, async (t) => {
    for (const marked of texts) checkSentences(t, marked, lang);
  });
}

t.test('ten languages and more have six texts', async (t) => {
  t.ok(Object.values(CASES).filter((texts) => texts.length >= 6).length >= 10);
});

t.test('a region does not matter, and an unknown language gets the abbreviations of English', async (t) => {
  const text = 'Äpfel, Birnen usw. Danach nichts mehr. Am 3. Oktober kam Dr. Weiß.';
  t.same(sentencesOf(text, 'de-AT'), sentencesOf(text, 'de'));
  t.same(sentencesOf('Dr. Weiß came. He left.', 'xx'), ['Dr. Weiß came. ', 'He left.']);
  t.same(sentencesOf('Dr. Weiß came. He left.', '__proto__'), ['Dr. Weiß came. ', 'He left.']);
});
