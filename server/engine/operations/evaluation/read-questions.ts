import type { OffsetUnit } from '../../../../core/contracts/chunk.ts';
import { ServiceError } from '../../../../core/errors.ts';
import { locate } from '../../answer/locate.ts';
import { utf16Offsets } from '../../answer/utf16-offsets.ts';
import type { SourceDocument } from '../../read/documents.ts';
import type { Question } from './evaluation-request.ts';
import { type Range, united } from './ranges.ts';

/** A question of a request, checked against its schema. */
export interface GivenQuestion {
  readonly question: string;
  readonly answers: readonly GivenAnswer[];
}

interface GivenAnswer {
  /** The place of its document, or that one's id. */
  readonly document: number | string;
  readonly start_index: number;
  readonly end_index: number;
}

/** The documents of a request, and where each begins. */
export interface Corpus {
  readonly documents: readonly SourceDocument[];
  readonly starts: readonly number[];
}

/** An answer whose document was found. */
interface PlacedAnswer {
  readonly given: GivenAnswer;
  readonly document: number;
  /** Where it stands in the request, for messages. */
  readonly place: string;
}

/**
 * Finds the answers to questions in the documents.
 *
 * @param unit that of the answers' offsets
 * @throws ServiceError `invalid_parameters`: no question, one without answers, an answer that is nowhere or empty
 */
export function readQuestions(
  questions: readonly GivenQuestion[],
  corpus: Corpus,
  unit: OffsetUnit,
): Question[] {
  if (questions.length === 0) throw problem('questions: expected at least one');
  const find = finderOf(corpus.documents);
  const placed = questions.map(({ answers }, index) => {
    const place = `questions[${index}].answers`;
    if (answers.length === 0) throw problem(`${place}: expected at least one answer`);
    return answers.map((given, at) => placeAnswer(given, `${place}[${at}]`, find));
  });
  const points = pointsOf(placed.flat(), corpus.documents, unit);
  return placed.map((answers, index) => ({
    text: (questions[index] as GivenQuestion).question,
    answer: united(answers.map((answer) => rangeOf(answer, points, corpus.starts, unit))),
  }));
}

type Find = (document: number | string) => number | undefined;

function finderOf(documents: readonly SourceDocument[]): Find {
  const byId = new Map(documents.map(({ about }, index) => [about?.id, index]));
  return (document) => {
    if (typeof document === 'string') return byId.get(document);
    return document < documents.length ? document : undefined;
  };
}

function placeAnswer(given: GivenAnswer, place: string, find: Find): PlacedAnswer {
  const { start_index, end_index } = given;
  const document = find(given.document);
  if (document === undefined) {
    const expected = 'the place of a document in documents, from 0, or its id';
    throw problem(`${place}.document: expected ${expected}, got ${JSON.stringify(given.document)}`);
  }
  if (start_index >= end_index) {
    throw problem(`${place}.end_index: expected more than start_index (${start_index}), got ${end_index}`);
  }
  return { given, document, place };
}

/** The code points before each offset that answers give, by document. */
type Points = readonly (ReadonlyMap<number, number> | undefined)[];

function pointsOf(
  answers: readonly PlacedAnswer[],
  documents: readonly SourceDocument[],
  unit: OffsetUnit,
): Points {
  const offsets = new Map<number, number[]>();
  for (const { document, given } of answers) {
    const own = offsets.get(document) ?? [];
    own.push(given.start_index, given.end_index);
    offsets.set(document, own);
  }
  return documents.map((document, index) => {
    const own = offsets.get(index);
    return own === undefined ? undefined : codePoints(document, unit, own);
  });
}

function codePoints({ text, json }: SourceDocument, unit: OffsetUnit, offsets: readonly number[]) {
  const found = [...utf16Offsets(text, unit, offsets)];
  if (unit === 'code_point') return new Map(found.map(([offset]) => [offset, offset]));
  const edges = found.map(([, at]) => ({ start: at, end: at }));
  const { start } = locate(json, edges, 'code_point');
  return new Map(found.map(([offset], index) => [offset, start[index] as number]));
}

function rangeOf(
  { given, document, place }: PlacedAnswer,
  points: Points,
  starts: readonly number[],
  unit: OffsetUnit,
): Range {
  const edge = (name: 'start_index' | 'end_index') => {
    const point = points[document]?.get(given[name]);
    if (point !== undefined) return point + (starts[document] as number);
    const expected = `the offset of a character in the document, in units of ${unit}`;
    throw problem(
      `${place}.${name}: expected ${expected}, got ${given[name]}, which is beyond the text or inside one`,
    );
  };
  return { start: edge('start_index'), end: edge('end_index') };
}

function problem(text: string): ServiceError {
  return new ServiceError('invalid_parameters', { problems: [text] });
}
