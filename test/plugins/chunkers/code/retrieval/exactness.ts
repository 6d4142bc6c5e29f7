import type { PipelineStep } from '../../../../../core/contracts/pipeline.ts';
import type { Tokenizer } from '../../../../../core/contracts/tokenizer.ts';
import { jsonOf, type OpenService } from '../../../../support/service.ts';
import { SIZE, stepOf, WAYS } from './candidates.ts';
import { pathsIn, type Source, textOf } from './functions.ts';

/** With `members` a function is whole up to so many times the size of a chunk. */
const TIMES = 4;
/** Ways that promise a limit. */
const CHECKED = { 'members, separate': TIMES * SIZE, split: SIZE } as const;
/** Files of a request. */
const BATCH = 100;

interface MadeChunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
}

/** Header of the rows of `exactnessOf`. */
export const EXACTNESS = [
  '',
  'files',
  'MB',
  'chunks',
  'wrong offsets',
  'wrong counts',
  'files changed',
  'over the limit',
];

/** Chunks all files of a language, tests and large ones included, and counts what is wrong with the chunks. */
export async function exactnessOf(
  folder: string,
  language: Source['language'],
  sources: readonly Source[],
  execute: OpenService['execute'],
  tokenizer: Tokenizer,
): Promise<string[][]> {
  const paths = pathsIn(
    folder,
    language,
    sources.flatMap(({ folders }) => folders),
  );
  const rows: string[][] = [];
  for (const [way, limit] of Object.entries(CHECKED)) {
    const found = { characters: 0, chunks: 0, offsets: 0, counts: 0, changed: 0, over: 0 };
    const step: PipelineStep = stepOf(language, WAYS[way as keyof typeof CHECKED]);
    for (let at = 0; at < paths.length; at += BATCH) {
      const texts = paths.slice(at, at + BATCH).map((path) => textOf(folder, path));
      const lists = jsonOf<MadeChunk[][]>(await execute([step], { text: texts }));
      texts.forEach((text, index) => {
        const chunks = lists[index] as MadeChunk[];
        found.characters += text.length;
        found.chunks += chunks.length;
        // A blank text has no chunks.
        if (chunks.map((one) => one.text).join('') !== (text.trim() === '' ? '' : text)) found.changed++;
        for (const { text: own, start_index, end_index, token_count } of chunks) {
          if (text.slice(start_index, end_index) !== own) found.offsets++;
          if (tokenizer.tokenize(own).count(0, own.length) !== token_count) found.counts++;
          if (token_count > limit) found.over++;
        }
      });
    }
    const { characters, ...counts } = found;
    const cells = [counts.chunks, counts.offsets, counts.counts, counts.changed, counts.over];
    const size = (characters / 1e6).toFixed(1);
    rows.push([`chunksmith code: ${way}`, String(paths.length), size, ...cells.map(String)]);
  }
  return rows;
}
