import type { Tokenizer } from '../../../core/kit.ts';
import { NO_ID } from './models/word.ts';
import { TokenList, Vocabulary, type WordPieceConfig } from './models/word-piece.ts';

/** The parts of a `tokenizer.json` that are read. Truncation, padding and decoder settings are ignored. */
export interface TokenizerFile {
  readonly normalizers: readonly StageConfig[];
  readonly preTokenizers: readonly StageConfig[];
  /** The added tokens except special tokens: the text of a special token is ordinary text. */
  readonly addedTokens: readonly AddedToken[];
  readonly model: ModelConfig;
  readonly specialTokens: SpecialTokens;
}

type SpecialTokens = Required<Tokenizer>['specialTokens'];

/** A stage of the file. The library interprets its other fields. */
export interface StageConfig {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface AddedToken {
  readonly id: number | undefined;
  readonly content: string;
  /** Whether the token is searched in the normalised text instead of the source. */
  readonly normalized: boolean;
  readonly lstrip: boolean;
  /** Whether white space after the token is dropped. */
  readonly rstrip: boolean;
}

export type ModelConfig = BpeConfig | WordPieceConfig | UnigramConfig;

export interface BpeConfig {
  readonly type: 'BPE';
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly merges: readonly (readonly [string, string])[];
  readonly unknownToken: string | undefined;
  readonly endOfWordSuffix: string;
  readonly continuingSuffix: string;
  readonly byteFallback: boolean;
  readonly ignoresMerges: boolean;
  readonly fusesUnknown: boolean;
}

export interface UnigramConfig {
  readonly type: 'Unigram';
  readonly vocabulary: readonly (readonly [string, number])[];
  readonly unknownId: number | undefined;
}

export function unknownIdOf(model: ModelConfig): number | undefined {
  if (model.type === 'Unigram') return model.unknownId;
  const { unknownToken } = model;
  if (unknownToken === undefined) return undefined;
  return model.type === 'BPE' ? model.vocabulary.get(unknownToken) : model.vocabulary.idOf(unknownToken);
}

/**
 * Reads a `tokenizer.json`. Throws if it is invalid or unsupported.
 *
 * @param given the file as JSON, or its packed vocabulary
 */
export function parseTokenizerFile(given: string | Vocabulary): TokenizerFile {
  const packed = typeof given === 'string' ? undefined : given;
  const file: unknown = JSON.parse(typeof given === 'string' ? given : Buffer.from(given.rest).toString());
  if (!isRecord(file) || !isRecord(file.model)) throw new Error('it has no model');
  const addedTokens = readAddedTokens(file.added_tokens);
  return {
    normalizers: stagesIn(file.normalizer, 'normalizers'),
    preTokenizers: stagesIn(file.pre_tokenizer, 'pretokenizers'),
    addedTokens,
    model: readModel(file.model, addedTokens, packed),
    specialTokens: readSpecialTokens(file.post_processor),
  };
}

function readModel(
  model: Fields,
  addedTokens: readonly AddedToken[],
  packed: Vocabulary | undefined,
): ModelConfig {
  const type = typeOf(model);
  if (type === 'Unigram') {
    return { type, vocabulary: readScores(model.vocab), unknownId: asNumber(model.unk_id) };
  }
  if (type !== 'BPE' && type !== 'WordPiece') {
    throw new Error(`its model is of type ${JSON.stringify(type)}; BPE, WordPiece and Unigram are supported`);
  }
  const entries = () => [...readVocabulary(model.vocab), ...entriesOf(addedTokens)];
  const unknownToken = asString(model.unk_token);
  const fusesUnknown = model.fuse_unk === true;
  if (type === 'WordPiece') {
    const prefix = asString(model.continuing_subword_prefix) ?? '##';
    const maxCharacters = asNumber(model.max_input_chars_per_word) ?? 100;
    const vocabulary = packed ?? Vocabulary.build(new TokenList().addAll(entries()));
    return { type, vocabulary, unknownToken, prefix, maxCharacters, fusesUnknown };
  }
  return {
    type,
    vocabulary: new Map(entries()),
    merges: readMerges(model.merges),
    unknownToken,
    endOfWordSuffix: asString(model.end_of_word_suffix) ?? '',
    continuingSuffix: asString(model.continuing_subword_suffix) ?? '',
    byteFallback: model.byte_fallback === true,
    ignoresMerges: model.ignore_merges === true,
    fusesUnknown,
  };
}

/** The type of a model, inferred for old files that do not name it. */
export function typeOf(model: Fields): unknown {
  if (model.type !== undefined && model.type !== null) return model.type;
  if (Array.isArray(model.vocab)) return 'Unigram';
  if (Array.isArray(model.merges)) return 'BPE';
  return 'continuing_subword_prefix' in model ? 'WordPiece' : undefined;
}

function readVocabulary(vocabulary: unknown): [string, number][] {
  if (!isRecord(vocabulary)) throw new Error('its vocabulary is not an object');
  const entries = Object.entries(vocabulary);
  if (!entries.every(isEntry)) throw new Error('its vocabulary has an id that is not a number');
  return entries;
}

function readScores(vocabulary: unknown): [string, number][] {
  if (!Array.isArray(vocabulary) || vocabulary.length === 0 || !vocabulary.every(isEntry)) {
    throw new Error('its vocabulary is not a list of tokens with scores');
  }
  return vocabulary;
}

function readMerges(merges: unknown): [string, string][] {
  if (!Array.isArray(merges)) throw new Error('its merges are not a list');
  const pairs: unknown[] = merges.map((merge) => (typeof merge === 'string' ? merge.split(' ', 2) : merge));
  if (!pairs.every(isPair)) throw new Error('it has a merge that is not a pair of tokens');
  return pairs;
}

export const entriesOf = (tokens: readonly AddedToken[]) =>
  tokens.map(({ content, id }): [string, number] => [content, id ?? NO_ID]);

export function readAddedTokens(tokens: unknown): AddedToken[] {
  if (!Array.isArray(tokens)) return [];
  return tokens.flatMap((token: unknown) => {
    if (!isRecord(token) || typeof token.content !== 'string')
      throw new Error('it has a malformed added token');
    if (token.special === true || token.content === '') return [];
    const { content, normalized, lstrip, rstrip, id } = token;
    const flags = { normalized: normalized !== false, lstrip: lstrip === true, rstrip: rstrip === true };
    return [{ id: asNumber(id), content, ...flags }];
  });
}

function stagesIn(stage: unknown, listField: string): StageConfig[] {
  if (stage === undefined || stage === null) return [];
  if (!isStage(stage)) throw new Error('it has a stage without a type');
  if (stage.type !== 'Sequence') return [stage];
  const list = stage[listField];
  return Array.isArray(list) ? list.flatMap((inner) => stagesIn(inner, listField)) : [];
}

const isStage = (value: unknown): value is StageConfig => isRecord(value) && typeof value.type === 'string';

const isEntry = (value: unknown): value is [string, number] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';

const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';

const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);

