import { type Fields, isRecord, readSpecialTokens, type SpecialTokens } from './special-tokens.ts';

/** The used parts of a `tokenizer.json`. Truncation, padding and decoder are ignored. */
export interface TokenizerFile {
  readonly normalizers: readonly StageConfig[];
  readonly preTokenizers: readonly StageConfig[];
  /** Added tokens that are not special: special ones are left out, so that their text is ordinary text. */
  readonly addedTokens: readonly AddedToken[];
  readonly model: ModelConfig;
  readonly specialTokens: SpecialTokens;
}

/** A stage as the file describes it; the library knows the other fields. */
export interface StageConfig {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface AddedToken {
  readonly id: number | undefined;
  readonly content: string;
  /** Whether it is searched in the normalised text rather than in the source. */
  readonly normalized: boolean;
  /** Whether white space before it is dropped. */
  readonly lstrip: boolean;
  /** Whether white space after it is dropped. */
  readonly rstrip: boolean;
}

/** The model as the file describes it, in full: our own code runs it. */
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

export interface WordPieceConfig {
  readonly type: 'WordPiece';
  readonly vocabulary: ReadonlyMap<string, number>;
  readonly unknownToken: string | undefined;
  readonly prefix: string;
  readonly maxCharacters: number;
  readonly fusesUnknown: boolean;
}

export interface UnigramConfig {
  readonly type: 'Unigram';
  readonly vocabulary: readonly (readonly [string, number])[];
  readonly unknownId: number | undefined;
}

/** Reads a `tokenizer.json`. Throws if it is invalid, or of a kind that is not supported. */
export function parseTokenizerFile(json: string): TokenizerFile {
  const file: unknown = JSON.parse(json);
  if (!isRecord(file) || !isRecord(file.model)) throw new Error('it has no model');
  const addedTokens = readAddedTokens(file.added_tokens);
  return {
    normalizers: flatten(file.normalizer, 'normalizers'),
    preTokenizers: flatten(file.pre_tokenizer, 'pretokenizers'),
    addedTokens,
    model: readModel(file.model, new Map(addedTokens.map(({ content, id }) => [content, id ?? -1]))),
    specialTokens: readSpecialTokens(file.post_processor),
  };
}

function readModel(model: Fields, added: ReadonlyMap<string, number>): ModelConfig {
  const type = model.type ?? guessType(model);
  if (type === 'Unigram') {
    return { type, vocabulary: readScores(model.vocab), unknownId: asNumber(model.unk_id) };
  }
  if (type !== 'BPE' && type !== 'WordPiece') {
    throw new Error(`its model is of type ${JSON.stringify(type)}; BPE, WordPiece and Unigram are supported`);
  }
  const vocabulary = new Map([...readVocabulary(model.vocab), ...added]);
  const unknownToken = asString(model.unk_token);
  const fusesUnknown = model.fuse_unk === true;
  if (type === 'WordPiece') {
    const prefix = asString(model.continuing_subword_prefix) ?? '##';
    const maxCharacters = asNumber(model.max_input_chars_per_word) ?? 100;
    return { type, vocabulary, unknownToken, prefix, maxCharacters, fusesUnknown };
  }
  return {
    type,
    vocabulary,
    merges: readMerges(model.merges),
    unknownToken,
    endOfWordSuffix: asString(model.end_of_word_suffix) ?? '',
    continuingSuffix: asString(model.continuing_subword_suffix) ?? '',
    byteFallback: model.byte_fallback === true,
    ignoresMerges: model.ignore_merges === true,
    fusesUnknown,
  };
}

/** Old files do not name the type of their model. */
function guessType(model: Fields): string | undefined {
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

function readAddedTokens(tokens: unknown): AddedToken[] {
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

/** The single stages of a stage, which may be a sequence of sequences. */
function flatten(stage: unknown, listField: string): StageConfig[] {
  if (stage === undefined || stage === null) return [];
  if (!isStage(stage)) throw new Error('it has a stage without a type');
  if (stage.type !== 'Sequence') return [stage];
  const list = stage[listField];
  return Array.isArray(list) ? list.flatMap((inner) => flatten(inner, listField)) : [];
}

const isStage = (value: unknown): value is StageConfig => isRecord(value) && typeof value.type === 'string';

const isEntry = (value: unknown): value is [string, number] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'number';

const isPair = (value: unknown): value is [string, string] =>
  Array.isArray(value) && typeof value[0] === 'string' && typeof value[1] === 'string';

const asString = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);

const asNumber = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
