import fc from 'fast-check';
import {
  type EmbeddingModel,
  type EmbeddingProvider,
  type EmbedRequest,
  type ModelInfo,
  PURPOSES,
  type Vectors,
} from '../../core/contracts/embedding.ts';
import { Ledger, type Suite } from './promises.ts';
import { anyText } from './texts.ts';

/** Every model that the plugin lists, on lists of any texts. */
export const checkEmbedding: Suite = async (bench, { manifest }, { runs = 50, exemptions } = {}) => {
  const provider = await bench.make('embedding', manifest.name);
  const ledger = new Ledger(exemptions);
  const models = await checkList(provider, ledger);
  ledger.close();
  for (const { info, model } of models) {
    const holds = fc.asyncProperty(anyTexts, fc.constantFrom(...PURPOSES), async (texts, purpose) => {
      const ledger = new Ledger(exemptions);
      await checkTexts(model, info, texts, { purpose, signal }, ledger);
      ledger.close();
    });
    await fc.assert(holds, { numRuns: runs });
    await model.close?.();
  }
  return `${runs} lists of texts with each of ${models.map(({ info }) => info.name).join(', ')}`;
};

/** Names that no plugin can have a model for. */
const NOBODYS = ['there is no such model', '../../../package', '__proto__', '\0'];
/** Numbers of one text may differ by so much with the texts beside it, which are added up in another order. */
const MOST_DIFFERENCE = 1e-4;

const { signal } = new AbortController();
const anyTexts = fc.array(anyText, { maxLength: 5 });

interface OpenModel {
  readonly info: ModelInfo;
  readonly model: EmbeddingModel;
}

/** The models that a provider lists, opened. */
async function checkList(provider: EmbeddingProvider, ledger: Ledger): Promise<OpenModel[]> {
  const list = await provider.list();
  const names = list.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
  ledger.expect(
    names.every((name) => typeof name === 'string' && name !== ''),
    'names are strings that are not empty',
  );
  ledger.expect(new Set(names).size === names.length, 'a name is listed once');
  ledger.expect(
    list.every(({ dimensions = 1 }) => Number.isInteger(dimensions) && dimensions > 0),
    'dimensions are a positive number',
  );
  const unknown = await Promise.all(NOBODYS.map((name) => provider.open(name, signal)));
  ledger.expect(
    unknown.every((model) => model === undefined),
    'a name that it does not know opens nothing',
  );
  const models: OpenModel[] = [];
  for (const info of list) {
    const opened = await Promise.all(
      [info.name, ...(info.aliases ?? [])].map((name) => provider.open(name, signal)),
    );
    ledger.expect(
      opened.every((model) => model?.name === info.name),
      'a name or alias that is listed opens the model of that name',
    );
    for (const other of opened.slice(1)) await other?.close?.();
    if (opened[0] !== undefined) models.push({ info, model: opened[0] });
  }
  return models;
}

async function checkTexts(
  model: EmbeddingModel,
  info: ModelInfo,
  texts: readonly string[],
  request: EmbedRequest,
  ledger: Ledger,
): Promise<void> {
  const vectors = await model.embed(texts, request);
  const { dimensions, values } = vectors;
  ledger.expect(values.length === texts.length * dimensions, 'each text has one vector');
  ledger.expect(values.every(Number.isFinite), 'all numbers are finite');
  const listed = info.dimensions ?? dimensions;
  ledger.expect(texts.length === 0 || dimensions === listed, 'vectors have the dimensions that are listed');
  ledger.expect(areClose(vectors, await model.embed(texts, request)), 'the same texts have the same vectors');
  const reversed = await model.embed(texts.toReversed(), request);
  ledger.expect(areClose(vectors, reverse(reversed)), 'vectors are in the order of the texts');
  ledger.expect(texts.length === 0 || (await hearsAbort(model, texts, request)), 'it ends when nobody waits');
  if (texts.length > 0) {
    const tokenizer = await model.tokenizer();
    ledger.expect(tokenizer.tokenize('').count(0, 0) >= 0, 'it has a tokenizer');
  }
  ledger.expect(riseStrictly(model), 'its scale rises strictly');
}

function areClose(one: Vectors, other: Vectors): boolean {
  if (one.values.length !== other.values.length) return false;
  return one.values.every((value, at) => Math.abs(value - (other.values[at] as number)) <= MOST_DIFFERENCE);
}

function reverse({ dimensions, values }: Vectors): Vectors {
  const rows = Array.from({ length: values.length / dimensions || 0 }, (_, row) =>
    Array.from(values.subarray(row * dimensions, (row + 1) * dimensions)),
  );
  return { dimensions, values: Float32Array.from(rows.reverse().flat()) };
}

async function hearsAbort(model: EmbeddingModel, texts: readonly string[], { purpose }: EmbedRequest) {
  const reason = new Error('nobody waits');
  try {
    await model.embed(texts, { purpose, signal: AbortSignal.abort(reason) });
  } catch (error) {
    return error === reason;
  }
  return false;
}

function riseStrictly(model: EmbeddingModel): boolean {
  const cosines = Array.from({ length: 21 }, (_, index) => -1 + index / 10);
  const scaled = cosines.map((cosine) => model.calibrate?.(cosine) ?? cosine);
  return scaled.every((value, index) => index === 0 || value > (scaled[index - 1] as number));
}
