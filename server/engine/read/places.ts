import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { LeftOutText, SourcePlace } from '../../../core/contracts/reader.ts';
import { splitsCodePoint } from '../../../core/engine/cuts/cuts.ts';
import { invalid, type ServiceError } from '../../../core/errors.ts';
import { placesOfPages } from '../../../plugins/toolkit/places.ts';
import { createUtf16Cursor, type Utf16Cursor } from '../answer/offsets.ts';
import { checkPlaceCount } from '../limits.ts';

interface GivenPlaces {
  readonly pages?: readonly number[] | undefined;
  readonly places?: readonly SourcePlace[] | undefined;
}

const count = { type: 'integer', minimum: 1, maximum: 1_000_000 } as const;
const seconds = { type: 'number', minimum: 0 } as const;
const CELLS = /^[A-Z]{1,3}[1-9]\d{0,6}(:[A-Z]{1,3}[1-9]\d{0,6})?$/;

/** The members of a place in a request, except `start` and `end`. A place in an answer has the same members. */
export const placeProperties = {
  page: { ...count, description: 'The page, from 1; a slide is a page.' },
  box: {
    type: 'array',
    items: { type: 'number', minimum: 0, maximum: 1 },
    minItems: 4,
    maxItems: 4,
    description:
      'Left, top, right and bottom as fractions of the page as it is shown, from its top left corner.',
  },
  start_time: { ...seconds, description: 'Where it begins in a recording, in seconds.' },
  end_time: { ...seconds, description: 'Where it ends in a recording, in seconds.' },
  speaker: { type: 'string', description: 'Who speaks.' },
  sheet: { type: 'string', description: 'The name of the sheet.' },
  cells: {
    type: 'string',
    description: 'A cell of a sheet, or a range of cells: `B2:D9`.',
  },
  cell: { ...count, description: 'The cell of a notebook, from 1.' },
  image: { ...count, description: 'The picture of the file, from 1, that the text describes.' },
} as const;

export const placeSchema = {
  title: 'SourcePlace',
  type: 'object',
  required: ['start', 'end'],
  properties: {
    start: {
      type: 'integer',
      minimum: 0,
      description: "Where it begins in the text, in the request's unit.",
    },
    end: { type: 'integer', minimum: 0, description: 'Where it ends in the text.' },
    ...placeProperties,
  },
  additionalProperties: { type: ['string', 'number', 'boolean', 'null'] },
} as const;

/** A text that was left out. */
export const leftOutProperties = {
  kind: { type: 'string', description: 'What it is, such as `header_or_footer_line`.' },
  text: { type: 'string' },
  ...placeProperties,
} as const;

export const leftOutSchema = {
  ...placeSchema,
  title: 'LeftOutText',
  required: ['start', 'end', 'kind', 'text'],
  properties: { ...placeSchema.properties, ...leftOutProperties },
} as const;

/**
 * Checks the pages or places of a document, and converts their offsets to UTF-16.
 *
 * @param given checked against its schema
 * @param unit of the document's offsets
 * @param name name of the document in messages: `documents[3].`
 * @throws ServiceError `invalid_parameters` with the name of the bad member
 */
export function readPlaces(
  { pages, places }: GivenPlaces,
  text: string,
  unit: OffsetUnit,
  name: string,
): readonly SourcePlace[] | undefined {
  if (pages === undefined && places === undefined) return undefined;
  if (pages !== undefined) {
    const offsetOf = cursorIn(text, unit);
    return placesOfPages(readPages(pages, offsetOf, unit, `${name}pages`), text.length);
  }
  return places && checkedPlaces(places, text, unit, `${name}places`);
}

/** As `readPlaces`, for texts that were left out. */
export function readLeftOut(
  leftOut: readonly LeftOutText[] | undefined,
  text: string,
  unit: OffsetUnit,
  name: string,
): readonly LeftOutText[] | undefined {
  return leftOut && (checkedPlaces(leftOut, text, unit, `${name}left_out`) as readonly LeftOutText[]);
}

