import { withOurs } from '../http/servers.ts';
import { printTitle } from '../race/report.ts';
import { compare, compareCheckouts } from './compare.ts';
import type { Corpus, FormatCorpora } from './data.ts';
import { chunk, chunkInto, loop, type Run, unlessUnknown } from './processes.ts';

type Corpora = Readonly<Record<string, Corpus>>;

const WAYS: Readonly<Record<string, readonly string[]>> = {
  recursive: ['--chunker', 'recursive'],
  markdown: ['--chunker', 'markdown'],
  'recursive with cl100k_base': ['--chunker', 'recursive', '--tokenizer', 'cl100k_base'],
};
/** What chunks: the first thread, or others beside it, which reads and writes. */
const THREADS = ['one thread', 'one worker thread', 'two worker threads'];
/** What part of the documents goes through the loop in Python. */
const LOOP_SHARE = 1 / 4;

/** The command line with one thread and with two. @param folder for what is written */
export async function runSpeeds(parts: Corpora, folder: string): Promise<void> {
  printTitle('The command line, by its threads');
  for (const [name, options] of Object.entries(WAYS)) {
    for (const [title, { path }] of Object.entries(parts)) {
      const runs = THREADS.map((name, workers) => ({
        name,
        run: () => chunk(folder, [path, ...options, '--workers', String(workers)]),
      }));
      await compare(`${name}, ${title}`, runs);
    }
  }
}

const TWO = ['--chunker', 'recursive', '--workers', '2'];

/** The command line against part files that can be gone on with, and against a loop over the API. */
export async function runPeers(parts: Corpora, folder: string): Promise<void> {
  printTitle('The command line, recursive, two threads, against other ways');
  await withOurs(
    async ({ client }) => {
      const url = `${client.url}/v1/chunk/recursive`;
      for (const [title, { path, documents }] of Object.entries(parts)) {
        const most = Math.round(documents * LOOP_SHARE);
        await compare(title, [
          { name: 'one file', run: () => chunk(folder, [path, ...TWO]) },
          { name: 'part files, --out', run: () => chunkInto(folder, [path, ...TWO]) },
          { name: `Python, 8 requests at once, ${most} documents`, run: () => loop(url, path, most) },
        ]);
      }
    },
    ['--workers', '2'],
  );
}

/** Work for the command line of any checkout. */
interface Work {
  readonly name: string;
  run(root?: string): Promise<Run>;
}

/** The same documents in each format, in and out. Their bytes are those of JSON Lines, whatever they take. */
function formatWorks({ jsonl, csv, parquet }: FormatCorpora, folder: string): [Work[], Work[]] {
  const asLines = async (run: Promise<Run>) => ({ ...(await run), bytes: jsonl.bytes });
  const into = (format: string[] = []) => ({
    run: (root?: string) => asLines(chunkInto(folder, [jsonl.path, ...TWO, ...format], root)),
  });
  const from = ({ path }: Corpus, format: string) => ({
    run: (root?: string) => asLines(chunk(folder, [path, ...TWO, '--format', format], root)),
  });
  return [
    [
      { name: 'JSON Lines', ...from(jsonl, 'jsonl') },
      { name: 'CSV', ...from(csv, 'csv') },
      { name: 'Parquet', ...from(parquet, 'parquet') },
    ],
    [
      { name: 'into JSON Lines, --out', ...into() },
      { name: 'into Parquet, --out', ...into(['--out-format', 'parquet']) },
    ],
  ];
}

/** The command line over the same documents in each format, in and out. */
export async function runFormats(corpora: Readonly<Record<string, FormatCorpora>>, folder: string) {
  printTitle('The command line by format, recursive, two threads; MB of JSON Lines');
  for (const [title, formats] of Object.entries(corpora)) {
    const [sources, targets] = formatWorks(formats, folder);
    await compare(`from, ${title}`, sources);
    await compare(`into, ${title}`, targets);
  }
}

/** All of this by the command line of another checkout as well. */
export async function runAgainst(
  parts: Corpora,
  corpora: Readonly<Record<string, FormatCorpora>>,
  folder: string,
  other: string,
): Promise<void> {
  printTitle(`The command line here, and there: ${other}`);
  const plain = (name: string, { path }: Corpus, options: readonly string[]): Work => ({
    name,
    run: (root) => chunk(folder, [path, ...options], root),
  });
  const groups = {
    ...Object.fromEntries(
      Object.entries(parts).map(([title, corpus]) => [
        title,
        [
          plain('recursive, one thread', corpus, ['--chunker', 'recursive', '--workers', '0']),
          ...Object.entries(WAYS).map(([name, options]) =>
            plain(name, corpus, [...options, '--workers', '2']),
          ),
        ],
      ]),
    ),
    ...Object.fromEntries(
      Object.entries(corpora).map(([title, formats]) => [title, formatWorks(formats, folder).flat()]),
    ),
  };
  for (const [title, works] of Object.entries(groups)) {
    const pairs = works.map(({ name, run }) => ({
      name,
      here: () => run(),
      there: () => unlessUnknown(run(other)),
    }));
    await compareCheckouts(`${title}; two threads, unless a row says otherwise`, pairs);
  }
}
