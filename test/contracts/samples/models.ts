import type { Sample } from './sample.ts';

const UNITS = `{ names: () => ['NAME'], open: async (name) => name === 'NAME' ? { name, tokenize: (text) => ({
  count: (start, end) => end - start,
  ends: () => Uint32Array.from({ length: text.length }, (_, unit) => unit + 1),
}) } : undefined }`;

const MODEL = `{ list: () => [{ name: 'NAME', dimensions: 2 }], open: async (name) => name === 'NAME' ? { name, bytes: 0,
  tokenizer: async () => ({ name, tokenize: () => ({ count: () => 0, ends: () => new Uint32Array() }) }),
  async embed(texts, { signal }) {
    signal.throwIfAborted();
    return { dimensions: 2, values: Float32Array.from(texts.flatMap((text) => [text.length, 1])) };
  },
} : undefined }`;

export const MODELS: readonly Sample[] = [
  {
    kind: 'tokenizer',
    manifest: {},
    good: UNITS,
    bad: [
      [UNITS.replace("name === 'NAME'", 'true'), /unknown name opens nothing/],
      [UNITS.replace("['NAME']", "['NAME', 'another']"), /listed name can be opened/],
      [UNITS.replace('end - start', 'Math.max(end - start, 1)'), /as many tokens as it has ends/],
      [UNITS.replace('unit + 1', 'unit'), /the last end is the length/],
      [UNITS.replace('end - start', '(end - start) && end - (start && start - 1)'), /text of its own/],
      [
        UNITS.replace('{ name, tokenize', '{ name, encode: () => new Uint32Array(7), tokenize'),
        /as many ids as tokens/,
      ],
    ],
  },
  {
    kind: 'embedding',
    manifest: {},
    good: MODEL,
    bad: [
      [MODEL.replace("name === 'NAME'", 'true'), /unknown name opens nothing/],
      [MODEL.replace('dimensions: 2 }]', 'dimensions: 3 }]'), /listed dimensions/],
      [
        MODEL.replace('Float32Array.from(texts.flatMap(', '(texts.map('),
        /a list.*dimensions, values|dimensions, values.*a list/s,
      ],
      [MODEL.replace('text.length, 1', 'text.length'), /one vector/],
      [MODEL.replace('text.length, 1', 'text.length / 0, 1'), /finite/],
      [MODEL.replace('texts.flatMap', 'texts.toSorted().flatMap'), /order of the texts/],
      [MODEL.replace('text.length, 1', 'text.length, Math.random()'), /the same vectors/],
      [MODEL.replace('signal.throwIfAborted();', ''), /ends when the signal aborts/],
      [MODEL.replace('bytes: 0,', 'bytes: 0, calibrate: () => 1,'), /strictly increasing/],
      [
        MODEL.replace('2 }], open', '2, window: 4 }], open').replace('bytes: 0,', 'bytes: 0, window: null,'),
        /window is the listed one/,
      ],
      [
        MODEL.replace('bytes: 0,', 'bytes: 0, window: { tokens: 5, count: () => 0.5 },'),
        /window counts the tokens/,
      ],
    ],
  },
];
