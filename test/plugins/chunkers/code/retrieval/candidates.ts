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
const WAYS = {
  keep: { oversize: 'keep' },
  split: { oversize: 'split' },
  members: { oversize: 'members' },
  'members, separate': { oversize: 'members', separate_functions: true },
} as const;

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
  const code = (options: object) => (language: string) =>
    chunkStep('code', { ...COUNTED, language, include_nodes: true, ...options });
  const recursive = (language: string) =>
    chunkStep('recursive', { ...COUNTED, recipe: RECIPES[language] ?? 'default' });
  const lines = () => chunkStep('recursive', { ...COUNTED, delimiters: ['\n'], min_characters_per_chunk: 1 });
  return [
    ...Object.entries(WAYS).flatMap(([name, options]) => [
      ours(`code ${name}`, code(options)),
      ours(`code ${name}, names`, code(options), names),
    ]),
    ours('recursive', recursive),
    ours('recursive, path', recursive, path),
    ours('lines', lines),
    ours('lines, path', lines, path),
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
  const peer = (name: string, splitFor: (set: CodeSet) => Split): Candidate[] =>
    [false, true].map((isInFront) => ({
      name: isInFront ? `${name}, path` : name,
      async chunk(set) {
        const split = splitFor(set);
        const lists = set.documents.map(async ({ text, filename }, document) =>
          (await split(text)).map(({ context, ...chunk }) => {
            const front = [filename, context].filter(Boolean).join('\n');
            return { ...chunk, document, ...(isInFront && { context: front }) };
          }),
        );
        return (await Promise.all(lists)).flat();
      },
    }));
  const langchain = await langchainFor(language);
  return [
    ...peer('split then merge', (set) => {
      const most = charactersIn(set, tokenizer);
      return (text) => splitThenMerge(language, text, most);
    }),
    ...(langchain === undefined ? [] : peer('LangChain', () => langchain)),
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

/** The recipe of LangChain, if the peers of the benchmarks are installed. */
async function langchainFor(language: string): Promise<Split | undefined> {
  const bench = join(import.meta.dirname, '../../../../bench');
  if (!existsSync(join(bench, 'node_modules'))) {
    console.error('LangChain is left out: run npm ci in test/bench');
    return undefined;
  }
  const { langchainCode } = await import(join(bench, 'structure/code-peers.ts'));
  const splitText: (text: string) => Promise<string[]> = langchainCode(language, SIZE);
  return async (text) => {
    let end = 0;
    return (await splitText(text)).map((one) => {
      const start = text.indexOf(one, end);
      if (start === -1) throw new Error(`LangChain changed what it split: ${JSON.stringify(one)}`);
      end = start + one.length;
      return { start, end };
    });
  };
}
