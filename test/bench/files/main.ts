import { processorMs, race } from '../race/race.ts';
import { printTable, printTitle, timesAsFast, withRange } from '../race/report.ts';
import { median, ratioOf, spreadOf } from '../race/statistics.ts';
import { ownReader } from './own-reader.ts';
import { type FileKind, type FileReader, KINDS, loadPeers } from './peers.ts';
import { type PublicFile, readFiles } from './public-files.ts';

const WORD = /[\p{L}\p{N}]+/gu;

/** What a reader makes of the files of a kind. */
interface Entrant {
  readonly reader: FileReader;
  readonly words: number;
  readonly pages: number;
  /** The least milliseconds for each file. */
  readonly least: number[];
}

printTitle('Files to text: our readers and native libraries, in one process, bytes in memory');
const ours = await ownReader();
const readers: FileReader[] = [ours, ...(await loadPeers())];
const files = await readFiles();
for (const kind of Object.keys(KINDS) as FileKind[]) {
  const own = files.filter((file) => file.kind === kind);
  if (own.length > 0) await compare(kind, own);
}

/** Races the readers of a kind over those of its files that all of them can read. */
async function compare(kind: FileKind, all: readonly PublicFile[]): Promise<void> {
  const able = readers.filter(({ kinds }) => kinds.includes(kind));
  const found = new Map<PublicFile, Found[]>();
  for (const file of all) {
    const own: Found[] = [];
    for (const reader of able) own.push(await findIn(reader, file));
    if (own.every(({ words }) => words > 0)) found.set(file, own);
    else console.log(`Left out: ${file.name}, since not all readers find text in it.`);
  }
  if (found.size === 0) return;
  const read = [...found.keys()];
  const entrants = able.map((reader, at): Entrant => {
    const own = [...found.values()].map((of) => of[at] as Found);
    return { reader, words: sum(own, 'words'), pages: sum(own, 'pages'), least: read.map(() => Infinity) };
  });
  const results = await race(
    entrants.map((entrant) => ({
      name: entrant.reader.name,
      isOurs: entrant.reader === ours,
      run: () => readAll(entrant, read),
    })),
    { budget: 60_000 },
  );
  const bytes = read.reduce((sum, file) => sum + file.bytes.length, 0);
  const pages = kind === 'pdf' ? (entrants[0]?.pages ?? 0) : 0;
  const [unit, amount] = pages > 0 ? ['page', pages] : ['MB', bytes / 1e6];
  const [first] = results;
  const rows = results.map(({ name, times, failure }, at) => {
    const { reader, words, least } = entrants[at] as Entrant;
    const ratios = least.map((ms, index) => ms / (entrants[0]?.least[index] ?? Number.NaN));
    const isOurs = reader === ours;
    return [
      ...[name, failure ?? withRange(times.map((ms) => ms / amount))],
      isOurs || first === undefined ? '' : timesAsFast(ratioOf(times, first.times)),
      isOurs ? '' : timesAsFast({ ...spreadOf(ratios), median: median(ratios) }),
      ...[String(words), reader.hasBoxes && kind === 'pdf' ? 'yes' : 'no'],
    ];
  });
  const size = `${read.length} files, ${(bytes / 1e6).toFixed(1)} MB${pages > 0 ? `, ${pages} pages` : ''}`;
  printTable(`${kind}: ${size}`, ['', `ms per ${unit}`, 'ours', 'ours, by file', 'words', 'boxes'], rows);
}

interface Found {
  readonly words: number;
  readonly pages: number;
}

function sum(found: readonly Found[], of: keyof Found): number {
  return found.reduce((total, one) => total + one[of], 0);
}

async function findIn(reader: FileReader, { bytes, name, kind }: PublicFile): Promise<Found> {
  try {
    const { text, pages = 0 } = await reader.read(bytes, name, kind);
    return { words: text.match(WORD)?.length ?? 0, pages };
  } catch {
    return { words: 0, pages: 0 };
  }
}

async function readAll({ reader, least }: Entrant, read: readonly PublicFile[]): Promise<void> {
  for (const [index, { bytes, name, kind }] of read.entries()) {
    const start = processorMs();
    await reader.read(bytes, name, kind);
    least[index] = Math.min(least[index] ?? Infinity, processorMs() - start);
  }
}
