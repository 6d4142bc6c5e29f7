/**
 * Measures the tables that the reader finds against those of a folder of the ICDAR 2013 table competition: `NAME.pdf` with
 * `NAME-str.xml`. A folder may have `truth.json` instead: `{ "NAME.pdf": [{ "rows": [["cell", ...], ...] }, ...] }`.
 *
 *     [HALF=even|odd] node test/plugins/readers/pdf/support/evaluate-tables.ts FOLDER [part of a name]
 *
 * The halves are those by the first byte of the hash of the name: rules are developed with one and measured with the other.
 *
 * A cell is right if its text is in the row and the column that most cells of its row and its column are in. Relations are
 * those of the competition: each cell and the next one to its right and below.
 */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import createReader from '../../../../../plugins/readers/pdf/index.ts';
import { collaborators } from '../../../../../server/testing/collaborators.ts';

interface Cell {
  readonly text: string;
  readonly row: number;
  readonly column: number;
}

const plain = (text: string): string =>
  text
    .normalize('NFKC')
    .replace(/(?:[.]\s*){3,}$/, '')
    .replace(/[\s\u00ad|\\]+/g, '');
const decoded = (xml: string): string =>
  xml
    .replace(/<!\[CDATA\[([\s\S]*?)\]\]>/g, '$1')
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&lt;/g, '<')
    .replace(/&gt;/g, '>')
    .replace(/&quot;/g, '"')
    .replace(/&apos;/g, "'")
    .replace(/&amp;/g, '&');

/** The tables of the truth. Regions of one table are put together by their increments. */
function tablesOfTruth(xml: string): Cell[][] {
  return [...xml.matchAll(/<table[\s>][\s\S]*?<\/table>/g)].map(([table]) =>
    [...table.matchAll(/<region([^>]*)>([\s\S]*?)<\/region>/g)].flatMap(
      ([, attributes = '', region = '']) => {
        const of = (name: string, from: string) =>
          Number(new RegExp(`${name}=["'](-?\\d+)`).exec(from)?.[1] ?? 0);
        return [...region.matchAll(/<cell([^>]*)>([\s\S]*?)<\/cell>/g)].flatMap(
          ([, cell = '', content = '']) => {
            const text = plain(decoded(/<content>([\s\S]*?)<\/content>/.exec(content)?.[1] ?? ''));
            const row = of('start-row', cell) + of('row-increment', attributes);
            const column = of('start-col', cell) + of('col-increment', attributes);
            return text === '' ? [] : [{ text, row, column }];
          },
        );
      },
    ),
  );
}

/** The tables of a Markdown text. */
function tablesOf(markdown: string): Cell[][] {
  const tables: Cell[][] = [];
  let rows: string[] = [];
  const end = (): void => {
    const cells = rows.flatMap((line, row) =>
      line
        .slice(1)
        .split(/(?<!\\)\|/)
        .map((text, column) => ({ text: plain(text.replaceAll('&#124;', '|')), row, column }))
        .filter(({ text }) => text !== ''),
    );
    if (cells.length > 0) tables.push(cells);
    rows = [];
  };
  for (const line of markdown.split('\n')) {
    if (!line.startsWith('|')) end();
    else if (!/^\|(?: - \|)+$/.test(line)) rows.push(line);
  }
  end();
  return tables;
}

const relationsOf = (cells: readonly Cell[]): string[] => {
  const sorted = cells.toSorted((a, b) => a.row - b.row || a.column - b.column);
  const down = cells.toSorted((a, b) => a.column - b.column || a.row - b.row);
  return [
    ...sorted.flatMap((a, index) => {
      const b = sorted[index + 1];
      return b?.row === a.row ? [`right ${a.text} ${b.text}`] : [];
    }),
    ...down.flatMap((a, index) => {
      const b = down[index + 1];
      return b?.column === a.column ? [`down ${a.text} ${b.text}`] : [];
    }),
  ];
};

function common(a: readonly string[], b: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const one of a) counts.set(one, (counts.get(one) ?? 0) + 1);
  let found = 0;
  for (const one of b) {
    const left = counts.get(one) ?? 0;
    if (left > 0) found++;
    counts.set(one, left - 1);
  }
  return found;
}

/** The share of the cells of one table whose text another one has. */
const likeness = (truth: readonly Cell[], table: readonly Cell[]): number =>
  common(
    table.map(({ text }) => text),
    truth.map(({ text }) => text),
  ) / truth.length;

