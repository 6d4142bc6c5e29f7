/** Words for generated texts, frequent ones first. Stems are inflected, so the vocabulary is larger. */

export const GLUE =
  list(`the of and to in a that is for it as was with on be by at this not are from or have an
  which had they you were their one we his all has been there if more when will would who so no out up into do can
  what about than its only some could these other then may such our over also after first any like between must
  through where much before back those because both each under while never same another know against still during
  without however almost perhaps rather several within although toward often quite indeed`);

export const NOUNS =
  list(`time year people way day man thing world life hand part place case week company system program
  question work government number night point home water room mother area money story fact month lot right study book
  eye job word business issue side kind head house service friend father power hour game line end member law car city
  community name president team minute idea body information parent face level office door health person art war history
  party result change morning reason research girl guy moment air teacher force education river engine harbour document
  paragraph sentence library window signal pattern language memory surface answer garden island letter machine market
  mountain pressure question railway season shadow silver station storm teacher theory thread tower valley village voice
  weather winter archive boundary cabinet dialect embassy fragment glacier horizon inventory junction kingdom landscape
  manuscript notebook observation parliament quarter reservoir sculpture telescope utterance vocabulary workshop`);

export const VERBS =
  list(`make know take see come think look want give use find tell ask work seem feel try leave call
  need become keep begin help show hear play run move live believe bring happen write sit stand lose pay meet include
  continue learn change lead understand watch follow stop create speak read spend grow open walk offer remember consider
  appear wait serve send expect build stay fall reach remain suggest raise pass require report decide return explain
  develop carry break receive agree support describe measure compare collect divide gather translate examine`);

export const QUALITIES =
  list(`new good high old great big small large different early young important few public bad able
  long little own political real best common poor natural significant similar hot dead central happy serious ready simple
  left physical general environmental financial blue democratic dark various entire close legal religious cold final main
  green nice huge popular traditional cultural remarkable invisible narrow ancient reluctant transparent`);

export const SYLLABLES =
  list(`ka mo ri ta ven dor lin sha bel gar fon tis mar que nor wick ham ston bru zel per lo an es
  ul ima ter oth gra vi`);

/** What the sentences of a language are made of. If `space` is empty, words follow each other directly. */
export interface Language {
  readonly heading: string;
  readonly words: readonly string[];
  readonly space: string;
  readonly comma: string;
  readonly ends: readonly string[];
}

const FULL_WIDTH = { space: '', comma: '，', ends: ['。', '。', '。', '！', '？'] };
const SPACED = { space: ' ', comma: ', ', ends: ['. ', '. ', '. ', '! ', '? '] };

