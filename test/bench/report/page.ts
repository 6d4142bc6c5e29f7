import type { Speed, Table } from '../race/report.ts';
import type { Spread } from '../race/statistics.ts';
import type { Figures } from './figures.ts';
import { ENDURED, type Endured, SECTIONS, type Section, type View } from './sources.ts';

type All = ReadonlyMap<string, Figures>;

/** BENCHMARKS.md. */
export function pageOf(all: All): string {
  return `${[
    '# Benchmarks',
    'What Chunksmith does beside others, each by name and version; where it loses is in **bold**. `npm run bench -- report` measures all of it in 25 minutes and writes this page and its chart, `-- report --only speed` measures a section again, and `-- report --check` says how far what it measures is from what is printed here. Each table has the command that prints it, which takes larger sizes as well. Times are those of the machine that is named; ratios are what another one of its kind should show. [test/bench](test/bench/README.md) says how it is measured.',
    ...SECTIONS.flatMap((section) => sectionOf(section, all)),
    ...enduranceOf(all),
  ].join('\n\n')}\n`;
}

function sectionOf({ name, about, views, notes }: Section, all: All): string[] {
  const run = lastRunOf([...new Set(views.map(({ source }) => source))], all);
  return [
    ...headOf(name, about, run),
    ...views.flatMap((view) => viewOf(view, all, run)),
    notes.map((note) => `- ${note}`).join('\n'),
  ];
}

/** The figures of some sources that were measured with the last of them: on one day, with one version, on one machine. */
function lastRunOf(sources: readonly string[], all: All): readonly Figures[] {
  const found = sources.flatMap((source) => all.get(source) ?? []);
  const [last] = found.toSorted((a, b) => (a.date < b.date ? 1 : -1));
  return found.filter((one) => last !== undefined && whereOf([one]) === whereOf([last]));
}

function headOf(name: string, about: string, run: readonly Figures[]): string[] {
  const where = `${whereOf(run)}${othersOf(run)}`;
  return [`## ${capital(name)}`, about, `\`npm run bench -- report --only ${name}\`, ${where}.`];
}

function whereOf([figures]: readonly Figures[]): string {
  if (figures === undefined) return 'not measured';
  const { date, version, commit, machine } = figures;
  return `${date.slice(0, 10)}, chunksmith ${version} (${commit}), ${machine}`;
}

function othersOf(run: readonly Figures[]): string {
  const percents = run.flatMap(({ others }) => others ?? []);
  const range = [...new Set([Math.min(...percents), Math.max(...percents)])].join(' to ');
  return percents.length === 0 ? '' : `; other processes took ${range} % of its cores`;
}

/** The command, and when it was run if that was not with the others. */
function commandOf(figures: Figures, run: readonly Figures[]): string {
  const where = whereOf([figures]).replace(`, ${run[0]?.machine}`, '');
  return `\`${figures.command}\`${run.includes(figures) ? '' : ` (${where}${othersOf([figures])})`}`;
}

function viewOf(view: View, all: All, run: readonly Figures[]): string[] {
  const figures = all.get(view.source);
  const tables = figures?.tables.filter(({ title }) => view.titles.test(title)) ?? [];
  if (figures === undefined || tables.length === 0) return [];
  const [table] = tables as [Table, ...Table[]];
  const isRace = tables.every(({ speeds }) => speeds !== undefined);
  const title = isRace || tables.length > 1 ? '' : table.title;
  const about = [view.caption, title].filter((part) => part !== '').join('; ');
  const rows = tables.flatMap(({ title, rows }) =>
    rows.map(([name = '', ...cells]) => [
      tables.length === 1 ? name : `${name}; ${title.replace(/:.*/, '')}`,
      ...cells,
    ]),
  );
  const shown = isRace ? speedsOf(tables, view) : plainOf({ ...table, rows }, view);
  return [`${capital(about)}: ${commandOf(figures, run)}\n\n${shown}`];
}

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

const isOurs = (name: string): boolean => name.startsWith('chunksmith');
/** What splitters do, whoever wrote them. */
const kindOf = (name: string): string | undefined =>
  (/start to first \w+/.exec(name) ?? /token|sentence|recursive|markdown/.exec(name.toLowerCase()))?.[0];

function plainOf({ header, rows }: Table, { less = [], first = '', rows: shown }: View): string {
  const kept = rows.filter(([name = '']) => shown?.test(name) ?? true);
  const leastOfPeers = (kind: string | undefined, column: number) => {
    const peers = kept.filter(([name = '']) => !isOurs(name) && kindOf(name) === kind);
    const values = peers.map((row) => Number.parseFloat(row[column] ?? ''));
    return Math.min(...values.filter((value) => !Number.isNaN(value)));
  };
  const isLoss = (name: string, cell: string, column: number) => {
    const value = Number.parseFloat(cell);
    if (!isOurs(name)) return false;
    if (less.includes(header[column] ?? '')) return value > leastOfPeers(kindOf(name), column);
    return /^[\d.]+x /.test(cell) && value < 1;
  };
  const cells = kept.map(([name = '', ...row]) => [
    name,
    ...row.map((cell, at) => {
      const shown = cell.replaceAll(' .. ', '–');
      return isLoss(name, cell, at + 1) ? bold(shown) : shown;
    }),
  ]);
  return markdownOf([first, ...header.slice(1)], cells);
}

