import t from 'tap';
import { evaluate, LETTERS, requestAbout } from '../../support/evaluation.ts';
import { chunker, FIXTURES, pluginsFolder } from '../../support/plugins.ts';
import { checkProblem } from '../../support/problems.ts';
import { startServer } from '../../support/server.ts';

/** What requests to evaluate may say, and what becomes of a candidate that fails. */

const folder = await pluginsFolder(
  t,
  LETTERS,
  chunker('broken', "throw new Error('a secret');"),
  chunker('failing', "return [{ start: 0, end: text.length, context: 'fail' }];"),
);
const client = await startServer(t, { pluginsDir: [folder, FIXTURES] });

const GOOD = requestAbout('one two', { one: 'two' }, [{ chunker: 'token' }]);
const [QUESTION] = GOOD.questions;
const answered = (...answers: object[]) => ({ ...GOOD, questions: [{ question: 'one', answers }] });
const compared = (...candidates: object[]) => ({ ...GOOD, candidates });
const answer = { document: 0, start_index: 0, end_index: 1 };

t.test('what is wrong with a request is said with its place', async (t) => {
  for (const [request, problem] of [
    [{}, /documents: missing.*questions: missing.*candidates: missing/],
    [{ ...GOOD, quetions: [] }, /quetions: unknown parameter, did you mean "questions"\?/],
    [{ ...GOOD, k: 0 }, /^k: expected an integer from 1 to 100, got 0/],
    [{ ...GOOD, embed: 'all' }, /^embed: expected one of "text", "context\+text"/],
    [{ ...GOOD, embedding_model: 'no such' }, /^embedding_model: there is no model "no such"/],
    [
      {
        ...GOOD,
        documents: [
          { text: 'a', id: 'x' },
          { text: 'b', id: 'x' },
        ],
      },
      /^documents\[1\]\.id: documents\[0\]/,
    ],
    [{ ...GOOD, documents: [{ txt: 'a' }] }, /documents\[0\]\.text: missing/],
    [{ ...GOOD, questions: [] }, /^questions: expected at least one/],
    [{ ...GOOD, questions: [{ question: 'one' }] }, /^questions\[0\]\.answers: missing/],
    [answered(), /^questions\[0\]\.answers: expected at least one answer/],
    [
      answered({ ...answer, document: 1 }),
      /^questions\[0\]\.answers\[0\]\.document: expected the place of.*got 1/,
    ],
    [answered(answer, { ...answer, document: 'x' }), /^questions\[0\]\.answers\[1\]\.document: .*got "x"/],
    [answered({ ...answer, end_index: 0 }), /end_index: expected more than start_index \(0\), got 0/],
    [
      answered({ ...answer, end_index: 8 }),
      /answers\[0\]\.end_index: expected the offset .* code_point, got 8/,
    ],
    [compared(), /^candidates: expected 1 to 16, got 0/],
    [compared(...Array(17).fill({ chunker: 'token' })), /^candidates: expected 1 to 16, got 17/],
    [compared({ name: 'none' }), /^candidates\[0\]: expected one of chunker, pipeline and steps/],
    [compared({ chunker: 'token', steps: [] }), /^candidates\[0\]: expected one of/],
    [compared({ steps: [], config: {} }), /^candidates\[0\]\.config: expected a chunker/],
    [
      compared({ chunker: 'tokn' }),
      /^candidates\[0\]\.chunker: there is no chunker "tokn".*did you mean "token"/,
    ],
    [
      compared({ chunker: 'token', config: { chunk_size: 0 } }),
      /^candidates\[0\]\.config\.chunk_size: expected/,
    ],
    [compared({ steps: [] }), /^candidates\[0\]\.steps: expected 1 to 100 steps, got 0/],
    [
      compared({ steps: [{ type: 'cut' }] }),
      /^candidates\[0\]\.steps\[0\]\.type: expected one of "chunk", "refine"/,
    ],
    [
      compared({ steps: [{ type: 'refine', refinery: 'shout' }] }),
      /^candidates\[0\]\.steps\[0\]: a refine step needs/,
    ],
    [
      compared({ steps: [{ type: 'chunk', chunker: 'token', config: { size: 1 } }] }),
      /^candidates\[0\]\.steps\[0\]\.config\.size: unknown parameter/,
    ],
    [
      compared({ pipeline: 'none' }),
      /^candidates\[0\]\.pipeline: there is no pipeline "none"; GET \/v1\/pipelines/,
    ],
    [compared({ pipeline: 'a\0' }), /^candidates\[0\]\.pipeline: there is no pipeline "a\\u0000"/],
  ] as const) {
    checkProblem(t, await client.post('/v1/evaluate', request), 400, problem);
  }
  for (const body of ['{', '{"candidates": [{"pipeline"'])
    checkProblem(t, await client.post('/v1/evaluate', body), 400, /^The body is not valid JSON/);
});

t.test('an offset inside a character is none', async (t) => {
  const request = {
    ...answered({ document: 0, start_index: 1, end_index: 5 }),
    documents: [{ text: '😀b' }],
  };
  const inBytes = await client.post('/v1/evaluate', { ...request, offset_unit: 'byte' });
  checkProblem(
    t,
    inBytes,
    400,
    /start_index: expected .* byte, got 1, which is beyond the text or inside one/,
  );
});

