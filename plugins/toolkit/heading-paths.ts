import { keepOptimised } from '../../core/engine/keep-optimised.ts';
import { countWhile } from '../../core/engine/search.ts';

export interface Heading {
  readonly start: number;
  /** 1 is the highest. */
  readonly level: number;
  readonly isLead: boolean;
  /** Maximum end of the heading's section. Default: the end of the text. */
  readonly reach?: number | undefined;
  /** Reads the text of the heading. Headings without text do not appear in paths. */
  name(): string;
}

interface Section {
  readonly heading: Heading;
  readonly parent: Section | undefined;
  readonly depth: number;
  path: readonly string[] | undefined;
}

/**
 * Finds the headings above stretches of one text. A heading applies until the next heading that is equal or higher.
 *
 * @param headings in the order of the text
 */
export function headingPaths(headings: readonly Heading[]): HeadingPaths {
  return new HeadingPaths(headings);
}

class HeadingPaths {
  readonly #sections: readonly Section[];

  constructor(headings: readonly Heading[]) {
    this.#sections = sectionsOf(headings);
  }

  /**
   * Names of the headings that apply to the whole stretch, the highest first. They include a heading at the start of
   * the stretch, except a lead heading: one that only introduces deeper headings.
   */
  within(start: number, end: number): readonly string[] {
    const sections = this.#sections;
    let index = firstFrom(sections, start);
    let isEmpty = sections[index]?.heading.start === start;
    let common = isEmpty ? undefined : sections[index - 1];
    for (; index < sections.length; index++) {
      const section = sections[index] as Section;
      if (section.heading.start >= end) break;
      const next = sections[index + 1];
      if (section.heading.isLead && next !== undefined && next.heading.start < end) continue;
      common = isEmpty ? section : commonOf(common, section);
      isEmpty = false;
    }
    return pathOf(reaching(common, end));
  }

  /** Names of the headings above an offset, the highest first. A heading that begins at the offset is excluded. */
  above(offset: number): readonly string[] {
    const sections = this.#sections;
    const next = firstFrom(sections, offset);
    const isHeaded = sections[next]?.heading.start === offset;
    return pathOf(reaching(isHeaded ? sections[next]?.parent : sections[next - 1], offset + 1));
  }
}

export type { HeadingPaths };

function sectionsOf(headings: readonly Heading[]): Section[] {
  const sections: Section[] = [];
  let open: Section | undefined;
  for (const heading of headings) {
    while (open !== undefined && !holds(open.heading, heading)) open = open.parent;
    open = { heading, parent: open, depth: (open?.depth ?? 0) + 1, path: undefined };
    sections.push(open);
  }
  return sections;
}

function holds({ level, reach = Number.POSITIVE_INFINITY }: Heading, inner: Heading): boolean {
  return level < inner.level && reach > inner.start;
}

function reaching(section: Section | undefined, end: number): Section | undefined {
  let inner = section;
  while (inner?.heading.reach !== undefined && inner.heading.reach < end) inner = inner.parent;
  return inner;
}

function commonOf(first: Section | undefined, second: Section): Section | undefined {
  let a = first;
  let b: Section | undefined = second;
  while (a !== b) {
    if (a === undefined || b === undefined) return undefined;
    if (a.depth > b.depth) a = a.parent;
    else if (b.depth > a.depth) b = b.parent;
    else {
      a = a.parent;
      b = b.parent;
    }
  }
  return a;
}

function pathOf(section: Section | undefined): readonly string[] {
  if (section === undefined) return NO_PATH;
  if (section.path === undefined) {
    const above = pathOf(section.parent);
    const name = section.heading.name();
    section.path = name === '' ? above : [...above, name];
  }
  return section.path;
}

const NO_PATH: readonly string[] = Object.freeze([]);

function firstFrom(sections: readonly Section[], offset: number): number {
  return countWhile(sections, ({ heading }) => heading.start < offset);
}

keepOptimised(new HeadingPaths([]));
