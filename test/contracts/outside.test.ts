import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import type { Kind } from '../../core/contracts/manifest.ts';
import { plugin, pluginsFolder } from '../support/plugins.ts';
import { reasonOf } from './promises.ts';
import { SUITES } from './suites.ts';
import { openWorkbench, type Workbench } from './workbench.ts';

/** Plugins of a folder outside the project: the suites find them, and see which promise one breaks. */

interface Sample {
  readonly kind: Kind;
  readonly title?: string;
  readonly manifest: object;
  /** The expression that a factory returns. */
  readonly good: string;
  /** What breaks a promise, and which one. */
  readonly bad: readonly (readonly [made: string, promise: RegExp])[];
}

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
const READ = `{ read({ bytes }, { signal, report }) {
  report('listed', 'yes');
  signal.throwIfAborted();
  const text = String.fromCharCode(...bytes);
  if (text.includes('%PDF')) throw Object.assign(new Error('no text'), { expose: true, statusCode: 400 });
  const half = Math.ceil(text.length / 2);
  return { text, encoding: 'windows-1252', mediaType: 'text/plain', metadata: { n: 1 }, pages: [0, half, half] };
} }`;
const STORE = `{ open: async ({ options: { collection }, dimensions }, { signal }) => {
  signal.throwIfAborted();
  const server = globalThis['NAME'];
  const refuse = (message) => { throw Object.assign(new Error(message), { expose: true }); };
  if (server.isGone) refuse('gone');
  const stored = server.collections[collection] ??= { dimensions, chunks: new Map() };
  if (stored.dimensions !== dimensions) refuse('other vectors');
  return {
    async upsert(chunks, { signal }) {
      signal.throwIfAborted();
      if (server.isGone) refuse('gone');
      if (chunks.some(({ embedding }) => embedding?.length !== dimensions)) refuse('another length');
      for (const chunk of chunks) stored.chunks.set(chunk.id, chunk);
    },
    async deleteMissing(document, kept, { signal }) {
      signal.throwIfAborted();
      if (server.isGone) refuse('gone');
      for (const { id, document_id } of [...stored.chunks.values()])
        if (document_id === document && !kept.includes(id)) stored.chunks.delete(id);
    },
    async close() {},
  };
} }`;
/** What a sink of this file stores in. */
const STAND_IN = `export default async () => {
  const server = globalThis['NAME'] = { collections: {}, isGone: false };
  return {
    env: {},
    options: (collection) => ({ collection }),
    chunks: async (collection) => [...(server.collections[collection]?.chunks.values() ?? [])],
    stop: async () => { server.isGone = true; },
  };
};
`;
const CHUNK = `{ chunk(text, { chunk_size }, { pack, report }) {
  report('listed', 'yes');
  const edges = [0];
  for (const { index, 0: gap } of text.matchAll(/\\n\\n+/g)) edges.push(index + gap.length);
  if (edges.at(-1) !== text.length) edges.push(text.length);
  return pack(edges, { size: chunk_size });
} }`;

const size = { type: 'integer', minimum: 1, default: 50, description: 'A size.' };

