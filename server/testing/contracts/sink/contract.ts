import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import type { SinkChunk, SinkCollection } from '../../../../core/contracts/sink.ts';
import type { PluginEntry } from '../../../../core/hosting/registry.ts';
import { parseExactJson } from '../../../../plugins/toolkit/json/exact-json.ts';
import type { Harness } from '../../harness.ts';
import { COMMON, type PromiseOf, type Promises, type Suite, type SuiteOptions } from '../../promises.ts';
import { endsOnAbort, expectOnce, holdFor, type Ledger } from '../../report.ts';
import { anyChunk, areSame, chunkOf, DIMENSIONS } from './chunks.ts';
import { HAS_STAND_IN, type SinkStandIn } from './stand-in.ts';

export const PROMISES = {
  answers: {
    ...COMMON.answers,
    [HAS_STAND_IN]:
      'Write stand-in.js into the folder of the plugin: it starts what the sink stores in, and reports what is stored.',
  },
  stored: {
    'chunks are stored unchanged, replacing those with the same ids':
      'Store all members of a chunk, including fields, under its id, and replace the chunk with that id.',
    'a document keeps exactly the kept chunks, other documents keep all':
      'Let deleteMissing remove the chunks of that document whose ids are not kept, and no others.',
    'it stores 1000 chunks at once': 'Send long lists in batches, with batchChunks.',
    'of chunks with the same id it stores the last':
      'Let a later chunk of a list replace an earlier one with the same id.',
    'it can keep 10,000 ids': 'Do not send all kept ids in one call if the database limits its length.',
  },
  removed: {
    'all chunks of the documents are removed, and no others':
      'Let removeDocuments remove the chunks of these documents; there may be very many.',
    'without a collection nothing is removed, and none is created':
      'Let removeDocuments succeed without creating anything if the collection does not exist.',
  },
  vectors: {
    'a vector of the wrong length, or a missing one, is an error for callers':
      'Throw exposedError if a vector does not have the dimensions of the collection, as batchChunks does.',
    'refused chunks are not stored': 'Check all chunks before the first one is stored.',
    'a collection with vectors of another length is an error for callers':
      'Let open throw exposedError if the collection exists with other dimensions.',
    'chunks without vectors are stored, or an error for callers':
      'Store chunks whose embedding is null if dimensions are undefined, or throw exposedError.',
  },
  texts: {
    'a text that it cannot store is an error for callers, and never changed':
      'Throw exposedError for a text with what the database cannot hold, such as NUL; batchChunks finds lone surrogates.',
  },
  numbers: {
    'a number is stored digit by digit, or as its text, or is an error for callers':
      'Write fields with JSON.stringify, which knows such numbers, into what keeps them; else throw exposedError: JSON.isRawJSON finds them.',
  },
  signal: {
    'it ends when the signal aborts':
      'Call signal.throwIfAborted() in open, upsert, deleteMissing and removeDocuments before the work, and pass the signal on.',
  },
  failures: {
    'it retries after 429 and 503': 'Call the database with hosted.demand, which retries.',
    'a server that stays busy is an error for callers': 'Throw exposedError with what the database said.',
    'an unreachable server is an error for callers': 'Throw exposedError if the database cannot be reached.',
  },
} as const satisfies Promises;

export type SinkLedger = Ledger<PromiseOf<typeof PROMISES>>;

/** Checks that the stored chunks are those given, after generated sequences of calls and in single cases. */
export const sinkSuite: Suite = {
  promises: PROMISES,
  async run(harness, plugin, options) {
    const standIn = await harness.standIn(plugin);
    return typeof standIn === 'string'
      ? `0 histories: ${standIn}`
      : checkSinkWith(harness, plugin, standIn, options);
  },
};

/** Checks a sink's promises with a stand-in, then stops the stand-in. @throws BrokenContract */
export async function checkSinkWith(
  harness: Harness,
  plugin: PluginEntry,
  standIn: SinkStandIn,
  { runs = 25, ...options }: SuiteOptions = {},
): Promise<string> {
  try {
    const sinks = await sinkHarness(harness, plugin, standIn);
    await checkHistories(sinks, plugin, { runs, ...options });
    await expectOnce(plugin, options.exemptions, (ledger: SinkLedger) => checkCases(sinks, ledger));
  } finally {
    await standIn.stop();
  }
  return `${runs} histories`;
}

