import type { OffsetUnit } from '../../../core/contracts/chunk.ts';
import type { LongTexts, Purpose } from '../../../core/contracts/embedding.ts';
import type { Tokenizer } from '../../../core/contracts/tokenizer.ts';
import { invalid } from '../../../core/errors.ts';
import { callPlugin } from '../../../core/hosting/plugin-error.ts';
import { reportedCounts, Timer } from '../answer/response-metadata.ts';
import { type TokenList, writeTokens, writeVectors } from '../answer/text-writers.ts';
import { inputsOverLimits, type Limits, listTexts } from '../limits.ts';
import type { Operation, Run } from '../operation.ts';
import type { Encoding, TokenField } from '../read/document-schemas.ts';
import { jsonBytes, parseJson } from '../read/json.ts';
import { supervisedModel } from '../stages/supervised-model.ts';
import type { Answer, AnyRequest, TextsTask } from '../tasks.ts';
import type { Refusals } from '../validation/refusals.ts';

interface Texts extends AnyRequest {
  readonly texts: readonly string[];
}

interface EmbedTexts extends Texts {
  readonly run: 'embed';
  readonly options: {
    readonly embedding_model: string;
    readonly purpose: Purpose;
    readonly long_texts: LongTexts;
    readonly encoding: Encoding;
  };
}

interface TokenizeTexts extends Texts {
  readonly run: 'tokenize';
  readonly options: {
    readonly tokenizer: string;
    readonly include: readonly TokenField[];
    readonly offset_unit: OffsetUnit;
  };
}

export const embedOperation: Operation<TextsTask & { run: 'embed' }, EmbedTexts> = {
  // The plugin is known only once the body is read.
  plugins: () => [],
  read(_task, bytes, { checks, limits }) {
    const { texts, ...options } = readTexts(bytes, checks.embed, limits);
    const asked = options as unknown as EmbedTexts['options'];
    const uses = [{ embedding: asked.embedding_model, tokenizer: undefined }];
    return { run: 'embed', uses, texts, options: asked };
  },
  collect: (_task, bytes, { checks, limits }, refusals) =>
    collectTexts(bytes, checks.embed, limits, refusals),
  run: embedTexts,
  label: () => 'embed',
};

export const tokenizeOperation: Operation<TextsTask & { run: 'tokenize' }, TokenizeTexts> = {
  plugins: () => [],
  read(_task, bytes, { checks, limits, defaultTokenizer }) {
    const { texts, ...options } = readTexts(bytes, checks.tokenize, limits);
    const tokenizer = (options.tokenizer as string | undefined) ?? defaultTokenizer;
    const asked = { ...options, tokenizer } as unknown as TokenizeTexts['options'];
    const uses = [{ tokenizer, embedding: undefined }];
    return { run: 'tokenize', uses, texts, options: asked };
  },
  collect: (_task, bytes, { checks, limits }, refusals) =>
    collectTexts(bytes, checks.tokenize, limits, refusals),
  run: tokenizeTexts,
  label: () => 'tokenize',
};

type Members = Readonly<Record<string, unknown>>;

type Check = (request: unknown) => Members;

/** The texts and the options of a request. @throws ServiceError `invalid_parameters` */
function readTexts(
  bytes: Uint8Array,
  check: Check,
  limits: Limits,
): Members & { readonly texts: readonly string[] } {
  const { text, ...options } = check(parseJson(jsonBytes(bytes)));
  return { ...options, texts: listTexts(text as string | readonly string[], limits) };
}

function collectTexts(bytes: Uint8Array, check: Check, limits: Limits, refusals: Refusals): void {
  const body = jsonBytes(bytes);
  const options = refusals.collect(() => check(parseJson(body)));
  if (options !== undefined) refusals.note({ kind: undefined, name: '', place: '', options });
  refusals.problems.push(...inputsOverLimits(parseJson(body), limits));
}

/** @throws ServiceError errors of `Openers`, `plugin_failed`, `answer_too_large` */
async function embedTexts(
  { texts, options, parseSeconds }: EmbedTexts,
  { openers, log, signal, limits }: Run,
): Promise<Answer> {
  const { embedding_model, purpose, encoding, long_texts: longTexts } = options;
  const timer = new Timer(parseSeconds);
  const lease = await openers.model(embedding_model, signal);
  try {
    const { name } = lease.value;
    if (lease.isNew) timer.opened(lease.value, embedding_model);
    const model = supervisedModel(lease.value, { log, timer, longTexts, unit: 'text' });
    const embed = () => model.embed(texts, { purpose, signal });
    const vectors = await callPlugin({ manifest: { kind: 'embedding', name } }, embed);
    const write = () => writeVectors(name, vectors, texts.length, encoding, limits.maxAnswerBytes);
    const bytes = await timer.time('serialise', 'json', write);
    const reported = [reportedCounts(timer.takeCounts(), name)];
    return { bytes, reported, timings: timer.summary(texts.length, 0, 0) };
  } finally {
    lease.release();
  }
}

/** @throws ServiceError errors of `Openers`, `invalid_parameters`, `plugin_failed`, `answer_too_large` */
async function tokenizeTexts(
  { texts, options, parseSeconds }: TokenizeTexts,
  { openers, signal, limits }: Run,
): Promise<Answer> {
  const { include, offset_unit } = options;
  const timer = new Timer(parseSeconds);
  const tokenizer = await openers.tokenizer(options.tokenizer);
  const { name } = tokenizer;
  if (include.includes('ids') && tokenizer.encode === undefined) {
    const remedy = 'remove "ids", or use the tokenizer of a model';
    throw invalid(`include: the tokenizer ${JSON.stringify(name)} has no ids; ${remedy}`);
  }
  const read = () =>
    texts.map((text) => {
      signal.throwIfAborted();
      return tokensOf(tokenizer, text, include);
    });
  const readTimed = () => timer.time('tokenize', name, read);
  const lists = await callPlugin({ manifest: { kind: 'tokenizer', name } }, readTimed);
  const write = () => writeTokens(name, lists, { include, unit: offset_unit }, limits.maxAnswerBytes);
  const bytes = await timer.time('serialise', 'json', write);
  const tokens = lists.reduce((sum, { count }) => sum + count, 0);
  return { bytes, reported: [], timings: timer.summary(texts.length, 0, tokens) };
}

function tokensOf(tokenizer: Tokenizer, text: string, include: readonly TokenField[]): TokenList {
  const tokenized = tokenizer.tokenize(text);
  const isPlaced = include.includes('offsets') || include.includes('tokens');
  const ends = isPlaced ? tokenized.ends() : undefined;
  const ids = include.includes('ids') ? tokenizer.encode?.(text) : undefined;
  const count = ends?.length ?? ids?.length ?? tokenized.count(0, text.length);
  return { text, count, ends, ids };
}