const SAMPLES: readonly Sample[] = [
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
      [
        CHUNK.replace(
          /return (pack.*);/,
          'return $1.map((span) => ({ ...span, extra: { n: Math.random() } }));',
        ),
        /the same answer/,
      ],
      [CHUNK.replace('return pack', "if (text.includes('Yes')) return []; return pack"), /is lost/],
      [
        CHUNK.replace(/return (pack.*);/, 'return $1.map((span) => ({ ...span, token_count: 1 }));'),
        /token_count is the count/,
      ],
      [CHUNK.replace('listed', 'unlisted'), /does not list: unlisted/],
    ],
  },
  {
    kind: 'refinery',
    manifest: {
      options: { type: 'object', properties: { size } },
      reports: { listed: 'That it was listed.' },
    },
    good: REFINE,
    bad: [
      [REFINE.replace('listed', 'unlisted'), /does not list: unlisted/],
      [REFINE.replace('signal.throwIfAborted();', ''), /ends when nobody waits/],
      [REFINE.replace('return chunks.', 'return chunks.toReversed().'), /stay in their order/],
      [REFINE.replace('({ ...chunk, shout', 'Object.assign(chunk, { shout'), /stay as they are.*new chunks/],
      [REFINE.replace('...chunk,', 'text: chunk.text,'), /does not know is kept/],
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
      [
        RESHAPE.replace('context.join(pair)', '{ ...context.join(pair), end_index: 1e6 }'),
        /a place in the text/,
      ],
      [
        RESHAPE.replace('context.join(pair)', '{ ...context.join(pair), end_index: -1 }'),
        /a place in the text/,
      ],
      [
        RESHAPE.replace(
          'context.join(pair)',
          '{ ...context.join(pair), "field of the contract suite": 0.5 }',
        ),
        /does not know is kept/,
      ],
    ],
  },
  {
    kind: 'reader',
    manifest: {
      formats: { extensions: ['.one'], mediaTypes: ['text/*'] },
      reports: { listed: 'That it was.' },
    },
    good: READ,
    bad: [
      [READ.replace("'listed'", "'unlisted'"), /an exposed error with statusCode 400/],
      [READ.replace('signal.throwIfAborted();', ''), /ends when nobody waits/],
      [READ.replace('{ expose: true,', '{'), /an exposed error with statusCode 400/],
      [READ.replace('statusCode: 400', 'statusCode: 500'), /an exposed error with statusCode 400/],
      [READ.replace('const text', 'bytes.fill(0); const text'), /bytes that it is given stay/],
      [READ.replace('n: 1', 'n: Math.random()'), /the same file is read in the same way/],
      [READ.replace('n: 1', 'n: undefined'), /metadata is an object of JSON/],
      [READ.replace('String.fromCharCode(...bytes)', '"\\ud800"'), /halves of surrogate pairs/],
      [READ.replace('[0, half', '[half'), /first page begins at 0/],
      [READ.replace('half, half]', 'half, 0]'), /do not fall/],
      [READ.replace('half, half]', '1e6]'), /pages begin in the text/],
      [READ.replace('windows-1252', 'latin1'), /name of the WHATWG standard/],
      [READ.replace('text/plain', 'Text/Plain'), /media type is in lower case/],
    ],
  },
  {
    kind: 'sink',
    manifest: { options: { type: 'object', properties: { collection: { type: 'string' } } } },
    good: STORE,
    bad: [
      [STORE.replace('document_id === document &&', 'true &&'), /those chunks are left that are kept/],
      [STORE.replace('&& !kept.includes(id)', ''), /those chunks are left that are kept/],
      [STORE.replace('for (const chunk of', 'for (const { fields, ...chunk } of'), /stored as they are/],
      [STORE.replace('for (const chunk of', 'for (const chunk of chunks.length > 500 ? [] :'), /1000 chunks/],
      [STORE.replace('of chunks)', 'of chunks) if (chunk.text !== "Later")'), /it stores the last/],
      [STORE.replace('!kept.includes', 'kept.length < 9999 && !kept.includes'), /keep 10,000 ids/],
      [STORE.replace("refuse('another length')", ''), /another length, or none, is an error/],
      [
        STORE.replace("refuse('another length')", "throw new Error('no')"),
        /another length, or none, is an error/,
      ],
      [STORE.replace("refuse('other vectors')", ''), /vectors of another length is an error/],
      [
        STORE.replace(
          '.set(chunk.id, chunk)',
          '.set(chunk.id, { ...chunk, text: chunk.text.replace("\\0", "") })',
        ),
        /never changed/,
      ],
      [STORE.replaceAll('signal.throwIfAborted();', ''), /ends when nobody waits/],
      [STORE.replaceAll("if (server.isGone) refuse('gone');", ''), /has gone is an error/],
    ],
  },
  {
    kind: 'tokenizer',
    manifest: {},
    good: UNITS,
    bad: [
      [UNITS.replace("name === 'NAME'", 'true'), /does not know opens nothing/],
      [UNITS.replace("['NAME']", "['NAME', 'another']"), /listed can be opened/],
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
      [MODEL.replace("name === 'NAME'", 'true'), /does not know opens nothing/],
      [MODEL.replace('dimensions: 2 }]', 'dimensions: 3 }]'), /dimensions that are listed/],
      [MODEL.replace('text.length, 1', 'text.length'), /one vector/],
      [MODEL.replace('text.length, 1', 'text.length / 0, 1'), /finite/],
      [MODEL.replace('texts.flatMap', 'texts.toSorted().flatMap'), /order of the texts/],
      [MODEL.replace('text.length, 1', 'text.length, Math.random()'), /the same vectors/],
      [MODEL.replace('signal.throwIfAborted();', ''), /ends when nobody waits/],
      [MODEL.replace('bytes: 0,', 'bytes: 0, calibrate: () => 1,'), /rises strictly/],
    ],
  },
];

