import { basename, dirname, resolve } from 'node:path';
import { argv, cpuUsage, env } from 'node:process';
import { parseArgs } from 'node:util';
import { openEngine } from '../../../server/cli/engine.ts';
import { createLocalFolder } from '../../../server/corpus/local-folder.ts';
import { planShards } from '../../../server/corpus/plan-shards.ts';
import { readShard } from '../../../server/corpus/read-shard.ts';
import type { SourceDocument } from '../../../server/corpus/shard.ts';
import { localChunking } from '../../../server/jobs/chunking.ts';

/**
 * Entry of a process, with arguments as `chunk` of the command line has them: hands the documents of a source, which it has
 * read before, to the engine, throws away what comes back, and prints a summary of that.
 */

const text = { type: 'string', default: '' } as const;
const { values, positionals } = parseArgs({
  args: argv.slice(2),
  allowPositionals: true,
  options: { chunker: text, tokenizer: { type: 'string' }, workers: text },
});
const { chunker, tokenizer, workers } = values;
const [source = ''] = positionals;
/** Groups of documents that wait for a thread, as in the command line. */
const AHEAD = 2;

async function documentsOf(path: string): Promise<SourceDocument[][]> {
  const storage = createLocalFolder(dirname(path));
  const batches: SourceDocument[][] = [];
  for await (const range of planShards(storage, { path: basename(path), format: 'auto' })) {
    for await (const lines of readShard(storage, range, { limit: Number.MAX_SAFE_INTEGER })) {
      batches.push(lines.filter((line) => 'document' in line));
    }
  }
  return batches;
}

async function* inOrder(batches: readonly SourceDocument[][]): AsyncGenerator<readonly SourceDocument[]> {
  yield* batches;
}

const { service, runner, close } = await openEngine({ workers }, env);
const batches = await documentsOf(resolve(source));
const spec = {
  source: { format: 'auto' },
  task: { run: 'chunk', name: chunker },
  options: tokenizer === undefined ? {} : { tokenizer },
  group: 'chunk',
  target: { path: '' },
} as const;

const [begin, used] = [performance.now(), cpuUsage()];
const chunking = localChunking({ service, runner, slots: Number(workers) + AHEAD });
let [bytes, chunks] = [0, 0];
for await (const { documents } of chunking(spec, inOrder(batches), new AbortController().signal)) {
  for (const document of documents) {
    bytes += document.source.size;
    chunks += document.chunks;
  }
}
const seconds = (performance.now() - begin) / 1000;
const { user, system } = cpuUsage(used);
console.log(JSON.stringify({ seconds, bytes, chunks, cpu: (user + system) / 1e6 }));
await close();
