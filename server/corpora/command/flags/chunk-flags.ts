import { Option } from 'commander';
import { FORMATS } from '../../shard.ts';
import { PROGRESS } from '../progress.ts';

/** The values of the flags of `chunk` that are not options of a chunker. */
export interface ChunkFlags {
  readonly chunker?: string;
  readonly pipeline?: string;
  readonly group: 'chunk' | 'document';
  readonly format: 'auto' | (typeof FORMATS)[number];
  readonly jsonl?: true;
  readonly idField?: string;
  readonly textField?: string;
  readonly titleField?: string;
  readonly metadataField?: readonly string[];
  readonly root?: string;
  readonly ignore: boolean;
  readonly out?: string;
  readonly resume?: true;
  readonly since?: string;
  readonly outFormat: 'jsonl' | 'parquet';
  readonly manifest?: string;
  readonly errors?: string;
  readonly failFast?: true;
  readonly progress: (typeof PROGRESS)[number];
  readonly json?: true;
  readonly server?: string;
  readonly workers?: string;
}

const option = (flags: string, description: string): Option => new Option(flags, description);

/** The flags of `chunk` that are not options of a chunker. */
export const CHUNK_FLAGS: readonly Option[] = [
  option(
    '--chunker <name>',
    'the chunker (default: the one that chooses among the others by name and content)',
  ),
  option('--pipeline <file or name>', 'the steps in a JSON file, or a stored pipeline').conflicts('chunker'),
  option('--group <by>', 'a line for each chunk, or for each document')
    .choices(['chunk', 'document'])
    .default('chunk'),
  option('--format <format>', 'what the files hold; auto goes by their names')
    .choices(['auto', ...FORMATS])
    .default('auto'),
  option('--jsonl', 'the same as --format jsonl').conflicts('format'),
  option('--id-field <name>', 'the member of a line or row that is the id of its document'),
  option('--text-field <name>', 'the member that is the text'),
  option('--title-field <name>', 'the member that is the title'),
  option(
    '--metadata-field <name>',
    "a member that becomes metadata; '*' is all that have no other use (can be given several times)",
  ).argParser((name: string, before?: readonly string[]) => [...(before ?? []), name]),
  option(
    '--root <folder>',
    'ids of documents are paths of files relative to this folder (default: the current one)',
  ),
  option('--no-ignore', 'take files too that .gitignore names'),
  option('--out <folder>', 'write part files and a manifest into this folder, instead of standard output'),
  option('--out-format <format>', 'what the part files of --out are')
    .choices(['jsonl', 'parquet'])
    .default('jsonl'),
  option('--resume', 'go on where a run into the same --out stopped'),
  option('--since <path>', 'write only what has changed since an earlier --out folder or --manifest file'),
  option('--manifest <file>', 'write the ids of the chunks of each document, for a later --since').conflicts(
    'out',
  ),
  option('--errors <file>', 'write a line of JSON for each document that fails'),
  option('--fail-fast', 'stop at the first document that fails'),
  option('--progress <kind>', 'how progress is shown on standard error').choices(PROGRESS).default('auto'),
  option('--json', 'the same as --progress json: progress and summary as lines of JSON').conflicts(
    'progress',
  ),
  option('--server <url>', 'chunk on a running service; the variable CHUNKSMITH_KEY has its key'),
  option('--workers <number>', 'worker threads (default: number of cores)'),
];
