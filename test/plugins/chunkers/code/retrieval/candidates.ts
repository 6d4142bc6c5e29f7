import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { PipelineStep } from '../../../../../core/contracts/pipeline.ts';
import type { Tokenizer } from '../../../../../core/contracts/tokenizer.ts';
import { requirePreset } from '../../../../../server/engine/presets/presets.ts';
import { chunkStep, jsonOf, type OpenService, refineStep } from '../../../../support/service.ts';
import type { CodeSet } from './functions.ts';
import type { Chunk } from './search.ts';
import { splitThenMerge } from './split-then-merge.ts';

/** A way to chunk. */
export interface Candidate {
  readonly name: string;
  chunk(set: CodeSet): Promise<Chunk[]>;
}

/** Tokens of a chunk. */
export const SIZE = 300;
export const TOKENIZER = 'cl100k_base';
const COUNTED = { tokenizer: TOKENIZER, chunk_size: SIZE, offset_unit: 'utf16' } as const;
/** The recipes of `recursive` for languages that have one. */
const RECIPES: Readonly<Record<string, string>> = { python: 'python', typescript: 'js' };

/** Options of `code`; the last ones are those of the preset `code`. */
export const WAYS = {
  keep: { oversize: 'keep' },
  split: { oversize: 'split' },
  members: { oversize: 'members' },
  'members, separate': { oversize: 'members', separate_functions: true },
} as const;

export function stepOf(language: string, options: object): PipelineStep {
  return chunkStep('code', { ...COUNTED, language, include_nodes: true, ...options });
}

/** Ours: each alone, and with what the preset `code` has in front, or with the path where there are no names. */
export function ownCandidates(execute: OpenService['execute']): Candidate[] {
  const names = requirePreset('code').steps.filter(({ refinery }) => refinery === 'context');
  const path = [refineStep('context', { template: '{filename}' })];
  const ours = (
    name: string,
    stepFor: (language: string) => PipelineStep,
    refined: readonly PipelineStep[] = [],
  ): Candidate => ({
    name,
    async chunk({ language, documents }) {
      const lists = jsonOf<MadeChunk[][]>(await execute([stepFor(language), ...refined], { documents }));
      return lists.flatMap((own, document) =>
        own.map(({ start_index, end_index, context }) => {
          return { document, start: start_index, end: end_index, context };
        }),
      );
    },
  });
  const code = (options: object) => (language: string) => stepOf(language, options);
  const recursive = (language: string) =>
    chunkStep('recursive', { ...COUNTED, recipe: RECIPES[language] ?? 'default' });
  const lines = () => chunkStep('recursive', { ...COUNTED, delimiters: ['\n'], min_characters_per_chunk: 1 });
  return [
    ...Object.entries(WAYS).flatMap(([name, options]) => [
      ours(`chunksmith code: ${name}`, code(options)),
      ours(`chunksmith code: ${name}, names`, code(options), names),
    ]),
    ours('chunksmith recursive', recursive),
    ours('chunksmith recursive, path', recursive, path),
    ours('chunksmith lines', lines),
    ours('chunksmith lines, path', lines, path),
  ];
}

interface MadeChunk {
  readonly start_index: number;
  readonly end_index: number;
  readonly context?: string | null;
}

type Split = (text: string) => Promise<readonly Omit<Chunk, 'document'>[]>;

/** What others do: each alone, and with the path and, where the method knows them, names in front. */
export async function peerCandidates(language: string, tokenizer: Tokenizer): Promise<Candidate[]> {
  const peer = (name: string, splitFor: (set: CodeSet) => Split): Candidate[] => {
    const made = new WeakMap<CodeSet, Promise<Chunk[]>>();
    const chunksOf = async ({ documents }: CodeSet, split: Split) => {
      const all: Chunk[] = [];
      for (const [document, { text, filename }] of documents.entries())
        for (const { context, ...chunk } of await split(text))
          all.push({ ...chunk, document, context: [filename, context].filter(Boolean).join('\n') });
      return all;
    };
    return [false, true].map((isInFront) => ({
      name: isInFront ? `${name}, path` : name,
      async chunk(set) {
        const chunks = made.get(set) ?? chunksOf(set, splitFor(set));
        made.set(set, chunks);
        return isInFront ? await chunks : (await chunks).map((one) => ({ ...one, context: undefined }));
      },
    }));
  };
  return [
    ...peer("cAST's method, as of astchunk 0.1.0", (set) => {
      const most = charactersIn(set, tokenizer);
      return (text) => splitThenMerge(language, text, most);
    }),
    ...(await codePeers(language)).flatMap(({ name, split }) => peer(name, () => split)),
  ];
}

/** Characters that are enough for the sample of a set. */
const SAMPLE = 500_000;

/** The characters that a chunk has on average in a set, without white space. */
function charactersIn({ documents }: CodeSet, tokenizer: Tokenizer): number {
  const text = documents.map((one) => one.text).join('');
  const sample = text.slice(0, SAMPLE);
  const tokens = tokenizer.tokenize(sample).count(0, sample.length);
  return Math.round((SIZE * sample.replace(/\s/g, '').length) / tokens);
}

/** Chunkers of others, if the peers of the benchmarks are installed. */
async function codePeers(language: string): Promise<{ readonly name: string; readonly split: Split }[]> {
  const bench = join(import.meta.dirname, '../../../../bench');
  if (existsSync(join(bench, 'node_modules')))
    return (await import(join(bench, 'structure/code-peers.ts'))).codePeers(language, SIZE);
  console.error('LangChain and Chonkie are left out: run npm ci in test/bench');
  return [];
}
