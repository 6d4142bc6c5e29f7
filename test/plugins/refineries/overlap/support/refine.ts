import type { Chunk } from '../../../../../core/contracts/chunk.ts';
import createOverlap from '../../../../../plugins/refineries/overlap/index.ts';
import type { OverlapOptions } from '../../../../../plugins/refineries/overlap/manifest.ts';
import { character, chunksOf, TOOLS } from '../../refining.ts';

const overlap = createOverlap();
const DEFAULTS: OverlapOptions = { context_size: 0.25, mode: 'token', method: 'suffix', merge: true };

export async function refine(
  chunks: readonly Chunk[],
  options: Partial<OverlapOptions> = {},
  tokenizer = character,
): Promise<Chunk[]> {
  return overlap.refine(
    chunks,
    { ...DEFAULTS, ...options },
    {
      ...TOOLS,
      tokenizer,
      surround: (chunk, before, after, fields) => ({
        ...chunk,
        ...fields,
        text: before + chunk.text + after,
      }),
    },
  );
}

export async function contexts(
  texts: readonly string[],
  options: Partial<OverlapOptions>,
  tokenizer = character,
): Promise<unknown[]> {
  const refined = await refine(chunksOf(texts), { merge: false, ...options }, tokenizer);
  return refined.map(({ context }) => context);
}
