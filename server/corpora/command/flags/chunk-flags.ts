import { Option } from 'commander';
import { PRESET_FLAGS, type PresetFlags } from '../../../cli/preset-flags.ts';
import { FORMATS } from '../../shard.ts';
import { PROGRESS } from '../progress.ts';

/** The values of the flags of `chunk` that are not options of a chunker. */
export interface ChunkFlags extends PresetFlags {
  readonly chunker?: string;
  readonly pipeline?: string;
  readonly group: 'chunk' | 'document';
  readonly format: 'auto' | (typeof FORMATS)[number];
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
  readonly server?: string;
  readonly workers?: string;
}

const option = (flags: string, description: string): Option => new Option(flags, description);

/** The flags of `chunk` that are not options of a chunker. */
export const CHUNK_FLAGS: readonly Option[] = [
  option('--chunker <name>', 'the chunker (default: the one that chooses another by file name and content)'),
  option('--pipeline <file or name>', 'the steps in a JSON file, or a stored pipeline').conflicts('chunker'),
  ...PRESET_FLAGS,
  option('--group <by>', 'one line per chunk, or per document')
    .choices(['chunk', 'document'])
    .default('chunk'),
  option('--format <format>', 'the format of the files; auto decides by file name')
    .choices(['auto', ...FORMATS])
    .default('auto'),
  option('--id-field <name>', 'the member of a line or row that holds the document id'),
  option('--text-field <name>', 'the member that holds the text'),
  option('--title-field <name>', 'the member that holds the title'),
  option(
    '--metadata-field <name>',
    "a member that becomes metadata; '*' means all members without another use (repeatable)",
  ).argParser((name: string, before?: readonly string[]) => [...(before ?? []), name]),
  option(
    '--root <folder>',
    'folder that document ids, which are file paths, are relative to (default: the current one)',
  ),
  option('--no-ignore', 'include files that .gitignore excludes'),
  option('--out <folder>', 'write part files and a manifest to this folder instead of standard output'),
  option('--out-format <format>', 'the format of the part files of --out')
    .choices(['jsonl', 'parquet'])
    .default('jsonl'),
  option('--resume', 'resume a stopped run into the same --out'),
  option('--since <path>', 'write only the changes since an earlier --out folder or --manifest file'),
  option('--manifest <file>', 'write the chunk ids of each document, for a later --since').conflicts('out'),
  option('--errors <file>', 'write a line of JSON for each failed document'),
  option('--fail-fast', 'stop at the first document that fails'),
  option('--progress <kind>', 'how progress is shown on standard error').choices(PROGRESS).default('auto'),
  option('--server <url>', 'chunk on a running service; its key is taken from the variable CHUNKSMITH_KEY'),
  option('--workers <number>', 'worker threads (default: number of cores)'),
];