export const LANGUAGES: readonly Language[] = [
  {
    heading: '语言的历史',
    words:
      list(`的 是 在 了 我们 一个 不 有 他 这 中国 大 来 上 个 国家 到 说 们 为 子 和 你 地 出 道 也 时间 年 得 就 那
      要 下 以 生活 会 自己 着 去 之 过 家 学生 对 可以 她 里 后 小 么 心 多 天 而 能够 好 都 然 没 日本 于 起 还 发展 成 事
      只 作 当 想 看 文化 无 开 手 十 用 主 行 方法 又 如 前 所 本 见 经济 头 面 公 同 三 已 老 从 动 两 长 知识 样 现在 分
      将 外 但 身 些 与 高 意 进 把 法律 此 实 回 二 理 美 点 月 明 其 种 声音 全 工作 信息 话 儿 者 向 情 部 正 名 定 女
      问题 力 机 给 等 几 很 业 最 间 新 什么 打 便 位 因 重 被 走 电 四 第 门 相 次 东 政府 海 口 使 教 西 再 平 真 听 世界`),
    ...FULL_WIDTH,
  },
  {
    heading: '言葉と文化',
    words:
      list(`の に は を た が で て と し れ さ ある いる も する から な こと として い や れる など なっ ない この ため
      その あっ よう また もの という あり まで られ なる へ か だ これ によって により おり より による ず なり 日本 言葉 文化
      世界 時間 人々 生活 学校 問題 研究 社会 歴史 技術 データ システム プログラム コンピュータ インターネット 図書館 東京 大学
      新しい 美しい 考える 話す 読む 書く 始まる 続く 思う 見る それぞれ しかし したがって`),
    ...FULL_WIDTH,
    comma: '、',
  },
  {
    heading: '언어와 사회',
    words:
      list(`그 이 것은 수 있는 한 대한 그리고 하는 우리는 사람들이 있다 없다 시간을 사회의 문제를 세계에서 문화와 역사적
      언어는 새로운 정보를 연구 결과 학교에서 기술이 발전하고 그러나 따라서 많은 중요한 국가의 정부는 경제 생활을 하루 동안
      다시 처음 마지막 이야기를 읽고 쓰는 방법으로 생각한다 보인다 시작했다 계속되었다 대학교 도서관 컴퓨터`),
    ...SPACED,
  },
  {
    heading: 'История города',
    words:
      list(`и в не на что он с как это по но они к у его за из мы же от так для о её до время если уже когда был город
      человек жизнь история язык книга вопрос система работа страна мир дело день рука раз слово место лицо друг государство
      новый большой первый последний хороший русский общественный говорить знать стать видеть хотеть идти думать остаться
      развиваться исследование университет библиотека действительно несмотря следовательно`),
    ...SPACED,
  },
  {
    heading: 'تاريخ المدينة',
    words:
      list(`في من على إلى أن هذا التي الذي عن مع كان كل هذه بين بعد قد لم ما لا أو ذلك عند حيث غير حتى المدينة العالم
      التاريخ اللغة الكتاب الناس الحياة الوقت العمل الدولة الجديد الكبير الأول يكتب يقول يعرف المكتبة الجامعة البحث العلمي
      المعلومات السؤال النظام الثقافة`),
    ...SPACED,
    comma: '، ',
    ends: ['. ', '. ', '؟ '],
  },
  {
    heading: 'भाषा और समाज',
    words:
      list(`के का में है की से और को पर यह ने एक हैं भी कि था नहीं तो ही कर इस लिए जो अपने साथ वह जब समय लोग भाषा समाज
      इतिहास दुनिया जीवन काम दिन शहर पुस्तक सवाल नया बड़ा पहला अंतिम विश्वविद्यालय पुस्तकालय अनुसंधान जानकारी व्यवस्था संस्कृति`),
    ...SPACED,
    ends: ['। ', '। ', '? '],
  },
  {
    heading: 'Über die Größe',
    words:
      list(`der die und in den von zu das mit sich des auf für ist im dem nicht ein eine als auch es an werden aus er hat
      dass sie nach wird bei einer um am sind noch wie einem über einen so zum war haben nur oder aber vor zur bis mehr durch
      man sein Größe Straße Geschichte Gesellschaft Sprache Wissenschaft Möglichkeit Entwicklung Universität Bibliothek
      Geschwindigkeitsbegrenzung Zusammenhang natürlich außerdem schließlich während können müssen würde gehört`),
    ...SPACED,
  },
  {
    heading: 'À propos de la forêt',
    words:
      list(`de la le et les des en un du une que est pour qui dans a par plus pas au sur ne se ce il sont avec mais ou été
      comme nous aux même cette après être fait leur entre aussi où très bien l’histoire société langue forêt été déjà siècle
      développement université bibliothèque théâtre œuvre élève français première dernière c’était d’abord jusqu’à peut-être`),
    ...SPACED,
    ends: ['. ', '. ', ' ! ', ' ? '],
  },
];

export const SYMBOLS = list(`😀 🎉 👍🏽 👩‍👩‍👧‍👦 🏳️‍🌈 🇩🇪 🇯🇵 ❤️ ☃ → ≠ ∑ € é ñ ạ̈ 𠮷 𝒳 ½ № ™ 1️⃣`);

function list(words: string): string[] {
  return words.trim().split(/\s+/);
}
