import type { PagePicture, RecognizedPage } from '../../../core/kit.ts';
import type { Box, Engine, FoundBlock, FoundLine } from './engine.ts';
import { type FoundText, isNoise, isText, legibilityOf, meanConfidence } from './legibility.ts';
import { darkRest, isEmpty, skewOf, straightened, upright } from './picture.ts';
import { CJK } from './text.ts';

/** Mean confidence below which a picture may be turned, and above which it is not turned any further. */
const DOUBTFUL = 0.6;
const CERTAIN = 0.75;
/** Fewer letters and digits do not say how a page is turned. */
const MIN_LETTERS = 20;

/** What was found in a picture, before it is judged. */
interface FoundPage extends Pick<RecognizedPage, 'turns' | 'skew'> {
  readonly lines: readonly FoundText[];
  readonly confidence: number;
}

const NOTHING: FoundPage = { lines: [], turns: 0, skew: 0, confidence: 0 };

/** Recognizes the text of a picture, also if it is slanted a little, or turned by quarter turns. Specks are left out. */
export function recognize(engine: Engine, picture: PagePicture): RecognizedPage {
  const found = isEmpty(picture) ? NOTHING : recognizeUpright(engine, picture);
  const all = found.lines.map((line) => ({ ...line, legibility: legibilityOf(line) }));
  const { turns, skew } = found;
  return { lines: all.filter((line) => !isNoise(line)), turns, skew, isReadable: isText(all) };
}

function recognizeUpright(engine: Engine, picture: PagePicture): FoundPage {
  let best = recognizeTurned(engine, picture, 0);
  if (best.confidence >= DOUBTFUL || lettersOf(best) < MIN_LETTERS) return best;
  for (const turns of [1, 3, 2]) {
    const other = recognizeTurned(engine, picture, turns);
    if (other.confidence > best.confidence && lettersOf(other) >= MIN_LETTERS) best = other;
    if (best.confidence >= CERTAIN) break;
  }
  return best;
}

const lettersOf = ({ lines }: FoundPage): number =>
  lines.reduce((sum, { text }) => sum + (text.match(LETTERS)?.length ?? 0), 0);

const LETTERS = /[\p{L}\p{N}]/gu;

function recognizeTurned(engine: Engine, picture: PagePicture, turns: number): FoundPage {
  const turned = upright(picture, turns);
  const skew = skewOf(turned);
  const level = straightened(turned, skew);
  const blocks = engine.find(level, 'page');
  const first = linesOf(blocks);
  const isDoubtful = meanConfidence(first) < DOUBTFUL;
  const lines = !isDoubtful ? withRest(first, restOf(engine, level, blocks)) : first;
  return { lines, turns, skew, confidence: meanConfidence(lines) };
}

/** Confidence above which a word is taken that the layout of the page leaves out, such as a number of a table. */
const SURE = 0.8;

/** Text that is on the page, but in no block: lone numbers are taken for specks or a drawing. */
function restOf(engine: Engine, level: PagePicture, blocks: readonly FoundBlock[]): FoundText[] {
  const boxes = wordsOf(blocks).map(({ bbox }) => bbox);
  const rest = darkRest(level, boxes);
  if (rest === undefined) return [];
  return linesOf(engine.find(rest, 'sparse')).filter(
    ({ text, confidence }) => confidence >= SURE && /[\p{L}\p{N}]/u.test(text) && !isRepeated(text),
  );
}

/** Patterns and hatching look like one letter many times. */
const isRepeated = (text: string): boolean => /^(.)\1{2,}$/u.test(text) && !/^\d/.test(text);

const wordsOf = (blocks: readonly FoundBlock[]) =>
  blocks.flatMap(({ paragraphs }) =>
    (paragraphs ?? []).flatMap(({ lines }) => lines.flatMap(({ words }) => words)),
  );

/** Puts each of the rest after the line at its left, else after the line above it. */
function withRest(lines: FoundText[], rest: readonly FoundText[]): FoundText[] {
  const all = [...lines];
  const paragraphs = (lines.at(-1)?.paragraph ?? 0) + 1;
  for (const [index, line] of rest.entries()) {
    const isBeside = (one: FoundText) => Math.abs(one.base - line.base) < 0.4 * Math.max(one.size, line.size);
    const left = nearest(all, (one) => (isBeside(one) && one.x1 <= line.x0 ? line.x0 - one.x1 : Infinity));
    const right = nearest(all, (one) => (isBeside(one) && one.x0 >= line.x1 ? one.x0 - line.x1 : Infinity));
    const beside = left ?? right;
    if (beside !== undefined) {
      const own = { ...line, paragraph: beside.paragraph, size: beside.size, base: beside.base };
      all.splice(all.indexOf(beside) + (left === undefined ? 0 : 1), 0, own);
      continue;
    }
    const above = nearest(all, (one) => (one.base < line.base ? line.base - one.base : Infinity));
    const at = above === undefined ? 0 : all.findLastIndex((one) => one.paragraph === above.paragraph) + 1;
    all.splice(at, 0, { ...line, paragraph: paragraphs + index });
  }
  return all;
}

