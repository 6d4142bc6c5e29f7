import { keepOptimised } from '../keep-optimised.ts';
import { countWhile } from '../search.ts';

/** A heading of a text. */
export interface Heading {
  readonly start: number;
  /** 1 is the highest. */
  readonly level: number;
  /** Whether a deeper heading follows at once, so that nothing stands under this one alone. */
  readonly isLead: boolean;
  /** Where it stops to hold at the latest; with the text if it is missing. */
  readonly reach?: number | undefined;
  /** Its words; asked for once, when a stretch stands under it. */
  name(): string;
}

/** Says which headings the stretches of one text stand under. */
export interface HeadingPaths {
  /**
   * The names of the headings that all of a stretch stands under, the highest first; those with which it begins are
   * among them, those that only lead into others are not. Stretches come in the order of the text.
   */
  within(start: number, end: number): readonly string[];
  /** The names of the headings that an offset stands under, the highest first; without one that begins there. */
  above(offset: number): readonly string[];
}

/** The part of a text under a heading. */
interface Section {
  readonly heading: Heading;
  readonly parent: Section | undefined;
  readonly depth: number;
  path: readonly string[] | undefined;
}

/**
 * The paths of headings of a text: a heading holds until the next one that is not deeper.
 *
 * @param headings in the order of the text
 */
export function headingPaths(headings: readonly Heading[]): HeadingPaths {
  return new Paths(headings);
}

class Paths implements HeadingPaths {
  readonly #sections: readonly Section[];

  constructor(headings: readonly Heading[]) {
    this.#sections = sectionsOf(headings);
  }

  within(start: number, end: number): readonly string[] {
    const sections = this.#sections;
    let index = firstFrom(sections, start);
    let isEmpty = sections[index]?.heading.start === start;
    let common = isEmpty ? undefined : sections[index - 1];
    for (; index < sections.length; index++) {
      const section = sections[index] as Section;
      if (section.heading.start >= end) break;
      if (section.heading.isLead && startOf(sections[index + 1]) < end) continue;
      common = isEmpty ? section : commonOf(common, section);
      isEmpty = false;
    }
    return pathOf(reaching(common, end));
  }

  above(offset: number): readonly string[] {
    const sections = this.#sections;
    const next = firstFrom(sections, offset);
    const isHeaded = sections[next]?.heading.start === offset;
    return pathOf(reaching(isHeaded ? sections[next]?.parent : sections[next - 1], offset + 1));
  }
}

function sectionsOf(headings: readonly Heading[]): Section[] {
  let open: Section | undefined;
  return headings.map((heading) => {
    while (open !== undefined && !holds(open.heading, heading)) open = open.parent;
    open = { heading, parent: open, depth: (open?.depth ?? 0) + 1, path: undefined };
    return open;
  });
}

function startOf(section: Section | undefined): number {
  return section?.heading.start ?? Number.POSITIVE_INFINITY;
}

function holds({ level, reach = Number.POSITIVE_INFINITY }: Heading, inner: Heading): boolean {
  return level < inner.level && reach > inner.start;
}

/** The innermost of a section and those around it that reaches to an offset. */
function reaching(section: Section | undefined, end: number): Section | undefined {
  let found = section;
  while (found?.heading.reach !== undefined && found.heading.reach < end) found = found.parent;
  return found;
}

function commonOf(first: Section | undefined, second: Section): Section | undefined {
  let [a, b]: [Section | undefined, Section | undefined] = [first, second];
  while (a !== b) {
    if (a === undefined || b === undefined) return undefined;
    if (a.depth > b.depth) a = a.parent;
    else if (b.depth > a.depth) b = b.parent;
    else [a, b] = [a.parent, b.parent];
  }
  return a;
}

function pathOf(section: Section | undefined): readonly string[] {
  if (section === undefined) return NO_PATH;
  section.path ??= [...pathOf(section.parent), section.heading.name()];
  return section.path;
}

const NO_PATH: readonly string[] = Object.freeze([]);

/** The index of the first section whose heading begins at an offset or behind it. */
function firstFrom(sections: readonly Section[], offset: number): number {
  return countWhile(sections, ({ heading }) => heading.start < offset);
}

keepOptimised(new Paths([]));
