import type { Sample } from './sample.ts';

const REFINE = `{ refine(chunks, { size }, { signal, report }) {
  report('listed', 'yes');
  signal.throwIfAborted();
  return chunks.map((chunk) => ({ ...chunk, shout: chunk.text.toUpperCase() }));
} }`;

const RESHAPE = `{ refine(chunks, options, context) {
  context.signal.throwIfAborted();
  const [first, ...others] = chunks;
  if (first === undefined) return [];
  const middle = [...first.text][0]?.length ?? 0;
  const halves = [[0, middle], [middle, first.text.length]];
  const whole = halves.map(([start, end]) => context.part(first, start, end, { token_count: 1 }));
  const pair = others.slice(1, 3);
  return [...whole, ...(pair.length === 0 ? [] : [context.join(pair)])];
} }`;

/** Its joined chunks with another field. */
const joined = (field: string) =>
  RESHAPE.replace('context.join(pair)', `{ ...context.join(pair), ${field} }`);

const size = { type: 'integer', minimum: 1, default: 50, description: 'A size.' };

export const REFINERIES: readonly Sample[] = [
  {
    kind: 'refinery',
    manifest: {
      options: { type: 'object', properties: { size } },
      reports: { listed: 'That it was listed.' },
    },
    good: REFINE,
    bad: [
      [REFINE.replace('listed', 'unlisted'), /only what its manifest lists.*unlisted/],
      [REFINE.replace('signal.throwIfAborted();', ''), /ends when the signal aborts/],
      [REFINE.replace('return chunks.', 'return chunks.toReversed().'), /stay in their order/],
      [REFINE.replace('({ ...chunk, shout', 'Object.assign(chunk, { shout'), /are not changed.*new chunks/s],
      [REFINE.replace('...chunk,', 'text: chunk.text,'), /unknown fields are kept/],
      [REFINE.replace('chunk.text.toUpperCase()', 'Math.random()'), /in the same way/],
      [REFINE.replace('return chunks.', 'return chunks.slice(1).'), /as many chunks/],
    ],
  },
  {
    kind: 'refinery',
    title: 'refinery that drops, merges and splits',
    manifest: { options: { type: 'object', properties: { size } }, changesCount: true },
    good: RESHAPE,
    bad: [
      [RESHAPE.replace('return [...whole', 'return [...whole.toReversed()'), /in the order of the text/],
      [joined('end_index: 1e6'), /offsets in the text/],
      [joined('end_index: -1'), /offsets in the text/],
      [joined('"field of the contract suite": 0.5'), /unknown fields are kept/],
    ],
  },
];