/** The line with the least distance; undefined if none is finite. */
function nearest(
  lines: readonly FoundText[],
  distanceTo: (line: FoundText) => number,
): FoundText | undefined {
  let [best, least] = [undefined as FoundText | undefined, Infinity];
  for (const line of lines) {
    const distance = distanceTo(line);
    if (distance < least) [best, least] = [line, distance];
  }
  return best;
}

/** Heights of rows as multiples of font sizes, for letters with ascenders and descenders. */
const ROW_HEIGHT = 0.92;
/** Sizes that differ less from the usual one of the page are taken for it: they are measured. */
const SAME_SIZE = 0.14;

function linesOf(blocks: readonly FoundBlock[]): FoundText[] {
  const paragraphs = blocks.flatMap((block) => block.paragraphs ?? []);
  const lines = paragraphs.flatMap(({ lines }, paragraph) => {
    const size = median(lines.map(({ rowAttributes }) => rowAttributes.rowHeight)) / ROW_HEIGHT;
    return lines.flatMap((line) => partsOf(line, size, paragraph));
  });
  const usual = usualSizeOf(lines);
  return lines.map((line) => ({
    ...line,
    size: Math.abs(line.size - usual) < SAME_SIZE * usual ? usual : line.size,
  }));
}

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** The size of most characters: the median, each line as often as it has characters. */
function usualSizeOf(lines: readonly FoundText[]): number {
  const sorted = lines.toSorted((a, b) => a.size - b.size);
  let left = lines.reduce((sum, { text }) => sum + text.length, 0) / 2;
  for (const { size, text } of sorted) {
    left -= text.length;
    if (left <= 0) return size;
  }
  return 0;
}

/** Font sizes between words, above which they are not of one column or cell. */
const WIDE_GAP = 1.2;

/** The parts of a line that are apart. */
function partsOf({ words, bbox, baseline, rowAttributes }: FoundLine, size: number, paragraph: number) {
  const parts: FoundText[] = [];
  const base = (baseline.y0 + baseline.y1) / 2;
  const height = rowAttributes.rowHeight;
  for (const { text, bbox: box, confidence } of words) {
    const isFirst = parts.length === 0;
    const word = isFirst && isBullet(text.trim(), box, base, size) ? BULLET : text.trim();
    if (word === '') continue;
    const own = { text: word, ...box, base, size, confidence: confidence / 100, paragraph };
    const last = parts.at(-1);
    if (last === undefined || box.x0 - last.x1 > WIDE_GAP * size) parts.push(own);
    else parts[parts.length - 1] = joined(last, own);
  }
  // Letters without descenders and noise do not change the height of a line.
  return parts.map((part) => ({
    ...part,
    y0: Math.max(part.y0, Math.min(bbox.y0, base - height)),
    y1: Math.min(part.y1, bbox.y1),
  }));
}

const BULLET = '\u2022';
/** What Tesseract, which knows no bullets, takes them for. */
const TAKEN_FOR_BULLETS = /^(?:[eo0*+~&\u00a2\u00a5\u00a7\u00a9\u00ab\u00ae\u00b0\u00bb@]|eo)$/;
/** A bullet is above the base line by more than this share of the font size, and smaller than a letter. */
const BULLET_ABOVE = 0.07;
const BULLET_HEIGHT = 0.45;

const isBullet = (word: string, { y0, y1 }: Box, base: number, size: number): boolean =>
  TAKEN_FOR_BULLETS.test(word) && base - y1 > BULLET_ABOVE * size && y1 - y0 < BULLET_HEIGHT * size;

function joined(last: FoundText, next: FoundText): FoundText {
  const isClose = next.x0 - last.x1 < 0.6 * last.size;
  const isCjk = isClose && CJK.test(last.text.slice(-1)) && CJK.test(next.text.slice(0, 1));
  return {
    ...last,
    text: `${last.text}${isCjk ? '' : ' '}${next.text}`,
    x0: Math.min(last.x0, next.x0),
    x1: Math.max(last.x1, next.x1),
    y0: Math.min(last.y0, next.y0),
    y1: Math.max(last.y1, next.y1),
    confidence: meanConfidence([last, next]),
  };
}
