import type { Sample } from './sample.ts';

const CHUNK = `{ chunk(text, { chunk_size }, { pack, report }) {
  report('listed', 'yes');
  const edges = [0];
  for (const { index, 0: gap } of text.matchAll(/\\n\\n+/g)) edges.push(index + gap.length);
  if (edges.at(-1) !== text.length) edges.push(text.length);
  return pack(edges, { size: chunk_size });
} }`;

const BOUNDED = `{ chunk: (text, { chunk_size }, { divide }) => {
  return divide({ start: 0, end: text.length }, [], { size: chunk_size });
} }`;

/** Its spans with other members. */
const changed = (members: string) =>
  CHUNK.replace(/return (pack.*);/, `return $1.map(({ start, end }) => ({ start, end, ${members} }));`);
const WHOLE = 'return [{ start: 0, end: text.length }]; divide(';

const size = { type: 'integer', minimum: 1, default: 50, description: 'A size.' };

export const CHUNKERS: readonly Sample[] = [
  {
    kind: 'chunker',
    manifest: {
      options: { type: 'object', properties: { chunk_size: size } },
      uses: ['tokenizer'],
      reports: { listed: 'That it was listed.' },
      guarantees: { lossless: true },
    },
    good: CHUNK,
    bad: [
      [changed('extra: { n: Math.random() }'), /the same answer/],
      [CHUNK.replace('return pack', "if (text.includes('Yes')) return []; return pack"), /is lost/],
      [changed('token_count: 1'), /token_count is the count/],
      [CHUNK.replace('listed', 'unlisted'), /only what its manifest lists.*unlisted/],
      [changed('start: start + 1'), /outside it|is lost/],
      [changed('end: end - 1'), /is lost/],
      [changed('end: end + 1'), /outside it|is lost/],
      [CHUNK.replace('report(', 'if (/漢/.test(text)) fail(); report('), /does not throw.*index.js:\d/],
      [CHUNK.replace('return pack', 'return () => pack'), /does not throw|match the contract/],
    ],
  },
  {
    kind: 'chunker',
    title: 'chunker that keeps a limit',
    manifest: {
      options: { type: 'object', properties: { chunk_size: size } },
      uses: ['tokenizer'],
      guarantees: { bounded: true },
    },
    good: BOUNDED,
    bad: [
      [
        BOUNDED.replace('size: chunk_size', 'size: chunk_size + 1'),
        /no chunk is over chunk_size.*chunk \d+ \[\d+, \d+\) has \d+ tokens, chunk_size is \d+/,
      ],
      [BOUNDED.replace('return divide(', WHOLE), /over chunk_size/],
    ],
  },
];