function readSpecialTokens(postProcessor: unknown): SpecialTokens {
  const all = processorsIn(postProcessor).map(readProcessor);
  const prefix = all.toReversed().flatMap((tokens) => tokens.prefix);
  return { prefix, suffix: all.flatMap(({ suffix }) => suffix) };
}

function readProcessor(processor: Fields): SpecialTokens {
  if (processor.type === 'TemplateProcessing') return readTemplate(processor);
  if (processor.type === 'BertProcessing' || processor.type === 'RobertaProcessing') {
    return { prefix: idOfPair(processor.cls), suffix: idOfPair(processor.sep) };
  }
  return { prefix: [], suffix: [] };
}

function readTemplate({ single, special_tokens: specials }: Fields): SpecialTokens {
  if (!Array.isArray(single)) throw new Error('its post-processor has no template');
  const text = single.findIndex((part) => isRecord(part) && 'Sequence' in part);
  const idsOf = (parts: unknown[]): number[] => parts.flatMap((part) => specialIds(part, specials));
  if (text === -1) throw new Error('its post-processor has a template without a text');
  return { prefix: idsOf(single.slice(0, text)), suffix: idsOf(single.slice(text + 1)) };
}

/** The ids of a template part such as `{"SpecialToken": {"id": "<s>"}}`, looked up in `specials`. */
function specialIds(part: unknown, specials: unknown): number[] {
  const name = isRecord(part) && isRecord(part.SpecialToken) ? part.SpecialToken.id : undefined;
  const special = isRecord(specials) ? specials[String(name)] : undefined;
  const ids = isRecord(special) ? special.ids : undefined;
  if (!Array.isArray(ids) || !ids.every(isId))
    throw new Error('its post-processor has a token without an id');
  return ids;
}

function idOfPair(pair: unknown): number[] {
  if (!Array.isArray(pair) || !isId(pair[1])) throw new Error('its post-processor has a token without an id');
  return [pair[1]];
}

function processorsIn(processor: unknown): Fields[] {
  if (!isRecord(processor)) return [];
  if (processor.type !== 'Sequence') return [processor];
  return Array.isArray(processor.processors) ? processor.processors.flatMap(processorsIn) : [];
}

type Fields = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isId = (value: unknown): value is number => typeof value === 'number' && Number.isInteger(value);
