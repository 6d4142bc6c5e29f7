import type { Speed, Table } from '../race/report.ts';
import type { Spread } from '../race/statistics.ts';
import type { Figures } from './figures.ts';
import { ENDURED, type Endured, SECTIONS, type Section, type View } from './sources.ts';

type All = ReadonlyMap<string, Figures>;

/** BENCHMARKS.md. */
export function pageOf(all: All): string {
  return `${[
    '# Benchmarks',
    `What Chunksmith does beside others, each by name and version, where it loses in **bold**. \`npm run bench -- report\` writes this page and its chart from one run, \`-- report --only speed\` renews a part; add \`--quick\` for smaller texts and fewer rounds. Each table has the command that prints it. Times are those of the machine that is named; ratios are what another one of its kind should show. [test/bench](test/bench/README.md) says how it is measured.`,
    ...SECTIONS.flatMap((section) => sectionOf(section, all)),
    ...enduranceOf(all),
  ].join('\n\n')}\n`;
}

function sectionOf({ name, about, views, notes }: Section, all: All): string[] {
  const sources = new Set(views.map(({ source }) => source));
  return [
    ...headOf(name, about, [...sources], all),
    ...views.flatMap((view) => viewOf(view, all)),
    notes.map((note) => `- ${note}`).join('\n'),
  ];
}

function headOf(name: string, about: string, sources: readonly string[], all: All): string[] {
  const found = sources.flatMap((source) => all.get(source) ?? []);
  const each = (values: readonly string[]) => [...new Set(values)].sort().join(' and ');
  const loads = found.map(({ load }) => load);
  const range = [...new Set([Math.min(...loads), Math.max(...loads)])].join(' to ');
  const load = found.length === 0 ? '' : `, load average ${range}`;
  const ours = `${each(found.map(({ version }) => version))} (${each(found.map(({ commit }) => commit))})`;
  const where = `${each(found.map(({ date }) => date))}, chunksmith ${ours}, ${each(found.map(({ machine }) => machine))}${load}.`;
  return [`## ${capital(name)}`, about, `\`npm run bench -- report --only ${name}\`, ${where}`];
}

function viewOf(view: View, all: All): string[] {
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
  return [`${capital(about)}: \`${figures.command}\`\n\n${shown}`];
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
    return /^[\d.]+x$/.test(cell) && value < 1;
  };
  const cells = kept.map(([name = '', ...row]) => [
    name,
    ...row.map((cell, at) => (isLoss(name, cell, at + 1) ? bold(cell) : cell)),
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
  const rows = ENDURED.flatMap((one) => {
    const figures = all.get(one.source);
    return figures === undefined ? [] : [enduredOf(one, figures)];
  });
  const about =
    'What the service survives, and what was lost, doubled, stuck or wrong meanwhile: nothing may be. Runs are as long as the column says; longer ones find rarer faults. Memory, latency and recovery have limits that are counted as promises, and broken ones are in bold. On a machine with other work, latencies are those of the machine; memory under `load` is level only after some minutes.';
  const header = ['what happens', 'command', 'seconds', 'how much', 'lost or wrong', 'promises kept'];
  return [
    ...headOf(
      'endurance',
      about,
      ENDURED.map(({ source }) => source),
      all,
    ),
    markdownOf(header, rows),
  ];
}

function enduredOf({ what, done }: Endured, { command, seconds, tables }: Figures): string[] {
  const [figures = [], checks = []] = ['figure', 'promise'].map((first) =>
    tables.filter(({ header }) => header[0] === first).flatMap(({ rows }) => rows),
  );
  const seen = [...figures, ...checks];
  const counts = done.map(([label, pattern, of]) => {
    if (of === 'rows') return `${figures.filter(([name = '']) => pattern.test(name)).length} ${label}`;
    const found = seen.map(([name = '', value = '']) => {
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
  const skipped = figures.filter(([, found = '']) => found.startsWith('SKIPPED'));
  const kept = checks.filter(([, , verdict]) => verdict === 'ok').length;
  const left = skipped.length === 0 ? '' : `; without ${skipped.map(([name]) => name).join(', ')}`;
  const promises = `${kept} of ${checks.length}`;
  return [
    what,
    `\`${command}\``,
    String(seconds),
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
