import t from 'tap';
import type { Task } from '../../../../server/engine/tasks.ts';
import { type Evaluation, evaluate, LETTERS, requestAbout } from '../../../support/evaluation.ts';
import { chunker, FIXTURES, pluginsFolder } from '../../../support/plugins.ts';
import { checkProblem } from '../../../support/problems.ts';
import { type GivenStep, openService, runTask, storedStep } from '../../../support/service.ts';
import { linesIn } from '../../../support/streams.ts';

/** What requests to evaluate may say, and what becomes of a candidate that fails. */

const folder = await pluginsFolder(
  t,
  LETTERS,
  chunker('broken', "throw new Error('a secret');"),
  chunker('failing', "return [{ start: 0, end: text.length, context: 'fail' }];"),
);
const client = await openService(t, { pluginsDir: [folder, FIXTURES] });

const GOOD = requestAbout('one two', { one: 'two' }, [{ chunker: 'token' }]);
const [QUESTION] = GOOD.questions;
const answered = (...answers: object[]) => ({ ...GOOD, questions: [{ question: 'one', answers }] });
const compared = (...candidates: object[]) => ({ ...GOOD, candidates });
const answer = { document: 0, start_index: 0, end_index: 1 };

const chunkSteps = (...steps: object[]) => compared({ steps });
const emoji = { ...answered({ document: 0, start_index: 1, end_index: 5 }), documents: [{ text: '😀b' }] };

t.test('what is wrong with a request is said with its place', async (t) => {
  for (const [request, problem] of [
    [{}, /documents: missing.*questions: missing.*candidates: missing/],
    [{ ...GOOD, quetions: [] }, /quetions: unknown parameter, did you mean "questions"\?/],
    [{ ...GOOD, k: 0 }, /^k: expected an integer from 1 to 100, got 0/],
    [{ ...GOOD, embed: 'all' }, /^embed: expected one of "text", "context\+text"/],
    [{ ...GOOD, embedding_model: 'no such' }, /^embedding_model: there is no model "no such"/],
    [{ ...GOOD, documents: Array(2).fill({ text: 'a', id: 'x' }) }, /^documents\[1\]\.id: documents\[0\]/],
    [{ ...GOOD, documents: [{ txt: 'a' }] }, /documents\[0\]\.text: missing/],
    [{ ...GOOD, questions: [] }, /^questions: expected at least one/],
    [{ ...GOOD, questions: [{ question: 'one' }] }, /^questions\[0\]\.answers: missing/],
    [answered(), /^questions\[0\]\.answers: expected at least one answer/],
    [answered({ ...answer, document: 1 }), /answers\[0\]\.document: expected the index of.*got 1/],
    [answered(answer, { ...answer, document: 'x' }), /^questions\[0\]\.answers\[1\]\.document: .*got "x"/],
    [answered({ ...answer, end_index: 0 }), /end_index: expected more than start_index \(0\), got 0/],
    [answered({ ...answer, end_index: 8 }), /\.end_index: expected the offset .* code_point, got 8/],
    [
      { ...emoji, offset_unit: 'byte' },
      /start_index: .* byte, got 1, .* beyond the text or inside a character/,
    ],
    [compared(), /^candidates: expected 1 to 16, got 0/],
    [compared(...Array(17).fill({ chunker: 'token' })), /^candidates: expected 1 to 16, got 17/],
    [compared({ name: 'none' }), /^candidates\[0\]: expected one of chunker, pipeline, steps and preset/],
    [compared({ chunker: 'token', steps: [] }), /^candidates\[0\]: expected one of/],
    [compared({ steps: [], config: {} }), /^candidates\[0\]\.config: allowed only with chunker/],
    [compared({ chunker: 'tokn' }), /^candidates\[0\]\.chunker: .* "tokn".*did you mean "token"/],
    [compared({ chunker: 'token', config: { chunk_size: 0 } }), /\[0\]\.config\.chunk_size: expected/],
    [chunkSteps(), /^candidates\[0\]\.steps: expected 1 to 100 steps, got 0/],
    [chunkSteps({ type: 'cut' }), /steps\[0\]\.type: expected one of "chunk", "refine"/],
    [chunkSteps({ type: 'refine', refinery: 'shout' }), /\.steps\[0\]: a refine step needs/],
    [chunkSteps({ type: 'chunk', chunker: 'token', config: { size: 1 } }), /\.config\.size: unknown/],
    [compared({ pipeline: 'none' }), /\.pipeline: unknown pipeline "none"; GET \/v1\/pipelines/],
    [compared({ pipeline: 'a\0' }), /^candidates\[0\]\.pipeline: unknown pipeline "a\\u0000"/],
    ['{', /^The body is not valid JSON/],
    ['{"candidates": [{"pipeline"', /^The body is not valid JSON/],
  ] as const) {
    checkProblem(t, await client.post('/v1/evaluate', request), 400, problem);
  }
});

/** A task whose request may name a stored pipeline. */
const withStored = (name: string, ...steps: GivenStep[]): Task => ({
  run: 'evaluate',
  pipelines: new Map([[name, { name, steps: steps.map(storedStep) }]]),
});

