import fc from 'fast-check';
import {
  type EmbeddingModel,
  type EmbeddingProvider,
  type EmbedRequest,
  type ModelInfo,
  PURPOSES,
  type Vectors,
} from '../../../core/contracts/embedding.ts';
import { anyText } from '../cases/texts.ts';
import { COMMON, type PromiseOf, type Promises, type Suite } from '../promises.ts';
import { checkNames, endsOnAbort, expectOnce, firstWrong, holdFor, type Ledger, quoted } from '../report.ts';

const PROMISES = {
  answers: {
    ...COMMON.answers,
    'it has a tokenizer':
      'Let model.tokenizer() return the tokenizer that counts chunk_size if a chunker uses this model.',
  },
  names: {
    'names are non-empty strings': 'Let list() return non-empty strings as names.',
    'a name is listed once': 'Remove the second one from list(), or from the aliases.',
    'dimensions are a positive number': 'Set dimensions to a whole number above 0, or omit it.',
    'an unknown name opens nothing': 'Let open(name) return undefined for all other names.',
    'a listed name or alias opens the model with that name':
      'Let open(name) return a model whose name is the listed one, also for its aliases.',
  },
  vectors: {
    'vectors are { dimensions, values }':
      'Return { dimensions, values: Float32Array.from(rows.flat()) }: all vectors one after the other, not a list of lists.',
    'each text has one vector':
      'Put `dimensions` numbers for each text into values, one vector after the other.',
    'all numbers are finite': 'Return no NaN or infinity; a text without tokens may have a vector of zeros.',
    'vectors have the listed dimensions':
      'Return the actual dimensions of the vectors from list(), or return vectors of the listed length.',
    'vectors are in the order of the texts': 'Return the vectors in the order of the texts.',
  },
  determinism: {
    'the same texts have the same vectors': 'Let the vectors depend only on the texts and the purpose.',
  },
  window: {
    'its window is the listed one':
      'Let list() and the model have the same window: its tokens, or null if it reads any text to its end.',
    'its window counts the tokens of every text':
      'Let window.tokens be a whole number above 0, and window.count return a whole number for every text.',
  },
  signal: COMMON.signal,
  scale: {
    'its scale is strictly increasing': 'Let calibrate increase strictly over the cosines from -1 to 1.',
  },
} as const satisfies Promises;

type EmbeddingLedger = Ledger<PromiseOf<typeof PROMISES>>;

/** Checks every model that the plugin lists, with lists of generated texts. */
export const embeddingSuite: Suite = {
  promises: PROMISES,
  async run(harness, plugin, { runs = 50, ...options } = {}) {
    const { name } = plugin.manifest;
    const opened = await expectOnce(plugin, options.exemptions, async (ledger: EmbeddingLedger) =>
      openAll(await harness.make('embedding', name), ledger),
    );
    const models = opened ?? [];
    const cases = fc.record({ texts: anyTexts, purpose: fc.constantFrom(...PURPOSES) });
    for (const open of models) {
      await holdFor(
        plugin,
        cases.map((one) => ({ model: open.info.name, ...one })),
        (one, ledger: EmbeddingLedger) => checkTexts(open, one, ledger),
        { runs, ...options },
      );
      await open.model.close?.();
    }
    return `${runs} lists of texts with each of ${models.map(({ info }) => info.name).join(', ')}`;
  },
};

/** Tolerance between the vectors of a text in different batches: rounding errors depend on the batch. */
const MAX_DIFFERENCE = 1e-4;

const { signal } = new AbortController();
const anyTexts = fc.array(anyText, { maxLength: 5 });

interface OpenModel {
  readonly info: ModelInfo;
  readonly model: EmbeddingModel;
}

interface TextsCase {
  readonly texts: readonly string[];
  readonly purpose: EmbedRequest['purpose'];
}

async function openAll(provider: EmbeddingProvider, ledger: EmbeddingLedger): Promise<OpenModel[]> {
  const list = await provider.list();
  const names = list.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  await checkNames(names, (name) => provider.open(name, signal), ledger);
  const isCount = ({ dimensions = 1 }: ModelInfo) => Number.isInteger(dimensions) && dimensions > 0;
  const placeOf = ({ name, dimensions }: ModelInfo) => `${quoted(name)} has ${dimensions}`;
  ledger.expectEach(list, isCount, placeOf, 'dimensions are a positive number');
  const models: OpenModel[] = [];
  for (const info of list) {
    const own = [info.name, ...(info.aliases ?? [])];
    const opened = await Promise.all(own.map((name) => provider.open(name, signal)));
    ledger.expectEach(
      own,
      (_, at) => opened[at]?.name === info.name,
      (name, at) => `${quoted(name)} opens ${quoted(opened[at]?.name)}`,
      'a listed name or alias opens the model with that name',
    );
    for (const other of opened.slice(1)) await other?.close?.();
    if (opened[0] !== undefined) models.push({ info, model: opened[0] });
  }
  return models;
}