for (const workers of [0, 1]) {
  t.test(`${workers} workers: stored pipelines are candidates, by their names and their ids`, async (t) => {
    const client = await startServer(t, { workers, pluginsDir: [folder, FIXTURES] });
    const steps = [{ type: 'chunk', chunker: 'token', config: { chunk_size: 4 } }];
    const { id } = (await client.post('/v1/pipelines', { name: 'é 1', steps })).json<{ id: string }>();
    const request = compared({ pipeline: 'é 1' }, { pipeline: id, name: 'mine' }, { steps });
    const { candidates } = await evaluate(client, request);
    t.match(candidates, [
      { name: 'é 1', chunks: 2 },
      { name: 'mine', same_as: 0 },
      { name: 'token', same_as: 0 },
    ]);
    const escaped = JSON.stringify(request).replaceAll('pipeline', '\\u0070ipeline');
    t.same((await client.post('/v1/evaluate', escaped)).json(), {
      embedding_model: 'letters',
      k: 5,
      candidates,
    });
  });
}

t.test('a stored pipeline that cannot run is refused with its step', async (t) => {
  const steps = [{ type: 'chunk', chunker: 'gone' }];
  await client.post('/v1/pipelines', { name: 'gone', steps, allow_missing: true });
  await client.post('/v1/pipelines', { name: 'empty', steps: [] });
  const post = (pipeline: string) => client.post('/v1/evaluate', compared({ pipeline }));
  checkProblem(
    t,
    await post('gone'),
    400,
    /^candidates\[0\]\.pipeline\.steps\[0\]\.chunker: there is no chunker "gone"/,
  );
  checkProblem(
    t,
    await post('empty'),
    400,
    /^candidates\[0\]\.pipeline\.steps: expected 1 to 100 steps, got 0/,
  );
});

t.test('a candidate that fails fails alone, and is counted', async (t) => {
  const request = compared(
    { chunker: 'broken' },
    { chunker: 'token' },
    { chunker: 'broken' },
    { chunker: 'failing' },
    { chunker: 'token', config: { tokenizer: 'nothing' } },
  );
  const { candidates } = await evaluate(client, { ...request, embed: 'context+text' });
  t.match(candidates, [
    { index: 0, name: 'broken', error: { status: 500, detail: /^The chunker "broken" failed/ } },
    { index: 1, recall: 1 },
    { index: 2, same_as: 0, error: { status: 500 } },
    { index: 3, error: { status: 500, detail: /^The embedding "letters" failed/ } },
    { index: 4, error: { status: 400, detail: /there is no tokenizer "nothing"/ } },
  ]);
  t.notMatch(JSON.stringify(candidates), /a secret/);
  const metrics = (await client.get('/metrics')).bytes.toString();
  t.match(metrics, /plugin_failures_total\{kind="chunker",name="broken",error="plugin_failed"\} 1\n/);
  t.match(metrics, /plugin_failures_total\{kind="embedding",name="letters",error="plugin_failed"\} 1\n/);
});

t.test('what the model fails on in a question fails the request', async (t) => {
  const request = { ...GOOD, questions: [{ ...QUESTION, question: 'fail' }] };
  checkProblem(t, await client.post('/v1/evaluate', request), 500, /^The embedding "letters" failed/);
});

t.test('the bounds of a request hold, and can be raised', async (t) => {
  const limits = {
    maxEvaluationCharacters: 20,
    maxDocuments: 2,
    maxChunks: 3,
    maxSteps: 1,
    maxAnswerBytes: 2000,
  };
  const limited = await startServer(t, { ...limits, pluginsDir: [folder] });
  const post = (request: object) => limited.post('/v1/evaluate', request);
  const sized = (chunk_size: number) => ({ chunker: 'token', config: { chunk_size } });
  const twice = compared(sized(4), sized(5), sized(4));
  t.equal((await post(twice)).status, 200, '7 characters twice and 3 of the question are 17');
  checkProblem(t, await post(compared(sized(4), sized(5), sized(6))), 400, [
    /^documents: 24 characters to embed for 3 different candidates, over the limit of 20/,
    /--max-evaluation-characters/,
  ]);
  checkProblem(
    t,
    await post({ ...GOOD, questions: [QUESTION, QUESTION, QUESTION] }),
    400,
    /^questions: 3 questions/,
  );
  const many = { documents: [{ text: 'a' }, { text: 'a' }, { text: 'a' }] };
  checkProblem(t, await post({ ...GOOD, ...many }), 400, /^documents: 3 documents, over the limit of 2/);
  const step = { type: 'chunk', chunker: 'token' };
  checkProblem(t, await post(compared({ steps: [step, step] })), 400, /steps: expected 1 to 1 steps, got 2/);
  const [small] = (await post(compared(sized(1)))).json<{ candidates: { error: object }[] }>().candidates;
  t.match(small, { error: { status: 400, detail: /^chunks: 7 chunks, over the limit of 3.*--max-chunks/ } });
  checkProblem(t, await post(compared(...Array(16).fill(sized(4)))), 400, /^The answer would take/);
});

t.test('its work is in the metrics', async (t) => {
  await evaluate(client, GOOD);
  const metrics = (await client.get('/metrics')).bytes.toString();
  t.match(metrics, /chunksmith_documents_total\{plugin="evaluate"\} [1-9]/);
  for (const stage of ['chunk', 'embed', 'search', 'serialise'])
    t.match(metrics, new RegExp(`stage_seconds_count\\{stage="${stage}",by="[^"]+"\\} [1-9]`), stage);
});