for (const { kind, title = kind, manifest, good, bad } of SAMPLES) {
  t.test(`${title}: a plugin in a folder of its own is found and keeps its promises`, async (t) => {
    const { bench, names } = await benchWith(t, kind, manifest, [good]);
    const [found] = bench.plugins(kind).filter((one) => one.manifest.name === names[0]);
    if (found === undefined) return t.fail('it is not found');
    t.match(await SUITES[kind](bench, found), /^\d+ /);
  });

  t.test(`${title}: the suite sees a broken promise`, async (t) => {
    const { bench, names } = await benchWith(
      t,
      kind,
      manifest,
      bad.map(([made]) => made),
    );
    for (const [index, [, promise]] of bad.entries()) {
      const found = bench.plugins(kind).find((one) => one.manifest.name === names[index]);
      if (found === undefined) return t.fail('it is not found');
      const reason = await SUITES[kind](bench, found).then(() => 'none', reasonOf);
      t.match(reason, promise, String(promise));
      const named = /broken: ([^;\n]+)/.exec(reason)?.[1];
      if (named === undefined) continue;
      const others = await SUITES[kind](bench, found, { exemptions: { [named]: 'tried here' } }).then(
        String,
        reasonOf,
      );
      t.notOk(others.includes(named), `exempt: ${named}`);
    }
  });
}

t.test('authors run the suite on a folder of their own with CONTRACT_PLUGINS_DIR', async (t) => {
  const manifest = { kind: 'chunker', guarantees: { lossless: true }, uses: ['tokenizer'] };
  const made = (name: string, end: string) =>
    plugin({ name, ...manifest }, `export default () => ({ chunk: (text) => [{ start: 0, end: ${end} }] });`);
  const folder = await pluginsFolder(t, made('keeps', 'text.length'), made('loses', '1'));
  const run = (name: string) => {
    const { NODE_OPTIONS: _, TAP: __, ...own } = process.env;
    const given = { CONTRACT_PLUGINS_DIR: folder, CONTRACT_PLUGINS: `${name},character` };
    const env = { ...own, ...given, CONTRACT_RUNS: '20' };
    const suite = join(import.meta.dirname, 'plugins.test.ts');
    return spawnSync(process.execPath, [suite], { encoding: 'utf8', env });
  };
  const good = run('keeps');
  t.equal(good.status, 0);
  t.match(good.stdout, 'ok 1 - chunker/keeps keeps its promises');
  const bad = run('loses');
  t.equal(bad.status, 1);
  t.match(bad.stdout, 'not ok 1 - chunker/loses keeps its promises');
  // The smallest text that it breaks is one character, or a pair of surrogates of which it keeps half.
  t.match(bad.stdout, /is lost|cuts a surrogate pair/);
});

/** A folder with one plugin for each factory. */
async function benchWith(t: Test, kind: Kind, manifest: object, factories: readonly string[]) {
  const names = factories.map((_, index) => `sample-${index}`);
  const plugins = factories.map((made, index) => {
    const name = names[index] as string;
    const models = kind === 'tokenizer' || kind === 'embedding' ? { models: [name] } : {};
    const standIn = kind === 'sink' ? { [`${name}/stand-in.js`]: STAND_IN.replaceAll('NAME', name) } : {};
    const own = plugin(
      { kind, name, ...models, ...manifest },
      `export default () => (${made.replaceAll('NAME', name)});\n`,
    );
    return { ...own, ...standIn };
  });
  const folder = await pluginsFolder(t, ...plugins);
  const bench: Workbench = await openWorkbench({ pluginsDir: [folder], plugins: [...names, 'character'] });
  return { bench, names };
}
