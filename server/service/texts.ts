import type { Tokenizer } from '../../core/contracts/tokenizer.ts';
import { ServiceError } from '../../core/errors.ts';
import { callPlugin } from '../../core/hosting/plugin-error.ts';
import { type TokenList, writeTokens } from '../wire/token-writer.ts';
import { writeVectors } from '../wire/vector-writer.ts';
import type { Answer } from './answer.ts';
import { reportedEmpty } from './response-metadata.ts';
import type { StageTools } from './stages.ts';
import { supervisedModel } from './supervised-model.ts';
import type { TokenField } from './text-schemas.ts';
import type { EmbedTexts, TextsRequest, TokenizeTexts } from './texts-request.ts';
import { Timer } from './timings.ts';

type Tools = Pick<StageTools, 'openers' | 'log' | 'defaultTokenizer'>;

/**
 * Answers a request about texts.
 *
 * @throws ServiceError what `Openers` throw, `invalid_parameters`, `plugin_failed`, `answer_too_large`
 */
export function runTexts(
  request: TextsRequest,
  signal: AbortSignal,
  tools: Tools,
  maxAnswerBytes: number,
): Promise<Answer> {
  return request.run === 'embed'
    ? embedTexts(request, signal, tools, maxAnswerBytes)
    : tokenizeTexts(request, signal, tools, maxAnswerBytes);
}

async function embedTexts(
  { texts, options, parseSeconds }: EmbedTexts,
  signal: AbortSignal,
  { openers, log }: Tools,
  maxAnswerBytes: number,
): Promise<Answer> {
  const { embedding_model, purpose, encoding } = options;
  const timer = new Timer(parseSeconds);
  const lease = await openers.model(embedding_model, signal);
  try {
    const { name } = lease.value;
    if (lease.isNew) timer.opened(name);
    const model = supervisedModel(lease.value, log, timer);
    const embed = () => model.embed(texts, { purpose, signal });
    const vectors = await callPlugin({ manifest: { kind: 'embedding', name } }, embed);
    const write = () => writeVectors(name, vectors, texts.length, encoding, maxAnswerBytes);
    const bytes = await timer.time('serialise', 'json', write);
    const reported = { 'embedding-model': name, ...reportedEmpty(timer.takeEmptyVectors()) };
    return { bytes, reported: [reported], timings: timer.summary(texts.length, 0, 0) };
  } finally {
    lease.release();
  }
}

async function tokenizeTexts(
  { texts, options, parseSeconds }: TokenizeTexts,
  signal: AbortSignal,
  { openers, defaultTokenizer }: Tools,
  maxAnswerBytes: number,
): Promise<Answer> {
  const { include, offset_unit } = options;
  const timer = new Timer(parseSeconds);
  const tokenizer = await openers.tokenizer(options.tokenizer ?? defaultTokenizer);
  const { name } = tokenizer;
  if (include.includes('ids') && tokenizer.encode === undefined) throw hasNoIds(name);
  const read = () =>
    texts.map((text) => {
      signal.throwIfAborted();
      return tokensOf(tokenizer, text, include);
    });
  const readTimed = () => timer.time('tokenize', name, read);
  const lists = await callPlugin({ manifest: { kind: 'tokenizer', name } }, readTimed);
  const write = () => writeTokens(name, lists, { include, unit: offset_unit }, maxAnswerBytes);
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

function hasNoIds(name: string): ServiceError {
  const problem = `include: the tokenizer ${JSON.stringify(name)} has no ids; leave "ids" out, or name the tokenizer of a model`;
  return new ServiceError('invalid_parameters', { problems: [problem] });
}
