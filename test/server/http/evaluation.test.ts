import t from 'tap';
import {
  type EvaluatedCandidate,
  type Evaluation,
  evaluate,
  LETTERS,
  requestAbout,
} from '../../support/evaluation.ts';
import { needs } from '../../support/here.ts';
import { chunker, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer } from '../../support/server.ts';
import { jsonOf } from '../../support/service.ts';
import { LINES, linesIn } from '../../support/streams.ts';

/** How an evaluation searches and what it concludes, over real HTTP. */

const pluginsDir = [
  await pluginsFolder(
    t,
    LETTERS,
    chunker('broken', "throw new Error('a secret');"),
    chunker('whole', "return [{ start: 0, end: text.length, context: 'fail' }];"),
  ),
];
const client = await startServer(t, { databaseUrl: '', pluginsDir });
const post = (request: object, headers?: Record<string, string>) =>
  client.post('/v1/evaluate', request, headers);

const sized = (chunk_size: number, more: object = {}) => ({
  chunker: 'token',
  config: { tokenizer: 'character', chunk_size },
  ...more,
});

/** Sentences in one document each, and questions about them: the question, and the index of the document. */
function about(texts: readonly string[], asked: readonly (readonly [string, number])[], more: object) {
  const questions = asked.map(([question, document]) => ({
    question,
    answers: [{ document, start_index: 0, end_index: texts[document]?.length ?? 0 }],
  }));
  return { documents: texts.map((text) => ({ text })), questions, embedding_model: 'letters', ...more };
}

/** Whose letters are those of the question, and which has its word. */
const LOOK = ['tae dna klim', 'a cup of tea and some more words', 'zzz', 'qqq'];
const ASKED = [['tea and milk', 1]] as const;
const documentsOf = ({ questions }: EvaluatedCandidate) =>
  questions[0]?.found.map(({ document }) => document);

t.test('a retriever is that of the request, unless a candidate has its own', async (t) => {
  const candidates = [sized(50), ...['dense', 'bm25', 'hybrid'].map((retriever) => sized(50, { retriever }))];
  for (const [retriever, expected] of [
    [undefined, 'dense'],
    ['bm25', 'bm25'],
    ['hybrid', 'hybrid'],
  ] as const) {
    const { candidates: found } = await evaluate(client, about(LOOK, ASKED, { retriever, candidates }));
    t.same(
      found.map((one) => one.retriever),
      [expected, 'dense', 'bm25', 'hybrid'],
    );
    const [first, dense, bm25, hybrid] = found as [EvaluatedCandidate, ...EvaluatedCandidate[]];
    t.same(
      documentsOf(first),
      documentsOf(found.slice(1).find((one) => one.retriever === expected) ?? first),
    );
    t.same(documentsOf(dense as EvaluatedCandidate)?.slice(0, 2), [0, 1], 'by letters');
    t.same(documentsOf(bm25 as EvaluatedCandidate), [1], 'by words');
    t.same(documentsOf(hybrid as EvaluatedCandidate)?.[0], 1);
    t.match(hybrid?.questions[0]?.found[0], { score: 0.833333 }, '1 / (1 + 1) and 1 / (1 + 2)');
    t.equal(found.filter(({ same_as }) => same_as !== undefined).length, 1);
  }
  checkProblem(
    t,
    await post(about(LOOK, ASKED, { retriever: 'words', candidates })),
    400,
    /^retriever: expected/,
  );
  const wrong = about(LOOK, ASKED, { candidates: [sized(5, { retriever: 'words' })] });
  checkProblem(
    t,
    await post(wrong),
    400,
    /candidates\[0\]\.retriever: expected one of "dense", "bm25", "hybrid"/,
  );
});

t.test('candidates of one name are told apart by their settings, unless they have names', async (t) => {
  const named = async (...candidates: object[]) =>
    (await evaluate(client, about(LOOK, ASKED, { candidates }))).candidates.map(({ name }) => name);
  t.same(await named(sized(5)), ['token']);
  t.same(await named(sized(5), sized(5), { chunker: 'whole' }), ['token', 'token', 'whole']);
  t.same(await named(sized(5), sized(5, { retriever: 'bm25' }), sized(5)), [
    'token (dense)',
    'token (bm25)',
    'token (dense)',
  ]);
  t.same(await named(sized(5), sized(7, { retriever: 'bm25' })), [
    'token (chunk_size 5, dense)',
    'token (chunk_size 7, bm25)',
  ]);
  t.same(await named(sized(5, { name: 'mine' }), sized(7, { name: 'mine' }), sized(9)), [
    'mine',
    'mine',
    'token',
  ]);
  t.same(await named(sized(5, { name: 'token' }), sized(7)), ['token', 'token (chunk_size 7)']);
  const step = (chunk_size: number) => ({ type: 'chunk', chunker: 'token', config: { chunk_size } });
  t.same(await named({ steps: [step(9), step(3)] }, { steps: [step(9), step(4)] }), [
    'token + token (token[1].chunk_size 3)',
    'token + token (token[1].chunk_size 4)',
  ]);
  const { verdict } = await evaluate(
    client,
    about(LOOK, ASKED, { candidates: [sized(50), sized(50, { retriever: 'bm25' })], k: 1 }),
  );
  t.match(verdict?.summary, /^Not decided: token \(bm25\) is ahead of token \(dense\) by 100\.0 points/);
});