const best = (votes: ReadonlyMap<string, number>): string =>
  [...votes].reduce((most, one) => (one[1] > most[1] ? one : most), ['', 0] as [string, number])[0];

/** The cells of the truth that are not in their row and column. */
function wrongCells(truth: readonly Cell[], found: readonly (readonly Cell[])[]): Cell[] {
  const places = new Map<string, { row: string; column: string }[]>();
  for (const [index, table] of found.entries())
    for (const { text, row, column } of table)
      places.set(text, [
        ...(places.get(text) ?? []),
        { row: `${index} ${row}`, column: `${index} ${column}` },
      ]);
  // Equal cells of other tables do not decide.
  const weights = found.map((table) => likeness(truth, table) ** 2);
  const voted = (of: 'row' | 'column') =>
    new Map(
      Array.from(
        Map.groupBy(truth, (cell) => cell[of]),
        ([at, cells]) => {
          const votes = new Map<string, number>();
          for (const { text } of cells) {
            const all = new Set((places.get(text) ?? []).map((place) => place[of]));
            for (const one of all)
              votes.set(one, (votes.get(one) ?? 0) + (weights[Number.parseInt(one, 10)] ?? 0) / all.size);
          }
          return [at, best(votes)] as const;
        },
      ),
    );
  const [rows, columns] = [voted('row'), voted('column')];
  return truth.filter(
    ({ text, row, column }) =>
      !places.get(text)?.some((place) => place.row === rows.get(row) && place.column === columns.get(column)),
  );
}

interface Truth {
  readonly rows: readonly (readonly string[])[];
}

const [folder = '.', part = ''] = process.argv.slice(2);
const listed = existsSync(`${folder}/truth.json`)
  ? (JSON.parse(readFileSync(`${folder}/truth.json`, 'utf8')) as Readonly<Record<string, readonly Truth[]>>)
  : undefined;
const cellsOf = ({ rows }: Truth): Cell[] =>
  rows
    .flatMap((cells, row) => cells.map((text, column) => ({ text: plain(text), row, column })))
    .filter(({ text }) => text !== '');
const isOfHalf = (name: string): boolean => {
  const half = process.env.HALF;
  const byte = createHash('sha256').update(name).digest()[0] ?? 0;
  return half === undefined || (half === 'even') === (byte % 2 === 0);
};
const reader = await createReader(collaborators());
const total = { cells: 0, right: 0, truth: 0, found: 0, both: 0, tables: 0, files: 0 };
for (const name of readdirSync(folder).sort()) {
  if (!name.endsWith('.pdf') || !name.includes(part) || !isOfHalf(name)) continue;
  const truth =
    listed === undefined
      ? tablesOfTruth(readFileSync(`${folder}/${name.replace('.pdf', '-str.xml')}`, 'utf8'))
      : (listed[name] ?? []).map(cellsOf);
  const { text } = await reader.read(
    { bytes: readFileSync(`${folder}/${name}`), name, mediaType: undefined, charset: undefined },
    { report: () => {}, signal: new AbortController().signal, options: { tables: 'markdown' } },
  );
  const found = tablesOf(text);
  const wrong = truth.flatMap((table) => wrongCells(table, found));
  const cells = truth.flat().length;
  const [wanted, got] = [truth.flatMap(relationsOf), found.flatMap(relationsOf)];
  const both = common(wanted, got);
  total.cells += cells;
  total.right += cells - wrong.length;
  total.truth += wanted.length;
  total.found += got.length;
  total.both += both;
  total.tables += truth.length;
  total.files++;
  const share = (a: number, b: number) => (b === 0 ? '-' : (a / b).toFixed(3));
  console.log(
    `${name}: cells ${share(cells - wrong.length, cells)} of ${cells}, recall ${share(both, wanted.length)}, precision ${share(both, got.length)}, tables ${found.length} for ${truth.length}`,
  );
  if (part !== '') for (const { text, row, column } of wrong) console.log(`  ${row} ${column} ${text}`);
}
const { cells, right, truth, found, both, tables, files } = total;
console.log(
  `${files} files, ${tables} tables: cells in the right row and column ${(right / cells).toFixed(4)} of ${cells}; relations: recall ${(both / truth).toFixed(4)}, precision ${(both / found).toFixed(4)}`,
);
