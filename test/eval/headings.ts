import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { findNumberedHeadings } from '../../plugins/toolkit/numbered/index.ts';
import { printTable, printTitle } from '../bench/race/report.ts';

/** A heading of a text, with that above it: where both begin. */
interface Truth {
  readonly start: number;
  readonly name: string;
  readonly isNumbered: boolean;
  /** -1 if there is none. */
  readonly parent: number;
}

const GOALS = { right: 98, false: 0.5 };

/**
 * Prints how well the headings of Markdown files are found once their marks are taken away. A heading is right if it is
 * found below the right one: the nearest higher heading with a number. Folders below the given one are rows.
 */
export function evaluateHeadings(folder: string): void {
  printTitle('Numbered headings, found without their marks');
  const rows = new Map<string, Counts>();
  for (const path of globSync('**/*.{md,txt}', { cwd: folder }).sort()) {
    const counts = countsOf(readFileSync(join(folder, path), 'utf8'));
    for (const row of [dirname(path), 'all']) rows.set(row, added(rows.get(row) ?? NOTHING, counts));
    if (process.env.HEADINGS_MISSED !== undefined)
      for (const line of counts.notes) console.log(`${path}: ${line}`);
  }
  const columns = ['', 'texts', 'numbered', 'right %', 'missed', 'false', 'false %', 'texts with any'];
  const shown = [...rows].map(([name, { texts, numbered, right, missed, found, wrong, withAny }]) => [
    name,
    String(texts),
    String(numbered),
    percent(right, numbered),
    String(missed),
    String(wrong),
    percent(wrong, found),
    String(withAny),
  ]);
  printTable(`Goals: right at least ${GOALS.right} %, false below ${GOALS.false} %`, columns, shown);
}

const percent = (part: number, whole: number) => (whole === 0 ? '-' : ((100 * part) / whole).toFixed(2));

type Counts = ReturnType<typeof countsOf>;

const NOTHING = {
  texts: 0,
  numbered: 0,
  right: 0,
  missed: 0,
  found: 0,
  wrong: 0,
  withAny: 0,
  notes: [] as string[],
};

function added(first: Counts, second: Counts): Counts {
  const sum = (name: Exclude<keyof Counts, 'notes'>) => first[name] + second[name];
  return {
    texts: sum('texts'),
    numbered: sum('numbered'),
    right: sum('right'),
    missed: sum('missed'),
    found: sum('found'),
    wrong: sum('wrong'),
    withAny: sum('withAny'),
    notes: [],
  };
}

function countsOf(markdown: string) {
  const { text, headings } = withoutMarks(markdown);
  const found = parentsOf(findNumberedHeadings(text));
  const known = new Map(headings.map((heading) => [heading.start, heading]));
  const numbered = headings.filter(({ isNumbered }) => isNumbered);
  const missed = numbered.filter(({ start }) => !found.has(start));
  const right = numbered.filter(({ start, parent }) => found.get(start) === parent);
  const wrong = [...found.keys()].filter((start) => !known.has(start));
  const lineAt = (start: number) => text.slice(start, start + 90).split('\n', 1)[0] ?? '';
  const misplaced = numbered.filter(({ start, parent }) => found.has(start) && found.get(start) !== parent);
  return {
    texts: 1,
    numbered: numbered.length,
    right: right.length,
    missed: missed.length,
    found: found.size,
    wrong: wrong.length,
    withAny: found.size > 0 ? 1 : 0,
    notes: [
      ...missed.map(({ start }) => `missed ${lineAt(start)}`),
      ...wrong.map((start) => `false ${lineAt(start)}`),
      ...misplaced.map(
        ({ start, parent }) =>
          `below ${lineAt(found.get(start) ?? -1)} instead of ${parent === -1 ? 'none' : lineAt(parent)}: ${lineAt(start)}`,
      ),
    ],
  };
}

/** Words that a number follows, or numbers themselves. */
const NUMBERED =
  /^(?:[\p{L}§-]{1,16}\.?\s+){0,2}(?:[LRDA]\.?\*?\s?)?(?:\d|[IVXLC]+(?:er|[a-z]{1,2})?(?!\p{L})|[A-Z](?!\p{L})|premi|prim|one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|fourth|deuxi|troisi|quatri|cinqui|segund|terz|tercer|quart|cuart|quint|sest|sext|settim|s[eé]ptim|pr[eé]limina|[uú]ni)|^[(（]?(?:\d|[a-zA-Z][.)]|[一二三四五六七八九十]+[、）)])|^第|^\p{L}+te[rs]? (?:Teil|Abschnitt|Buch|Kapitel|Titel|Unter)|^(?:ANNEXE?|APPENDIX|Anlage|Anhang|附[則则])$/iu;
const WORD = /^(?:[\p{L}-]+\.?\s+)/u;

/** A text without the marks of its headings, and what they are. */
function withoutMarks(markdown: string): { text: string; headings: Truth[] } {
  const headings: Truth[] = [];
  const open: { level: number; start: number }[] = [];
  let text = '';
  for (const line of markdown.split(/(?<=\n)/)) {
    const mark = /^(#+)[ \t]+(?=\S)/.exec(line);
    if (mark !== null) {
      const name = line.slice(mark[0].length).trim();
      const level = (mark[1] as string).length;
      const isNumbered = isNumberedName(name);
      while (open.length > 0 && (open.at(-1) as { level: number }).level >= level) open.pop();
      headings.push({ start: text.length, name, isNumbered, parent: open.at(-1)?.start ?? -1 });
      if (isNumbered) open.push({ level, start: text.length });
    }
    text += mark === null ? line : line.slice(mark[0].length);
  }
  return { text, headings };
}

const NAMED =
  /^(?:art|§|sec|chap|kap|absch|teil|part|buch|book|livre|tit|unter|sub|cap|lib|tít|sez|alleg|anexo|annex|append|schedule|anlage|anhang|sous|para|partie)/i;

function isNumberedName(name: string): boolean {
  if (!NUMBERED.test(name) || /^\p{L}+\d/u.test(name)) return false;
  return (
    !WORD.test(name) ||
    name.startsWith('第') ||
    NAMED.test(name) ||
    /^\p{L}\.|^[IVX]+[a-z]?[.\s]|^(?:\S+te[rs]?)\s/iu.test(name)
  );
}

/** For each heading found, by where it begins, where the one above it does. */
function parentsOf(headings: ReturnType<typeof findNumberedHeadings>): Map<number, number> {
  const parents = new Map<number, number>();
  const open: { level: number; start: number }[] = [];
  for (const { start, level } of headings) {
    while (open.length > 0 && (open.at(-1) as { level: number }).level >= level) open.pop();
    parents.set(start, open.at(-1)?.start ?? -1);
    open.push({ level, start });
  }
  return parents;
}