async function checkCases(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  await checkMany(sinks, ledger);
  await checkRemoval(sinks, ledger);
  await checkVectors(sinks, ledger);
  await checkTexts(sinks, ledger);
  await checkNumbers(sinks, ledger);
  await checkAborts(sinks, ledger);
  await checkBusy(sinks, ledger);
  await sinks.standIn.stop();
  const isClear = await failsForCallers(sinks, sinks.opened[0]);
  ledger.expect(isClear, 'an unreachable server is an error for callers');
  for (const collection of sinks.opened) await collection.close();
}

async function checkMany(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const collection = await sinks.open('many', DIMENSIONS);
  const chunks = Array.from({ length: 1000 }, (_, index) => chunkOf('one', { text: `Chunk ${index} 😀` }));
  const other = chunkOf('00123456789012345678901');
  await sinks.attempt(collection.upsert([...chunks, other]));
  ledger.expect(areSame(await sinks.chunks('many'), [...chunks, other]), 'it stores 1000 chunks at once');
  const [first = other] = chunks;
  const later = { ...first, text: 'Later' };
  await sinks.attempt(collection.upsert([first, later]));
  const stored = [later, ...chunks.slice(1), other];
  ledger.expect(areSame(await sinks.chunks('many'), stored), 'of chunks with the same id it stores the last');
  const kept = [...chunks.slice(500), ...Array.from({ length: 9500 }, () => chunkOf('one'))].map(
    ({ id }) => id,
  );
  await sinks.attempt(collection.deleteMissing('one', kept));
  const left = [...chunks.slice(500), other];
  ledger.expect(areSame(await sinks.chunks('many'), left), 'it can keep 10,000 ids');
}

async function checkRemoval(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const { remove } = sinks;
  if (remove === undefined) return;
  const collection = await sinks.open('removal', DIMENSIONS);
  const kept = [chunkOf('kept'), chunkOf('kept')];
  const gone = ['gone', "it's gone 😀", 'gone'].map((id) => chunkOf(id));
  await sinks.attempt(collection.upsert([...kept, ...gone]));
  const ids = [
    ...gone.map((chunk) => chunk.document_id),
    ...Array.from({ length: 3000 }, (_, n) => `no ${n}`),
  ];
  const outcome = await sinks.attempt(remove('removal', ids));
  const isRight = outcome === undefined && areSame(await sinks.chunks('removal'), kept);
  ledger.expect(isRight, 'all chunks of the documents are removed, and no others');
  // Opens with more dimensions: a collection that the removal has created would refuse these vectors.
  const removed = remove('nowhere', ['gone']).then(() => sinks.open('nowhere', DIMENSIONS + 1));
  const without = await sinks.attempt(removed);
  ledger.expect(without === undefined, 'without a collection nothing is removed, and none is created');
}

async function checkVectors(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const [collection] = await Promise.all([1, 2, 3].map(() => sinks.open('vectors', DIMENSIONS)));
  if (collection === undefined) throw new Error('nothing was opened');
  const right = chunkOf('one');
  await sinks.attempt(collection.upsert([right]));
  for (const embedding of [Float32Array.of(1, 2), null]) {
    const wrong = await sinks.attempt(collection.upsert([chunkOf('one', { embedding })]));
    ledger.expect(
      wrong === 'exposed',
      'a vector of the wrong length, or a missing one, is an error for callers',
    );
  }
  ledger.expect(areSame(await sinks.chunks('vectors'), [right]), 'refused chunks are not stored');
  for (const dimensions of [DIMENSIONS + 1, undefined]) {
    const other = await sinks.attempt(sinks.open('vectors', dimensions));
    ledger.expect(other === 'exposed', 'a collection with vectors of another length is an error for callers');
  }
  const opening = sinks.open('plain', undefined);
  const plain = await sinks.attempt(
    opening.then((collection) => collection.upsert([chunkOf('one', { embedding: null })])),
  );
  const count = (await sinks.chunks('plain')).length;
  ledger.expect(
    plain === 'exposed' || (plain === undefined && count === 1),
    'chunks without vectors are stored, or an error for callers',
  );
}

const TEXTS = ['NUL \0.', 'half \ud83d', 'half \ude00 of a pair', '007', '1e400'];

async function checkTexts(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const collection = await sinks.open('texts', DIMENSIONS);
  for (const text of TEXTS) {
    for (const more of [{ text }, { fields: { metadata: { text } } }])
      ledger.expect(
        await isKeptOrRefused(sinks, collection, more),
        'a text that it cannot store is an error for callers, and never changed',
        `a chunk with ${JSON.stringify(more)}`,
      );
  }
}