const TOKENS = needs('tokenizer/tiktoken');

t.test('a budget of tokens is counted by one tokenizer for all candidates', TOKENS, async (t) => {
  const text = 'tea and milk for two people at noon '.repeat(5);
  const request = {
    ...requestAbout(text, { tea: 'milk' }, [sized(12), sized(20, { retriever: 'bm25' })]),
    budget: 9,
  };
  const byDefault = await evaluate(client, request);
  t.match(byDefault, { budget: 9, tokenizer: 'cl100k_base' });
  t.notOk('k' in byDefault);
  const byCharacter = await evaluate(client, { ...request, budget: 30, tokenizer: 'character' });
  t.match(byCharacter, { budget: 30, tokenizer: 'character' });
  for (const [{ candidates }, budget] of [
    [byDefault, 9],
    [byCharacter, 30],
  ] as const)
    for (const { tokens_per_question, questions } of candidates) {
      const [{ tokens, found } = { tokens: Number.NaN, found: [] }] = questions;
      t.ok(tokens <= budget && found.length > 0);
      t.equal(
        found.reduce((sum, { token_count }) => sum + token_count, 0),
        tokens,
      );
      t.equal(tokens_per_question, tokens);
    }
  const [found] = byDefault.candidates[0]?.questions[0]?.found ?? [];
  const piece = text.slice(found?.start_index, found?.end_index);
  const counted = await client.post('/v1/tokenize', { text: piece, tokenizer: 'cl100k_base' });
  t.match(counted.json(), { results: [{ count: found?.token_count }] });
  const own = await evaluate(client, { ...requestAbout(text, { tea: 'milk' }, [sized(12)]), k: 1 });
  t.equal(own.candidates[0]?.questions[0]?.tokens, 12, "by k, the candidate's own tokenizer counts");
  t.notOk('tokenizer' in own);
});

t.test('k and budget have bounds, and exclude each other', TOKENS, async (t) => {
  const request = requestAbout('one two', { one: 'two' }, [sized(3)]);
  for (const [more, problem] of [
    [{ k: 5, budget: 10 }, /^k, budget: give one of them/],
    [{ budget: 0 }, /^budget: expected an integer from 1 to 100000, got 0/],
    [{ budget: 100_001 }, /^budget: expected an integer from 1 to 100000, got 100001/],
    [{ k: 101 }, /^k: expected an integer from 1 to 100, got 101/],
    [{ seed: -1 }, /^seed: expected an integer from 0 to 4294967295/],
    [{ seed: 2 ** 32 }, /^seed: expected/],
    [{ budget: 5, tokenizer: 'nothing' }, /there is no tokenizer "nothing"/],
  ] as const)
    checkProblem(t, await post({ ...request, ...more }), 400, problem);
  for (const more of [{ budget: 1 }, { budget: 100_000 }, { k: 100 }, { seed: 2 ** 32 - 1 }])
    t.equal((await post({ ...request, ...more })).status, 200);
});

const WORDS = ['tea', 'milk', 'noon', 'cup', 'people', 'sugar', 'leaf', 'water', 'pot', 'steam'];
const TEXTS = WORDS.map((word, at) => `${word} is number ${at}`);

t.test('the same request has the same bytes, and another seed other intervals', async (t) => {
  const asked = WORDS.map((word, at) => [at % 3 === 0 ? (WORDS[(at + 1) % 10] ?? '') : word, at] as const);
  const request = about(TEXTS, asked, { retriever: 'bm25', candidates: [sized(9), sized(4)], k: 1 });
  const [first, again, other] = await Promise.all(
    [request, request, { ...request, seed: 1 }].map((one) => post(one)),
  );
  t.equal(first?.status, 200);
  t.ok(first?.bytes.equals(again?.bytes ?? Buffer.of()));
  const [before, after] = [first, other].map(
    (one) => one?.json<Evaluation>().candidates[0],
  ) as EvaluatedCandidate[];
  t.equal(before?.recall, after?.recall);
  t.notSame(before?.interval, after?.interval);
});

