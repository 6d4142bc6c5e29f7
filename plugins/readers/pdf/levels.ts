import { type Candidate, greatest, plain, sum } from './candidates.ts';
import { mostFrequent } from './lines.ts';
import { type Heading, isCertain } from './paragraphs.ts';

export const MAX_DEPTH = 6;

/** Styles whose headings are less sure, on average, are below all others: their headings end at the next one. */
const RELIABLE = 0.7;
const MIN_RELIABLE = 3;

/**
 * Sets levels that hold for the whole file: a style has the level that bookmarks and numbers give it, or the next below that
 * of the style above. A style that is used once is not a parent: it is the title, or uncertain.
 */
export function setLevels(
  rated: ReadonlyMap<Candidate, Heading>,
  candidates: readonly Candidate[],
  title: string | undefined,
): void {
  const key = ({ style }: Candidate) => style;
  const certain = [...rated].filter(([, heading]) => isCertain(heading));
  const styles = Map.groupBy(certain, ([candidate]) => key(candidate));
  const largest = greatest(candidates.filter(({ first }) => first.page === 1).map(({ size }) => size));
  const isTitle = ({ first, size, text }: Candidate) =>
    first.page === 1 && (size >= largest || (title !== undefined && plain(title) === plain(text)));
  const scale = [...styles].filter(([, ones]) => ones.length > 1 || ones.some(([one]) => !isTitle(one)));
  scale.sort(
    ([, [a]], [, [b]]) =>
      (b?.[0].size ?? 0) - (a?.[0].size ?? 0) || (b?.[1].confidence ?? 0) - (a?.[1].confidence ?? 0),
  );
  const levels = new Map<string, number>();
  let above = 0;
  for (const [style, ones] of scale) {
    const known = new Map<number, number>();
    for (const [, { level }] of ones) if (level > 0) known.set(level, (known.get(level) ?? 0) + 1);
    const isAlone = known.size === 0 && ones.length < 2 && scale.length > 1;
    const level = Math.min(mostFrequent(known) ?? above + 1, MAX_DEPTH);
    levels.set(style, level);
    if (!isAlone) above = Math.max(level, above);
  }
  const means = new Map(
    Array.from(styles, ([style, ones]) => [style, sum(ones.map(([, one]) => one.confidence)) / ones.length]),
  );
  /** Whether a heading is sure, and not the only one of its style, nor a subsection alone. */
  const isReliable = (one: Candidate, { source, confidence }: Heading): boolean => {
    const sure = source === 'style' ? (means.get(key(one)) ?? 0) : confidence;
    const isChapter = source === 'numbering' && one.features.subsection === 0;
    const isOneOfMany = isChapter || (styles.get(key(one))?.length ?? 0) > 1 || isTitle(one);
    return source === 'bookmark' || (sure >= RELIABLE && isOneOfMany);
  };
  const reliable = certain.filter(([one, heading]) => isReliable(one, heading));
  const below = Math.min(
    greatest(reliable.map(([one, { level }]) => level || (levels.get(key(one)) ?? 1))) + 1,
    MAX_DEPTH,
  );
  for (const [candidate, heading] of rated) {
    const { source, level, confidence } = heading;
    const known = level || levels.get(key(candidate)) || (isTitle(candidate) ? 1 : MAX_DEPTH);
    const own = isReliable(candidate, heading) || reliable.length < MIN_RELIABLE ? known : below;
    candidate.paragraph.heading = { level: own, source, confidence };
  }
  endTails(candidates.filter((one) => isCertain(one.paragraph.heading) && !isTitle(one)));
}

/** Pages below a heading by style that are not unusual, and how many times those of the others of its level are. */
const USUAL_PAGES = 10;
const MAX_TIMES = 3;

/**
 * Ends the last heading of a level where it would head the rest of a file: a report may have large titles only at its
 * beginning. The headings after it move up by the same number of levels.
 */
function endTails(candidates: readonly Candidate[]): void {
  const longest = new Map<number, number>();
  const open: { level: number; page: number; isGuess: boolean }[] = [];
  let ended = { level: 0, shift: 0 };
  for (const { first, paragraph } of candidates) {
    const { heading } = paragraph;
    if (heading === undefined) continue;
    const { level, source } = heading;
    while (open.length > 0 && (open.at(-1)?.level ?? 0) >= level) {
      const { level: own, page } = open.pop() ?? { level, page: first.page };
      longest.set(own, Math.max(longest.get(own) ?? 0, first.page - page));
    }
    if (level <= ended.level) ended = { level: 0, shift: 0 };
    const tail = open.find(
      ({ level: own, page, isGuess }) =>
        isGuess && first.page - page > Math.max(USUAL_PAGES, MAX_TIMES * (longest.get(own) ?? 0)),
    );
    if (tail !== undefined && ended.level === 0) {
      ended = { level: tail.level, shift: level - tail.level };
      open.splice(open.indexOf(tail));
    }
    open.push({ level, page: first.page, isGuess: source === 'style' });
    if (ended.shift > 0) paragraph.heading = { ...heading, level: Math.max(level - ended.shift, 1) };
  }
}
