import { startOurs } from '../http/servers.ts';
import { printTitle } from '../race/report.ts';
import type { Corpus, CorpusPart } from './data.ts';
import { chunk, chunkInto, engine, loop, type Options } from './processes.ts';
import { compare } from './turns.ts';

const WAYS: Readonly<Record<string, Options>> = {
  recursive: ['--chunker', 'recursive'],
  markdown: ['--chunker', 'markdown'],
  'recursive with cl100k_base': ['--chunker', 'recursive', '--tokenizer', 'cl100k_base'],
};
/** Nothing beside the first thread. */
const ONE_THREAD = ['--workers', '0'];
/** The first thread reads and writes, another one chunks. */
const ONE_WORKER = ['--workers', '1'];
const TWO_THREADS = ['--workers', '2'];
/** What part of the documents goes through the loop in Python. */
const LOOP_SHARE = 1 / 4;

/** The command line with one thread and with two, and the engine alone. @param folder for what is written */
export async function runSpeeds(corpus: Corpus, folder: string): Promise<void> {
  printTitle('The command line, and the engine alone, which has the documents in memory and writes nothing');
  for (const [name, options] of Object.entries(WAYS)) {
    for (const { path, title } of parts(corpus)) {
      await compare(`${name}, ${title}`, [
        { name: 'one thread', run: () => chunk(folder, [path, ...options, ...ONE_THREAD]) },
        { name: 'one worker thread', run: () => chunk(folder, [path, ...options, ...ONE_WORKER]) },
        {
          name: 'two worker threads',
          isOurs: true,
          run: () => chunk(folder, [path, ...options, ...TWO_THREADS]),
        },
        {
          name: 'the engine, two worker threads',
          run: () => engine(folder, [path, ...options, ...TWO_THREADS]),
        },
      ]);
    }
  }
}

/** The command line against part files that can be gone on with, and against a loop over the API. */
export async function runPeers(corpus: Corpus, folder: string): Promise<void> {
  printTitle('The command line, recursive, two threads, against other ways');
  const server = await startOurs({ WORKERS: '2' });
  const options = ['--chunker', 'recursive', ...TWO_THREADS];
  try {
    for (const { path, documents, title } of parts(corpus)) {
      const most = Math.round(documents * LOOP_SHARE);
      const url = `${server.url}/v1/chunk/recursive`;
      await compare(title, [
        { name: 'one file', isOurs: true, run: () => chunk(folder, [path, ...options]) },
        { name: 'part files, --out', run: () => chunkInto(folder, [path, ...options]) },
        { name: `Python, 8 requests at once, ${most} documents`, run: () => loop(folder, url, path, most) },
      ]);
    }
  } finally {
    await server.stop();
  }
}

function parts({ files, lines }: Corpus): readonly (CorpusPart & { readonly title: string })[] {
  return [
    { ...files, title: `${files.documents} files of Markdown` },
    { ...lines, title: `${lines.documents} lines of JSON` },
  ];
}