t.test('stored pipelines are candidates, by the names and ids that the request gives', async (t) => {
  const step: GivenStep = { type: 'chunk', chunker: 'token', config: { chunk_size: 4 } };
  const request = compared({ pipeline: 'é 1' }, { pipeline: 'é 1', name: 'mine' }, { steps: [step] });
  const escaped = JSON.stringify(request).replaceAll('pipeline', '\\u0070ipeline');
  const others = '{"candidates": [{"pipeline": "b"}, {"pipeline": "a"}, {"pipeline": 5}]}';
  const namesIn = async (body: object | string) => {
    const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    return (await runTask(client.service, { run: 'evaluate' }, bytes)).unknownPipelines;
  };
  t.same(await namesIn(others), ['b', 'a']);
  for (const body of [request, escaped]) {
    t.same(await namesIn(body), ['é 1']);
    t.match((await client.post(withStored('é 1', step), body)).json<Evaluation>().candidates, [
      { name: 'é 1', chunks: 2 },
      { name: 'mine', same_as: 0 },
      { name: 'token', same_as: 0 },
    ]);
  }
});

t.test('a stored pipeline that cannot run is refused with its step', async (t) => {
  const stored = withStored('gone', { type: 'chunk', chunker: 'gone' });
  const gone = await client.post(stored, compared({ pipeline: 'gone' }));
  checkProblem(t, gone, 400, /^candidates\[0\]\.pipeline\.steps\[0\]\.chunker: there is no chunker "gone"/);
  const empty = await client.post(withStored('empty'), compared({ pipeline: 'empty' }));
  checkProblem(t, empty, 400, /^candidates\[0\]\.pipeline\.steps: expected 1 to 100 steps, got 0/);
});

t.test('a candidate that fails fails alone, and is counted', async (t) => {
  const names = ['broken', 'token', 'broken', 'failing'].map((chunker) => ({ chunker }));
  const unknown = { chunker: 'token', config: { tokenizer: 'nothing' } };
  const request = { ...compared(...names, unknown), embed: 'context+text' };
  const { candidates } = await evaluate(client, request);
  t.match(candidates, [
    { index: 0, name: 'broken', error: { status: 500, detail: /^The chunker "broken" failed/ } },
    { index: 1, recall: 1 },
    { index: 2, same_as: 0, error: { status: 500 } },
    { index: 3, error: { status: 500, detail: /^The embedding "letters" failed/ } },
    { index: 4, error: { status: 400, detail: /there is no tokenizer "nothing"/ } },
  ]);
  t.notMatch(JSON.stringify(candidates), /a secret/);
  const { failures } = await runTask(client.service, withStored('none'), request);
  t.match(failures, [
    { code: 'plugin_failed', values: { kind: 'chunker', name: 'broken' } },
    { code: 'plugin_failed', values: { kind: 'embedding', name: 'letters' } },
    { code: 'unknown_tokenizer' },
  ]);
});

t.test('what the model fails on in a question fails the request', async (t) => {
  const request = { ...GOOD, questions: [{ ...QUESTION, question: 'fail' }] };
  checkProblem(t, await client.post('/v1/evaluate', request), 500, /^The embedding "letters" failed/);
});

t.test('the bounds of a request hold, and can be raised', async (t) => {
  const sizes = { maxEvaluationCharacters: 20, maxAnswerBytes: 2000 };
  const counts = { maxDocuments: 2, maxChunks: 3 };
  const limited = await openService(t, { ...sizes, ...counts, pluginsDir: [folder] });
  const post = (request: object) => limited.post('/v1/evaluate', request);
  const sized = (chunk_size: number) => ({ chunker: 'token', config: { chunk_size } });
  const twice = compared(sized(4), sized(5), sized(4));
  t.equal((await post(twice)).status, 200, '7 characters twice and 3 of the question are 17');
  checkProblem(t, await post(compared(sized(4), sized(5), sized(6))), 400, [
    /^documents: 24 characters to search \(7 for each of 3 different ways to chunk, and the questions\), over the limit of 20; send fewer documents or at most 2 ways to chunk/,
  ]);
  const asked = await post({ ...GOOD, questions: [QUESTION, QUESTION, QUESTION] });
  checkProblem(t, asked, 400, /^questions: 3 questions/);
  const many = { documents: [{ text: 'a' }, { text: 'a' }, { text: 'a' }] };
  checkProblem(t, await post({ ...GOOD, ...many }), 400, /^documents: 3 documents, over the limit of 2/);
  const step = { type: 'chunk', chunker: 'token' };
  checkProblem(
    t,
    await post(compared({ steps: Array(101).fill(step) })),
    400,
    /steps: expected 1 to 100 steps, got 101/,
  );
  const [small] = (await post(compared(sized(1)))).json<{ candidates: { error: object }[] }>().candidates;
  t.match(small, { error: { status: 400, detail: /^chunks: 7 chunks, over the limit of 3.*--max-chunks/ } });
  checkProblem(t, await post(compared(...Array(16).fill(sized(4)))), 400, /^The answer would take/);
});

t.test('lines that are too long together end it with an error', async (t) => {
  const { service } = await openService(t, { pluginsDir: [folder], maxAnswerBytes: 800 });
  const lines: object[] = [];
  const request = compared(...Array(4).fill({ chunker: 'token' }));
  const execution = service.read(withStored('none'), Buffer.from(JSON.stringify(request)));
  const onPart = (bytes: Uint8Array) => lines.push(...linesIn<object>(bytes));
  await t.rejects(service.run(execution, AbortSignal.any([]), onPart), { code: 'answer_too_large' });
  t.ok(lines.length > 0 && lines.length < 4);
});