t.test('bm25 needs no embedding model: none is installed, or none is opened', async (t) => {
  const plain = await startServer(t, { databaseUrl: '', plugins: ['chunker/token', 'tokenizer/character'] });
  const { embedding_model: _, ...request } = about(LOOK, ASKED, {
    candidates: [sized(50)],
    retriever: 'bm25',
  });
  t.match(await evaluate(plain, request), {
    embedding_model: null,
    candidates: [{ recall: 1, retriever: 'bm25' }],
  });
  const dense = { ...request, candidates: [sized(50), sized(50, { retriever: 'hybrid' })] };
  const refused = await plain.post('/v1/evaluate', dense);
  checkProblem(t, refused, 400, /^embedding_model: missing; only the retriever "bm25" needs none/);
  const unknown = { ...request, embedding_model: 'no such' };
  t.equal((await evaluate(client, unknown)).embedding_model, null);
  const answer = await post(unknown);
  t.equal(answer.headers.get('x-embedding-model'), null);
});

t.test('a verdict leaves out candidates that failed or do the same as others', async (t) => {
  const good = sized(50, { retriever: 'bm25' });
  const asked = Array.from({ length: 8 }, () => ASKED[0]);
  const candidates = [{ chunker: 'broken' }, good, good, sized(3), { chunker: 'broken', retriever: 'bm25' }];
  const { verdict } = await evaluate(client, about(LOOK, asked, { candidates, k: 1 }));
  t.match(verdict, { best: 1, winner: 1, questions: 8, differences: [{ candidate: 3, decided: true }] });
  t.equal(verdict?.differences.length, 1);
  t.match(
    verdict?.summary,
    /^Decided: token \(chunk_size 50, bm25\) is ahead of token \(chunk_size 3, dense\) by/,
  );
  const alone = await evaluate(
    client,
    about(LOOK, asked, { candidates: [good, good, { chunker: 'broken' }] }),
  );
  t.match(alone.verdict, { best: 0, winner: null, differences: [], summary: /^There is nothing to compare/ });
  const none = await evaluate(client, about(LOOK, asked, { candidates: [{ chunker: 'broken' }] }));
  t.equal(none.verdict, null);
});

t.test('a model that fails on chunks leaves bm25 its candidate, over the same chunks', async (t) => {
  const candidates = ['dense', 'bm25', 'hybrid'].map((retriever) => ({ chunker: 'whole', retriever }));
  const request = about(LOOK, ASKED, { candidates, embed: 'context+text' });
  const { candidates: found, verdict } = await evaluate(client, request);
  t.match(found, [{ error: { status: 500 } }, { recall: 1, chunks: 4 }, { error: { status: 500 } }]);
  t.match(verdict, { best: 1, differences: [] });
});

const AMOUNTS = /They find different amounts of text; compare them within a budget\.$/;

t.test(
  'the verdict cautions against unequal amounts of text, and against budgets of few chunks',
  async (t) => {
    const text = 'tea and milk for two people at noon '.repeat(20);
    const said = async (more: object, ...candidates: object[]) => {
      const request = { ...requestAbout(text, { tea: 'milk' }, candidates), tokenizer: 'character', ...more };
      return (await evaluate(client, request)).verdict?.summary ?? '';
    };
    t.match(await said({ k: 2 }, sized(20), sized(25)), AMOUNTS);
    t.notMatch(await said({ k: 2 }, sized(20), sized(24)), AMOUNTS);
    t.notMatch(await said({ budget: 100 }, sized(5), sized(25)), AMOUNTS);
    t.match(
      await said({ budget: 99 }, sized(5), sized(25)),
      /The largest chunk has 25 tokens: a budget of fewer than 100 also measures how well chunks fill it\.$/,
    );
    t.notMatch(await said({ budget: 100 }, sized(5), sized(25)), /fewer than/);
  },
);

t.test('in lines, the verdict is last and the rest as in one object', async (t) => {
  const candidates = [{ chunker: 'broken' }, sized(9), sized(4), sized(9)];
  const request = about(TEXTS, [['tea', 0]], { retriever: 'bm25', candidates, k: 1 });
  const whole = await evaluate(client, request);
  const answer = await post(request, { accept: LINES });
  const lines = linesIn<object>(answer.bytes);
  t.same(lines, [...whole.candidates, { verdict: whole.verdict }]);
  t.same(Object.keys(lines.at(-1) ?? {}), ['verdict']);
});