/** Speeds with a row for each candidate, and a column for each text. */
function speedsOf(tables: readonly Table[], { titles }: View): string {
  const texts: string[] = [];
  const works = new Map<string, Map<string, Map<string, string>>>();
  for (const { title, speeds = [] } of tables) {
    const { work = '', text = '' } = titles.exec(title)?.groups ?? {};
    if (!texts.includes(text)) texts.push(text);
    const candidates = works.get(work) ?? new Map<string, Map<string, string>>();
    works.set(work, candidates);
    const isSlower = speeds.some(
      ({ name, ratio }) => ratio !== undefined && ratio.median < 1 && !isOurs(name),
    );
    for (const speed of speeds) {
      const cells = candidates.get(speed.name) ?? new Map<string, string>();
      candidates.set(speed.name, cells.set(text, cells.get(text) ?? cellOf(speed, isSlower)));
    }
  }
  const rows = [...works].flatMap(([work, candidates]) =>
    [...candidates].map(([name, cells]) => [work, name, ...texts.map((text) => cells.get(text) ?? '')]),
  );
  const hasWork = rows.some(([work]) => work !== '');
  const header = ['work', 'who', ...texts.map((text) => (text === '' ? 'MB/s' : `${text}, MB/s`))];
  return hasWork
    ? markdownOf(header, rows)
    : markdownOf(
        header.slice(1),
        rows.map((row) => row.slice(1)),
      );
}

function cellOf({ name, isOurs: isFirst, speed, ratio }: Speed, isSlower: boolean): string {
  if (speed === undefined) return 'failed';
  const own = `${short(speed.median)} (${rangeOf(speed)})`;
  if (ratio === undefined || isOurs(name)) return isFirst && isSlower ? bold(own) : own;
  const times = `${short(ratio.median)}x (${rangeOf(ratio)})`;
  return `${own}; ${ratio.median < 1 ? bold(times) : times}`;
}

const rangeOf = ({ min, max }: Spread): string => `${short(min)}–${short(max)}`;

/** Two or three significant digits. */
export const short = (value: number): string =>
  value < 100 ? value.toPrecision(value < 10 ? 2 : 3) : String(Math.round(value));

function enduranceOf(all: All): string[] {
  const run = lastRunOf(
    ENDURED.map(({ source }) => source),
    all,
  );
  const rows = ENDURED.flatMap((one) => {
    const figures = all.get(one.source);
    return figures === undefined ? [] : [enduredOf(one, figures, run)];
  });
  const about =
    'What the service survives, and what was lost, doubled, stuck or wrong meanwhile: nothing may be. Promises are also about memory, recovery and refusals, and about times where others take less than a tenth of the cores; if one is broken, their number is in bold. Runs take the seconds that the column says; longer ones find rarer faults.';
  const header = ['what happens', 'command', 'seconds', 'how much', 'lost or wrong', 'promises kept'];
  return [...headOf('endurance', about, run), markdownOf(header, rows)];
}

function enduredOf({ what, done }: Endured, figures: Figures, run: readonly Figures[]): string[] {
  const [seen = [], checks = []] = ['figure', 'promise'].map((first) =>
    figures.tables.filter(({ header }) => header[0] === first).flatMap(({ rows }) => rows),
  );
  const counts = done.map(([label, pattern, of]) => {
    if (of === 'rows') return `${seen.filter(([name = '']) => pattern.test(name)).length} ${label}`;
    const found = [...seen, ...checks].map(([name = '', value = '']) => {
      const match = pattern.exec(name);
      return match === null
        ? 0
        : Number.parseInt((pattern.source.includes('(\\d+)') ? match[1] : value) ?? '', 10);
    });
    return `${found.reduce((sum, one) => sum + one, 0).toLocaleString('en')} ${label}`;
  });
  // What a client did not send was not lost.
  const none = checks.filter(
    ([name = '', , verdict]) => name.endsWith(': 0') && verdict !== 'ok' && !name.includes('not sent'),
  );
  const wrong = none.reduce((sum, [, found = '']) => sum + Number.parseInt(found, 10), 0);
  const skipped = seen.filter(([, found = '']) => found.startsWith('SKIPPED'));
  const kept = checks.filter(([, , verdict]) => verdict === 'ok').length;
  const left = skipped.length === 0 ? '' : `; without ${skipped.map(([name]) => name).join(', ')}`;
  const promises = `${kept} of ${checks.length}`;
  return [
    what,
    commandOf(figures, run),
    String(figures.seconds),
    counts.join(', ') + left,
    wrong > 0 ? bold(String(wrong)) : '0',
    kept < checks.length ? bold(promises) : promises,
  ];
}

const bold = (text: string): string => `**${text}**`;

function markdownOf(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}