const NUMBERS = [
  '1e400',
  '-1e-400',
  '12345678901234567890',
  '-123456789012345678901234',
  '0.12345678901234567890123',
  '9007199254740993',
  '0.30000000000000004',
  '1e21',
];

async function checkNumbers(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const collection = await sinks.open('texts', DIMENSIONS);
  for (const number of NUMBERS) {
    const fields = parseExactJson(`{"metadata":{"n":[${number}]}}`) as SinkChunk['fields'];
    ledger.expect(
      await isKeptOrRefused(sinks, collection, { fields }, { fields: { metadata: { n: [number] } } }),
      'a number is stored digit by digit, or as its text, or is an error for callers',
      `a chunk with ${JSON.stringify({ fields })}`,
    );
  }
}

async function isKeptOrRefused(
  sinks: SinkHarness,
  collection: OpenCollection,
  more: Partial<SinkChunk>,
  other = more,
): Promise<boolean> {
  const chunk = chunkOf('one', more);
  const outcome = await sinks.attempt(collection.upsert([chunk]));
  const stored = (await sinks.chunks('texts')).filter(({ id }) => id === chunk.id);
  if (outcome !== undefined) return outcome === 'exposed' && stored.length === 0;
  return areSame(stored, [chunk]) || areSame(stored, [{ ...chunk, ...other }]);
}

async function checkAborts(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const collection = await sinks.open('aborts', DIMENSIONS);
  const { remove } = sinks;
  for (const call of [
    (signal: AbortSignal) => sinks.open('aborts', DIMENSIONS, signal),
    (signal: AbortSignal) => collection.upsert([chunkOf('one')], signal),
    (signal: AbortSignal) => collection.deleteMissing('one', [], signal),
    ...(remove === undefined ? [] : [(signal: AbortSignal) => remove('aborts', ['one'], signal)]),
  ]) {
    ledger.expect(await endsOnAbort(call), 'it ends when the signal aborts');
  }
  ledger.expect((await sinks.chunks('aborts')).length === 0, 'it ends when the signal aborts');
}

async function checkBusy(sinks: SinkHarness, ledger: SinkLedger): Promise<void> {
  const { standIn } = sinks;
  if (standIn.refuse === undefined) return;
  const collection = await sinks.open('busy', DIMENSIONS);
  const chunk = chunkOf('one');
  for (const status of [429, 503]) {
    standIn.refuse(2, status, { 'retry-after': '0.01' });
    const outcome = await sinks.attempt(collection.upsert([chunk]));
    ledger.expect(outcome === undefined, 'it retries after 429 and 503');
  }
  ledger.expect(areSame(await sinks.chunks('busy'), [chunk]), 'it retries after 429 and 503');
  standIn.refuse(Number.POSITIVE_INFINITY, 503, {});
  ledger.expect(await failsForCallers(sinks, collection), 'a server that stays busy is an error for callers');
  standIn.refuse(0, 503, {});
}

async function failsForCallers(sinks: SinkHarness, opened: OpenCollection | undefined): Promise<boolean> {
  if (opened === undefined) return false;
  const { remove } = sinks;
  const outcomes = await Promise.all([
    sinks.attempt(sinks.open('failing', DIMENSIONS)),
    sinks.attempt(opened.upsert([chunkOf('one')])),
    sinks.attempt(opened.deleteMissing('two', [])),
    ...(remove === undefined ? [] : [sinks.attempt(remove('failing', ['two']))]),
  ]);
  return outcomes.every((outcome) => outcome === 'exposed');
}

/** Number of different chunk ids of a document in a history. */
const SLOTS = 5;

/** Generates a step in a document's history: stores some chunks, and may remove the other chunks or all. */
const anyStep = fc.record({
  document: fc.nat(2),
  chunks: fc.uniqueArray(fc.record({ slot: fc.nat(SLOTS - 1), chunk: anyChunk }), {
    selector: ({ slot }) => slot,
    maxLength: 4,
  }),
  end: fc.constantFrom('keeps all', 'keeps these', 'keeps none', 'again'),
});

type Step = typeof anyStep extends fc.Arbitrary<infer S> ? S : never;

const NAMES = ["it's a 'document' 😀", 'docs/a.md', 'docs/a.md#2'];

async function checkHistories(
  sinks: SinkHarness,
  plugin: PluginEntry,
  options: SuiteOptions & { readonly runs: number },
): Promise<void> {
  const collection = await sinks.open('histories', DIMENSIONS);
  const check = (steps: readonly Step[], ledger: SinkLedger) =>
    checkHistory(sinks, collection, steps, ledger);
  await holdFor(plugin, fc.array(anyStep, { maxLength: 5 }), check, options);
}

