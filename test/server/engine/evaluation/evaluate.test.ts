import t from 'tap';
import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import {
  countedScores,
  type EvaluatedCandidate,
  evaluate,
  type Found,
  LETTERS,
  requestAbout,
  type Stretch,
} from '../../../support/evaluation.ts';
import { chunker, FIXTURES, pluginsFolder, WHOLE_TEXT } from '../../../support/plugins.ts';
import { openService } from '../../../support/service.ts';
import { lengthIn, TEXTS } from '../documents.ts';

/** What an evaluation answers. */

const COUNTS_CALLS = `globalThis.evaluatedTexts = (globalThis.evaluatedTexts ?? 0) + 1; ${WHOLE_TEXT}`;
const LINES_WITH_CONTEXT = `const spans = [];
  for (const { index, 0: line } of text.matchAll(/[^\\n]+/g))
    spans.push({ start: index, end: index + line.length, context: line === 'bbb' ? 'zzz' : '' });
  return spans;`;
const OPTIONS = {
  type: 'object',
  properties: { size: { type: 'integer', default: 5 }, side: { enum: ['a', 'b'], default: 'a' } },
};
const folder = await pluginsFolder(
  t,
  LETTERS,
  chunker('counting', COUNTS_CALLS, { options: OPTIONS }),
  chunker('lined', LINES_WITH_CONTEXT),
);
const client = await openService(t, { pluginsDir: [folder, FIXTURES] });

const token = (chunk_size: number, chunk_overlap = 0) => ({
  chunker: 'token',
  config: { tokenizer: 'character', chunk_size, chunk_overlap },
});

t.test('scores, tokens and places of what each question found, and their means', async (t) => {
  const text = 'aaaaaaaabbbbbbbbccccccccdddddddd';
  const request = requestAbout(text, { bbb: 'abbbbbbb', ddd: 'dddd' }, [token(8)]);
  const { embedding_model, k, candidates } = await evaluate(client, { ...request, k: 1 });
  t.same([embedding_model, k], ['letters', 1]);
  const means = { recall: (7 / 8 + 1) / 2, precision: (7 / 8 + 4 / 8) / 2, iou: 0.638889 };
  const ofFirst = { recall: 7 / 8, precision: 7 / 8, iou: 0.777778, precision_at_full_recall: 8 / 16 };
  const ofSecond = { recall: 1, precision: 4 / 8, iou: 4 / 8, precision_at_full_recall: 4 / 8 };
  // The vectors count letters, and that of a question has a 1 besides.
  const found = { document: 0, token_count: 8, score: 0.948683 };
  const questions = [
    { ...ofFirst, tokens: 8, found: [{ ...found, start_index: 8, end_index: 16 }] },
    { ...ofSecond, tokens: 8, found: [{ ...found, start_index: 24, end_index: 32 }] },
  ];
  const expected = { index: 0, name: 'token', ...means, precision_at_full_recall: (8 / 16 + 4 / 8) / 2 };
  const [{ interval, ...candidate } = assertNone()] = candidates;
  t.same(candidate, { ...expected, retriever: 'dense', tokens_per_question: 8, chunks: 4, questions });
  const [low = 1, high = 0] = interval.recall;
  t.ok(low <= means.recall && means.recall <= high && low >= 0 && high <= 1);
});

function assertNone(): never {
  throw new Error('there is no candidate');
}

const textOf = (text: string) => text.slice(0, 120).toWellFormed();
const DOCUMENTS = Object.entries(TEXTS).map(([id, text]) => ({ id, text: textOf(text) }));
const POINTS = DOCUMENTS.map(({ text }) => [...text]);
const ANSWERS = ['2-11', '7-24', '30-31'].map((one) => one.split('-').map(Number) as unknown as Stretch);
const CANDIDATES = [token(9), token(16, 7), token(500)];

/** A request whose offsets are in a unit. */
function requestIn(offset_unit: OffsetUnit) {
  const questions = DOCUMENTS.map(({ text }, document) => ({
    question: text.slice(3, 30).toWellFormed(),
    answers: ANSWERS.map(([start, end]) => ({
      document: document % 2 === 0 ? document : DOCUMENTS[document]?.id,
      start_index: inUnit(offset_unit, document, start),
      end_index: inUnit(offset_unit, document, end),
    })),
  }));
  const request = { documents: DOCUMENTS, questions, candidates: CANDIDATES, k: 3, offset_unit };
  return { ...request, embedding_model: 'letters' };
}

/** The offset in a unit of a character of a document. */
const inUnit = (unit: OffsetUnit, document: number, at: number) =>
  lengthIn(unit, (POINTS[document] as string[]).slice(0, at).join(''));