async function checkTexts(
  { model, info }: OpenModel,
  { texts, purpose }: TextsCase,
  ledger: EmbeddingLedger,
): Promise<void> {
  const request = { purpose, signal };
  const vectors = await model.embed(texts, request);
  const { dimensions, values } = vectors ?? {};
  const isShaped = values instanceof Float32Array && Number.isInteger(dimensions);
  const given = Array.isArray(vectors) || Array.isArray(values) ? 'embed gave a list' : undefined;
  ledger.expect(isShaped, 'vectors are { dimensions, values }', given);
  if (!isShaped) return;
  ledger.expect(
    values.length === texts.length * dimensions,
    'each text has one vector',
    `${texts.length} texts of ${dimensions} dimensions have ${values.length} numbers`,
  );
  const badAt = values.findIndex((value) => !Number.isFinite(value));
  ledger.expect(badAt === -1, 'all numbers are finite', numberAt(badAt, vectors));
  const listed = info.dimensions ?? dimensions;
  ledger.expect(
    texts.length === 0 || dimensions === listed,
    'vectors have the listed dimensions',
    `list() says ${listed}, the vectors have ${dimensions}`,
  );
  const otherAt = firstFar(vectors, await model.embed(texts, request));
  ledger.expect(otherAt === -1, 'the same texts have the same vectors', numberAt(otherAt, vectors));
  const movedAt = firstFar(vectors, reverse(await model.embed(texts.toReversed(), request)));
  ledger.expect(movedAt === -1, 'vectors are in the order of the texts', numberAt(movedAt, vectors));
  if (texts.length > 0) {
    const ends = await endsOnAbort((aborted) => model.embed(texts, { purpose, signal: aborted }));
    ledger.expect(ends, 'it ends when the signal aborts');
    const tokenizer = await model.tokenizer();
    ledger.expect(tokenizer.tokenize('').count(0, 0) >= 0, 'it has a tokenizer');
  }
  ledger.expectNone(firstFall(model), 'its scale is strictly increasing');
  checkWindow({ model, info }, { texts, purpose }, ledger);
}

function checkWindow(
  { model, info }: OpenModel,
  { texts, purpose }: TextsCase,
  ledger: EmbeddingLedger,
): void {
  const { window } = model;
  if (window === undefined) return;
  const { window: listed = window?.tokens ?? null } = info;
  ledger.expect(
    listed === (window?.tokens ?? null),
    'its window is the listed one',
    `list() says ${listed}, the model ${window?.tokens ?? null}`,
  );
  if (window === null) return;
  const counts = texts.map((text) => window.count(text, purpose));
  const isCounted = counts.every((count) => Number.isInteger(count) && count >= 0);
  const name = 'its window counts the tokens of every text';
  ledger.expect(Number.isInteger(window.tokens) && window.tokens > 0 && isCounted, name, `counted ${counts}`);
}

function numberAt(at: number, { dimensions, values }: Vectors): string {
  return `text ${Math.floor(at / dimensions)}, number ${at % dimensions}, which is ${values[at]}`;
}

function firstFar(one: Vectors, other: Vectors): number {
  if (one.values.length !== other.values.length) return Math.min(one.values.length, other.values.length);
  const isClose = (value: number, at: number) =>
    Object.is(value, other.values[at]) || Math.abs(value - (other.values[at] ?? NaN)) <= MAX_DIFFERENCE;
  return one.values.findIndex((value, at) => !isClose(value, at));
}

function reverse({ dimensions, values }: Vectors): Vectors {
  const rows = Array.from({ length: values.length / dimensions || 0 }, (_, row) =>
    Array.from(values.subarray(row * dimensions, (row + 1) * dimensions)),
  );
  return { dimensions, values: Float32Array.from(rows.reverse().flat()) };
}

function firstFall(model: EmbeddingModel): string | undefined {
  const cosines = Array.from({ length: 21 }, (_, index) => -1 + index / 10);
  const scaled = cosines.map((cosine) => model.calibrate?.(cosine) ?? cosine);
  const rises = (value: number, at: number) => at === 0 || value > (scaled[at - 1] ?? value);
  return firstWrong(scaled, rises, (value, at) => `calibrate(${cosines[at]?.toFixed(1)}) is ${value}`);
}