async function checkHistory(
  sinks: SinkHarness,
  collection: OpenCollection,
  steps: readonly Step[],
  ledger: SinkLedger,
): Promise<void> {
  const prefix = randomUUID();
  const ids = NAMES.map(() => Array.from({ length: SLOTS }, () => randomUUID()));
  const stored = new Map<string, SinkChunk>();
  const isStored = async () => {
    const all = await sinks.chunks('histories');
    const own = all.filter(({ document_id }) => document_id.startsWith(prefix));
    return areSame(own, [...stored.values()]);
  };
  const upsert = async (chunks: readonly SinkChunk[]) => {
    const outcome = await sinks.attempt(collection.upsert(chunks));
    for (const chunk of chunks) stored.set(chunk.id, chunk);
    const isRight = outcome === undefined && (await isStored());
    ledger.expect(isRight, 'chunks are stored unchanged, replacing those with the same ids');
  };
  const deleteMissing = async (document: string, kept: readonly string[]) => {
    const outcome = await sinks.attempt(collection.deleteMissing(document, kept));
    for (const { id, document_id } of [...stored.values()])
      if (document_id === document && !kept.includes(id)) stored.delete(id);
    const isRight = outcome === undefined && (await isStored());
    ledger.expect(isRight, 'a document keeps exactly the kept chunks, other documents keep all');
  };
  for (const { document, chunks, end } of steps) {
    const document_id = `${prefix} ${NAMES[document]}`;
    const given = chunks.map(({ slot, chunk }) => ({
      id: ids[document]?.[slot] as string,
      document_id,
      ...chunk,
    }));
    const givenIds = given.map(({ id }) => id);
    await upsert(given);
    if (end === 'again') await upsert(given);
    if (end === 'keeps these') await deleteMissing(document_id, givenIds);
    if (end === 'keeps none') await deleteMissing(document_id, []);
  }
}

/** The outcome of a call: `undefined` for success, otherwise whether the error is exposed to callers. */
type Outcome = undefined | 'exposed' | 'other';

export type SinkHarness = Awaited<ReturnType<typeof sinkHarness>>;
export type OpenCollection = ReturnType<typeof givenCopies>;

/** A signal that never aborts. */
const never: AbortSignal = new AbortController().signal;

export async function sinkHarness(harness: Harness, plugin: PluginEntry, standIn: SinkStandIn) {
  const sink = await harness.sink(plugin, standIn.env);
  const opened: OpenCollection[] = [];
  const optionsOf = (collection: string) => harness.optionsOf(plugin.manifest, standIn.options(collection));
  return {
    standIn,
    opened,
    /** Calls the sink's `removeDocuments`; undefined if the sink does not have this method. */
    remove:
      sink.removeDocuments &&
      (async (collection: string, documentIds: readonly string[], signal = never) =>
        sink.removeDocuments?.(documentIds, optionsOf(collection), { signal })),
    async open(collection: string, dimensions: number | undefined, signal = never): Promise<OpenCollection> {
      const options = optionsOf(collection);
      const made = givenCopies(await sink.open({ options, dimensions }, { signal }));
      opened.push(made);
      return made;
    },
    chunks: (collection: string) => standIn.chunks(collection),
    attempt: (call: Promise<unknown>): Promise<Outcome> => call.then(() => undefined, outcomeOf),
  };
}

/** Gives copies of chunks to the sink. Otherwise it could change the chunks that the checks compare with. */
function givenCopies(made: SinkCollection) {
  return {
    upsert: async (chunks: readonly SinkChunk[], signal = never) =>
      made.upsert(chunks.map(copyOf), { signal }),
    deleteMissing: async (documentId: string, keptIds: readonly string[], signal = never) =>
      made.deleteMissing(documentId, keptIds, { signal }),
    close: () => made.close(),
  };
}

function outcomeOf(error: unknown): Outcome {
  const isExposed = error instanceof Error && 'expose' in error && error.expose === true;
  return isExposed && error.message !== '' ? 'exposed' : 'other';
}

function copyOf({ embedding, ...chunk }: SinkChunk): SinkChunk {
  const parsed = parseExactJson(JSON.stringify(chunk)) as Omit<SinkChunk, 'embedding'>;
  return { ...parsed, embedding: embedding?.slice() ?? null };
}