/** For each language, texts that share characters or words, and questions by the index of the text. */
const SCRIPTS: Readonly<Record<string, readonly (readonly [text: string, question: string])[]>> = {
  zh: [
    ['泡绿茶的水温度要低一些，否则会变苦。', '绿茶水温'],
    ['红茶需要用沸水冲泡三分钟。', '红茶沸水'],
    ['咖啡豆应该保存在干燥的地方。', '保存咖啡豆'],
  ],
  ja: [
    ['緑茶は低い温度のお湯で淹れると甘くなります。', '緑茶の温度'],
    ['あたたかいほうじちゃをいれるこつ。', 'ほうじちゃ'],
    ['牛乳は紅茶のあとに入れます。', '紅茶と牛乳'],
  ],
  ko: [
    ['녹차는낮은온도의물로우려야달콤합니다.', '녹차 온도'],
    ['커피콩은 건조한 곳에 보관하세요.', '커피콩을 보관'],
    ['홍차에는 우유를 나중에 넣습니다.', '홍차와 우유'],
  ],
  th: [
    ['ชาเขียวควรชงด้วยน้ำที่ไม่ร้อนเกินไป', 'ชาเขียว'],
    ['เมล็ดกาแฟควรเก็บในที่แห้ง', 'เก็บกาแฟ'],
    ['ใส่นมหลังจากชงชาดำแล้ว', 'ชาดำใส่นม'],
  ],
  ar: [
    ['يُحضَّر الشاي الأخضر بماء أقل حرارة.', 'الشاي الأخضر'],
    ['تُحفظ حبوب القهوة في مكان جاف.', 'حبوب القهوة'],
    ['يضاف الحليب إلى الشاي الأسود.', 'الحليب الأسود'],
  ],
  he: [
    ['תה ירוק מכינים במים פחות חמים.', 'תה ירוק'],
    ['פולי קפה שומרים במקום יבש.', 'פולי קפה'],
    ['חלב מוסיפים אחרי תה שחור.', 'חלב שחור'],
  ],
  hi: [
    ['हरी चाय कम गर्म पानी से बनती है।', 'गर्म हरी चाय'],
    ['दाल उबलते पानी में पकती है।', 'दाल'],
    ['दिल के लिए हरी चाय अच्छी है।', 'दिल'],
  ],
};

for (const [language, pairs] of Object.entries(SCRIPTS))
  t.test(`bm25 finds the text of a question in ${language}`, async (t) => {
    const texts = pairs.map(([text]) => text);
    const asked = pairs.map(([, question], at) => [question, at] as const);
    const request = about(texts, asked, { retriever: 'bm25', candidates: [sized(500)], k: 1 });
    const [found] = (await evaluate(client, request)).candidates;
    t.same(
      found?.questions.map((question) => question.found[0]?.document),
      [0, 1, 2],
    );
  });

const PRESETS = needs(
  ...(['chunker/auto', 'chunker/markdown', 'chunker/recursive', 'refinery/context'] as const),
  ...(['refinery/embeddings', 'embedding/static', 'tokenizer/tiktoken'] as const),
);

t.test('presets are candidates, changed by overrides that are in their names', PRESETS, async (t) => {
  const override = { embeddings: null };
  const smaller = { ...override, auto: { chunk_size: 8 } };
  const candidates = [
    { preset: 'docs', override },
    { preset: 'docs', override: smaller },
    { preset: 'docs', override, retriever: 'dense', name: 'mine' },
    { preset: 'prose', override },
  ];
  const text = `# Tea\n\n${TEXTS.join('. ')}.\n`;
  const request = { ...requestAbout(text, { milk: 'milk is number 1' }, candidates), retriever: 'bm25' };
  const { candidates: found } = jsonOf<Evaluation>(
    await post({ ...request, embed: 'context+text', budget: 50 }),
  );
  t.match(found, [
    { name: 'docs (auto.chunk_size 256)', chunks: 1 },
    { name: 'docs (auto.chunk_size 8)', retriever: 'bm25' },
    { name: 'mine', retriever: 'dense', chunks: 1 },
    { name: 'prose' },
  ]);
  t.ok((found[1]?.chunks ?? 0) > 3);
  const wrong = await post({ ...request, candidates: [{ preset: 'docs', override: { auto: { size: 1 } } }] });
  checkProblem(t, wrong, 400, /^candidates\[0\]\.override\.auto\.size: unknown parameter/);
});

t.test('what is too much to search is said with what to change', async (t) => {
  const limited = await startServer(t, { databaseUrl: '', pluginsDir, maxEvaluationCharacters: 20 });
  const over = (text: string, ...candidates: object[]) =>
    limited.post('/v1/evaluate', requestAbout(text, { ab: 'ab' }, candidates));
  checkProblem(
    t,
    await over('ab and so', sized(2), sized(3), sized(4), sized(4, { retriever: 'bm25' })),
    400,
    [
      /^documents: 29 characters to search \(9 for each of 3 different ways to chunk, and the questions\)/,
      /over the limit of 20; send fewer documents or at most 2 ways to chunk/,
    ],
  );
  const long = await over('ab and more than twenty', sized(2));
  checkProblem(t, long, 400, /; send fewer documents or questions\.$/);
  t.equal((await over('ab and so', sized(2), sized(3))).status, 200);
});
