import type { AddedToken } from '../tokenizer-file.ts';

export interface Section {
  start: number;
  end: number;
  isToken: boolean;
}

export type FindSections = (text: string) => Section[];

/**
 * Creates a function that cuts a text into sections wherever one of `contents` occurs, from left to right,
 * longest match first. A section equal to one of `tokens` is a token; its `lstrip` and `rstrip` trim the
 * neighbouring sections.
 */
export function createSectionFinder(
  contents: readonly string[],
  tokens: ReadonlyMap<string, AddedToken>,
): FindSections {
  if (tokens.size === 0) return (text) => [{ start: 0, end: text.length, isToken: false }];
  const longestFirst = contents
    .filter((content) => content !== '')
    .sort((one, other) => other.length - one.length);
  const pattern =
    longestFirst.length > 0 ? new RegExp(longestFirst.map(escapePattern).join('|'), 'g') : undefined;

  return (text) => {
    const sections = cut(text, pattern);
    sections.forEach((section, index) => {
      const token = tokens.get(text.slice(section.start, section.end));
      const before = sections[index - 1];
      const after = sections[index + 1];
      if (token?.lstrip && before)
        before.end = before.start + text.slice(before.start, before.end).trimEnd().length;
      if (token?.rstrip && after)
        after.start = after.end - text.slice(after.start, after.end).trimStart().length;
    });
    for (const section of sections) section.isToken = tokens.has(text.slice(section.start, section.end));
    return sections;
  };
}

function cut(text: string, pattern: RegExp | undefined): Section[] {
  const sections: Section[] = [];
  let position = 0;
  const addUntil = (end: number): void => {
    if (end > position) sections.push({ start: position, end, isToken: false });
    position = end;
  };
  for (const match of pattern ? text.matchAll(pattern) : []) {
    addUntil(match.index);
    addUntil(match.index + match[0].length);
  }
  addUntil(text.length);
  return sections;
}

const escapePattern = (literal: string): string => literal.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