/** @param at name of the list in messages */
function checkedPlaces(
  places: readonly SourcePlace[],
  text: string,
  unit: OffsetUnit,
  at: string,
): readonly SourcePlace[] {
  checkPlaceCount(places, at);
  const problem = firstProblem(places);
  if (problem !== undefined) throw invalid(`${at}${problem}`);
  if ((isAscii(text) || unit === 'utf16') && firstOutside(places, text) === -1) return places;
  const converted = inUtf16(places, cursorIn(text, unit));
  const wrong = converted.findIndex(({ start, end }) => start === undefined || end === undefined);
  if (wrong !== -1) {
    const edge = converted[wrong]?.start === undefined ? 'start' : 'end';
    throw notAnOffset(`${at}[${wrong}].${edge}`, places[wrong]?.[edge], unit);
  }
  return converted as readonly SourcePlace[];
}

/** In ASCII all units are the same. */
const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length;

const cursorIn = (text: string, unit: OffsetUnit): Utf16Cursor =>
  createUtf16Cursor(text, isAscii(text) ? 'utf16' : unit);

type Unchecked = Omit<SourcePlace, 'start' | 'end'> & Record<'start' | 'end', number | undefined>;

function inUtf16(places: readonly SourcePlace[], offsetOf: Utf16Cursor): Unchecked[] {
  const converted: Unchecked[] = [];
  for (const [index, { end }] of places.entries()) {
    for (
      let next = places[converted.length];
      next !== undefined && next.start <= end;
      next = places[converted.length]
    )
      converted.push({ ...next, start: offsetOf(next.start), end: undefined });
    (converted[index] as Unchecked).end = offsetOf(end);
  }
  return converted;
}

/** @param name of the list in the message */
export function problemOfPlaces(
  places: readonly SourcePlace[],
  text: string,
  name = 'places',
): string | undefined {
  const problem = firstProblem(places);
  if (problem !== undefined) return `${name}${problem}`;
  const wrong = firstOutside(places, text);
  return wrong === -1 ? undefined : `${name}[${wrong}]: ends beyond the text, or within a character`;
}

/** The index of the first place that ends beyond the text or inside a character; -1 if all are valid. */
function firstOutside(places: readonly SourcePlace[], text: string): number {
  const isEdge = (at: number) => at <= text.length && !splitsCodePoint(text, at);
  return places.findIndex(({ start, end }) => !isEdge(start) || !isEdge(end));
}

function firstProblem(places: readonly SourcePlace[]): string | undefined {
  let before = { start: 0, end: 0 };
  for (const [index, place] of places.entries()) {
    const problem = problemOf(place, before);
    if (problem !== undefined) return `[${index}]${problem}`;
    before = place;
  }
  return undefined;
}

function problemOf(
  { start, end, box, start_time, end_time, cells }: SourcePlace,
  before: Pick<SourcePlace, 'start' | 'end'>,
): string | undefined {
  const isWhole = Number.isInteger(start) && Number.isInteger(end);
  if (!isWhole || start > end)
    return `.end: expected a whole number of at least start, which is ${start}, got ${end}`;
  if (start < before.start)
    return `.start: expected at least ${before.start}, where the place before it begins, got ${start}`;
  if (end < before.end)
    return `.end: expected at least ${before.end}, where the place before it ends, got ${end}`;
  if (box !== undefined && (box[0] > box[2] || box[1] > box[3]))
    return `.box: expected left, top, right and bottom, got ${JSON.stringify(box)}`;
  if (start_time !== undefined && end_time !== undefined && start_time > end_time)
    return `.end_time: expected at least start_time, which is ${start_time}, got ${end_time}`;
  if (cells !== undefined && !CELLS.test(cells))
    return `.cells: expected a cell such as B2, or a range such as B2:D9, got ${JSON.stringify(cells)}`;
  return undefined;
}

function readPages(
  pages: readonly number[],
  offsetOf: Utf16Cursor,
  unit: OffsetUnit,
  name: string,
): number[] {
  const [first = 0] = pages;
  if (first !== 0) throw invalid(`${name}[0]: expected 0, where the first page begins, got ${first}`);
  const index = pages.findIndex((page, index) => page < (pages[index - 1] ?? 0));
  if (index !== -1)
    throw invalid(
      `${name}[${index}]: expected at least ${pages[index - 1]}, the one before it, got ${pages[index]}`,
    );
  return pages.map((page, index) => {
    const offset = offsetOf(page);
    if (offset === undefined) throw notAnOffset(`${name}[${index}]`, page, unit);
    return offset;
  });
}

function notAnOffset(name: string, offset: unknown, unit: OffsetUnit): ServiceError {
  const expected = `the offset of a character in the text, in units of ${unit}`;
  return invalid(
    `${name}: expected ${expected}, got ${offset}, which is beyond the text or inside a character`,
  );
}