t.test('scores are those of counting each character of the chunks that the chunker makes', async (t) => {
  const { candidates } = await evaluate(client, requestIn('code_point'));
  const starts = POINTS.map((_, at) => POINTS.slice(0, at).flat().length);
  const onLine = (start: number, { start_index, end_index }: Pick<Found, 'start_index' | 'end_index'>) =>
    [start + start_index, start + end_index] as const;
  for (const [at, { config }] of CANDIDATES.entries()) {
    const request = { text: DOCUMENTS.map(({ text }) => text), ...config };
    const chunks = await client.chunkAll('token', request);
    const all = chunks.flatMap((list, index) => list.map((chunk) => onLine(starts[index] as number, chunk)));
    const { questions } = candidates[at] as EvaluatedCandidate;
    t.equal(candidates[at]?.chunks, all.length);
    for (const [index, { tokens, found, ...scores }] of questions.entries()) {
      const start = starts[index] as number;
      const got = found.map((one) => onLine(starts[one.document] as number, one));
      const answers = ANSWERS.map(([from, to]): Stretch => [start + from, start + to]);
      t.same(scores, countedScores(answers, got, all), `of question ${index}`);
      const counted = found.reduce((sum, { token_count }) => sum + token_count, 0);
      t.equal(tokens, counted);
      t.ok(got.length === 3 && got.every((one) => all.some((chunk) => `${chunk}` === `${one}`)));
    }
  }
});

type Placed = { -readonly [Name in keyof Found]: Found[Name] };

t.test('the unit changes offsets and no score', async (t) => {
  const { candidates } = await evaluate(client, requestIn('code_point'));
  for (const unit of ['utf16', 'byte'] as const) {
    const expected = structuredClone(candidates) as unknown as { questions: { found: Placed[] }[] }[];
    for (const chunk of expected.flatMap(({ questions }) => questions.flatMap(({ found }) => found))) {
      chunk.start_index = inUnit(unit, chunk.document, chunk.start_index);
      chunk.end_index = inUnit(unit, chunk.document, chunk.end_index);
    }
    t.same((await evaluate(client, requestIn(unit))).candidates, expected, unit);
  }
});

t.test('candidates that are equal once defaults are filled in are computed once', async (t) => {
  const calls = () => (globalThis as { evaluatedTexts?: number }).evaluatedTexts ?? 0;
  const step = { type: 'chunk', chunker: 'counting', config: { offset_unit: 'byte' } };
  const candidates = [
    { chunker: 'counting' },
    { name: 'other', chunker: 'counting', config: { side: 'b', size: 5 } },
    { name: 'again', chunker: 'counting', config: { size: 5, side: 'a' } },
    { steps: [step] },
    { steps: [step, step] },
  ];
  const answered = (await evaluate(client, requestAbout('abc', { a: 'b' }, candidates))).candidates;
  const shown = answered.map(({ name, same_as }) => `${name}: ${same_as}`);
  const [first, , again] = answered;
  const two = 'counting + counting: undefined';
  t.same(shown, ['counting: undefined', 'other: undefined', 'again: 0', 'counting: 0', two]);
  t.equal(calls(), 1 + 1 + 2, 'the last one has two steps');
  t.same(again, { ...first, index: 2, name: 'again', same_as: 0 });
});

t.test('what refineries make of chunks is embedded, and the place of the chunk counts', async (t) => {
  const steps = [
    { type: 'chunk', chunker: 'lines' },
    { type: 'refine', refinery: 'shout' },
  ];
  const request = requestAbout('first line\nsecond one', { second: 'second one' }, [{ steps }]);
  const [candidate] = (await evaluate(client, { ...request, k: 1 })).candidates;
  t.match(candidate, { name: 'lines + shout', recall: 1, chunks: 2 });
});

t.test('the text of a chunk is embedded, or its context before it if that is asked for', async (t) => {
  const request = { ...requestAbout('aaa\nbbb', { zzz: 'aaa' }, [{ chunker: 'lined' }]), k: 1 };
  const foundWith = async (more: object) =>
    (await evaluate(client, { ...request, ...more })).candidates[0]?.questions[0]?.found[0]?.start_index;
  t.equal(await foundWith({}), 0, 'all are equally far from it, and the first stands first');
  t.equal(await foundWith({ embed: 'text' }), 0);
  t.equal(await foundWith({ embed: 'context+text' }), 4);
});

const NOTHING = { recall: 0, precision: 0, iou: 0, precision_at_full_recall: 0 };

t.test('where there are fewer chunks than k, or none, what there is is found', async (t) => {
  const request = requestAbout('abc', { a: 'b' }, [token(2), { chunker: 'lined' }]);
  const { k, candidates } = await evaluate(client, request);
  t.equal(k, 5);
  t.equal(candidates[0]?.questions[0]?.found.length, 2);
  const blank = { ...request, documents: [{ text: ' \n ' }] };
  for (const { chunks, questions } of (await evaluate(client, blank)).candidates) {
    t.equal(chunks, 0);
    t.same(questions, [{ ...NOTHING, tokens: 0, found: [] }]);
  }
});
