import { splitsCodePoint, type Tokenizer } from '../../../core/kit.ts';
import { createBpe } from './models/bpe.ts';
import { createUnigram } from './models/unigram.ts';
import { NO_ID, type Tokens, type Word, type WordModel } from './models/word.ts';
import { createWordPiece } from './models/word-piece.ts';
import { createSectionFinder, type FindSections } from './stages/added-tokens.ts';
import { alignBytes } from './stages/alignment.ts';
import {
  createByteLevelSplitter,
  createNormalizer,
  createPreTokenizer,
  encodeBytes,
  type Library,
  type TextStage,
  type Traced,
  trace,
} from './stages/library-stages.ts';
import { type AddedToken, type ModelConfig, type TokenizerFile, unknownIdOf } from './tokenizer-file.ts';
import {
  createWordCounts,
  forEachRawWord,
  hasRawWords,
  type Isolated,
  isolatedBy,
  isolatedIn,
  plainWords,
  withoutPunctuation,
} from './words/raw-words.ts';
import { createMemo, WordTokens, withRoomFor } from './words/word-tokens.ts';

export function createTokenizer(name: string, file: TokenizerFile, library: Library): Tokenizer {
  const assembly = assemble(library, file);
  const read = hasRawWords(file, assembly.normalizers, assembly.splitters)
    ? readByWords(assembly, file)
    : readAtOnce(assembly);
  return { name, ...read, unknownId: unknownIdOf(file.model), specialTokens: file.specialTokens };
}

type ReadingMethods = Required<Pick<Tokenizer, 'tokenize' | 'encode'>>;

/** Maximum length of the array that is reused for the next text. */
const MAX_KEPT = 1 << 20;

/**
 * Reads each word between white space separately. Stages are traced only for the ends of tokens, because
 * counts and ids need no positions.
 */
function readByWords(assembly: Assembly, file: TokenizerFile): ReadingMethods {
  const isolated = isolatedBy(file);
  const plain = plainWords(file);
  const words = new WordTokens((word) => {
    const read = plain(word);
    return {
      ids: read === undefined ? tokenIds(assembly, word) : assembly.model.read(read).ids,
      ends: NO_ENDS,
    };
  });
  let tracedWords: WordTokens | undefined;
  let target = new Uint32Array();

  /** Returns what `add` writes for the tokens of all words. The array is valid until the next call. */
  function collect(text: string, isolated: Isolated, tokens: WordTokens, add: AddTokens): Uint32Array {
    let count = 0;
    forEachRawWord(text, isolated, (start, end, hash, units) => {
      const word = tokens.find(text, start, end, hash, units);
      const length = tokens.countOf(word);
      target = withRoomFor(target, count + length);
      add(target, count, word, length, start);
      count += length;
    });
    const collected = target.subarray(0, count);
    if (target.length > MAX_KEPT) target = new Uint32Array();
    return collected;
  }

  function endsOf(text: string): Uint32Array {
    tracedWords ??= new WordTokens((word) => readTokens(assembly, word));
    const traced = tracedWords;
    return collect(text, withoutPunctuation(isolated), traced, (target, at, word, length, start) => {
      for (let token = 0; token < length; token++)
        target[at + token] = start + (traced.ends[traced.firstOf(word) + token] as number);
    });
  }

  function addIds(target: Uint32Array, at: number, word: number, length: number): void {
    if (length > 0) target[at] = words.idOf(word);
    for (let token = 1; token < length; token++)
      target[at + token] = words.ids[words.firstOf(word) + token] as number;
  }

  return {
    tokenize: (text) => ({
      count: createWordCounts(text, isolatedIn(text, isolated), words),
      ends: () => settle(endsOf(text), text),
    }),
    encode: (text) => collect(text, isolatedIn(text, isolated), words, addIds).slice(),
  };
}

type AddTokens = (target: Uint32Array, at: number, word: number, length: number, start: number) => void;

const NO_ENDS: readonly number[] = [];

/** Reads a text as a whole, for tokenizers whose tokens can depend on the surrounding text. */
function readAtOnce(assembly: Assembly): ReadingMethods {
  return {
    tokenize: (text) => ({
      count: (start, end) => countTokens(assembly, text.slice(start, end)),
      ends: () => settle(readTokens(assembly, text).ends, text),
    }),
    encode: (text) => new Uint32Array(tokenIds(assembly, text)),
  };
}

/** Makes the ends ascend, moves them out of surrogate pairs, and sets the last end to the end of the text. */
function settle(ends: ArrayLike<number>, text: string): Uint32Array {
  const settled = new Uint32Array(ends.length);
  let highest = 0;
  for (let index = 0; index < ends.length; index++) {
    const end = Math.min(ends[index] as number, text.length);
    highest = Math.max(highest, splitsCodePoint(text, end) ? end + 1 : end);
    settled[index] = highest;
  }
  if (ends.length > 0) settled[ends.length - 1] = text.length;
  return settled;
}

function countTokens(assembly: Assembly, text: string): number {
  let total = 0;
  visitTokens(assembly, text, {
    token: () => total++,
    word: (word, from) => {
      total += word.ends.length - from;
    },
  });
  return total;
}

function tokenIds(assembly: Assembly, text: string): number[] {
  const result: number[] = [];
  visitTokens(assembly, text, {
    token: (id) => result.push(id),
    word: (word, from) => {
      for (let index = from; index < word.ids.length; index++) result.push(word.ids[index] as number);
    },
  });
  return result;
}

/** Reads tokens with their ends. Tracing all stages takes several times as long as reading only the ids. */
function readTokens(assembly: Assembly, text: string): Tokens {
  const ends: number[] = [];
  const ids: number[] = [];
  visitTokens(assembly, text, {
    token: (id, end) => {
      ends.push(end());
      ids.push(id);
    },
    word: (word, from, offset, endOf) => {
      const endAt = (index: number): number => endOf(offset + (word.ends[index] as number));
      if (from === 1) ends[ends.length - 1] = endAt(0);
      for (let index = from; index < word.ends.length; index++) {
        ends.push(endAt(index));
        ids.push(word.ids[index] as number);
      }
    },
  });
  return { ends, ids };
}

interface Visitor {
  token(id: number, end: () => number): void;
  /**
   * @param from index of the first new token: 1 if the first token is fused with the previous unknown token
   * @param offset start of the word in the joined pieces
   * @param endOf maps an end in the joined pieces to an end in the text
   */
  word(word: Word, from: number, offset: number, endOf: (end: number) => number): void;
}

function visitTokens(assembly: Assembly, text: string, visitor: Visitor): void {
  assembly.findInSource(text).forEach((outer, section) => {
    const source = text.slice(outer.start, outer.end);
    if (outer.isToken) visitor.token(assembly.idOf(source), () => outer.end);
    else if (source !== '') visitSection(assembly, source, section, outer.start, visitor);
  });
}

function visitSection(
  assembly: Assembly,
  source: string,
  section: number,
  start: number,
  visitor: Visitor,
): void {
  const normalized = trace(source, assembly.normalizers, section);
  const whole = normalized.pieces[0] ?? '';
  for (const inner of assembly.findInNormalized(whole)) {
    if (inner.start === inner.end) continue;
    const content = whole.slice(inner.start, inner.end);
    const endOf = (end: number): number => start + normalized.sourceEnd(inner.start + end);
    if (inner.isToken) visitor.token(assembly.idOf(content), () => endOf(content.length));
    else visitWords(assembly, trace(content, assembly.splitters, section), endOf, visitor);
  }
}

function visitWords(
  { cutPiece, readWord, fusesUnknown }: Assembly,
  split: Traced,
  endOf: (end: number) => number,
  visitor: Visitor,
): void {
  const endOfPieces = (end: number): number => endOf(split.sourceEnd(end));
  let offset = 0;
  let wasUnknown = false;
  for (const piece of split.pieces) {
    for (const text of cutPiece(piece)) {
      const word = readWord(text);
      if (word.ends.length > 0) {
        visitor.word(word, fusesUnknown && wasUnknown && word.startsUnknown ? 1 : 0, offset, endOfPieces);
        wasUnknown = word.endsUnknown;
      }
      offset += text.length;
    }
  }
}

interface Assembly {
  readonly findInSource: FindSections;
  readonly normalizers: readonly TextStage[];
  readonly findInNormalized: FindSections;
  readonly splitters: readonly TextStage[];
  readonly cutPiece: (piece: string) => readonly string[];
  readonly model: WordModel;
  readonly readWord: (text: string) => Word;
  readonly fusesUnknown: boolean;
  readonly idOf: (added: string) => number;
}

function assemble(library: Library, file: TokenizerFile): Assembly {
  const normalizers = file.normalizers.map((config) => createNormalizer(library, config));
  const spellsBytes = file.preTokenizers.at(-1)?.type === 'ByteLevel';
  const splitters = file.preTokenizers.map((config, index, { length }) =>
    spellsBytes && index === length - 1
      ? createByteLevelSplitter(library, config)
      : createPreTokenizer(library, config),
  );
  const { sourceTokens, normalizedTokens, tokens } = sortAddedTokens(file, normalizers);
  const model = createModel(file.model);
  return {
    findInSource: createSectionFinder(sourceTokens, tokens),
    normalizers,
    findInNormalized: createSectionFinder(normalizedTokens, tokens),
    splitters,
    cutPiece: model.cutsAtMetaspace && !spellsBytes ? cutAtMetaspace : (piece) => [piece],
    model,
    readWord: createMemo(spellsBytes ? readBytes(model) : model.read),
    fusesUnknown: model.fusesUnknown,
    idOf: (added) => tokens.get(added)?.id ?? NO_ID,
  };
}

function createModel(config: ModelConfig): WordModel {
  if (config.type === 'BPE') return createBpe(config);
  return config.type === 'WordPiece' ? createWordPiece(config) : createUnigram(config);
}

function sortAddedTokens(file: TokenizerFile, normalizers: readonly TextStage[]) {
  const tokens = new Map<string, AddedToken>();
  const sourceTokens: string[] = [];
  const normalizedTokens: string[] = [];
  for (const token of file.addedTokens) {
    tokens.set(token.content, token);
    if (token.normalized && normalizers.length > 0) {
      const content = trace(token.content, normalizers, 0).pieces[0] ?? '';
      normalizedTokens.push(content);
      tokens.set(content, token);
    } else sourceTokens.push(token.content);
  }
  return { sourceTokens, normalizedTokens, tokens };
}

function readBytes(model: WordModel): (text: string) => Word {
  return (text) => {
    const word = model.read(encodeBytes(text));
    const alignment = alignBytes(text);
    return { ...word, ends: word.ends.map((end) => alignment[end - 1] ?? 0) };
  };
}

/** Cuts before each run of `▁` that follows another character. */
const cutAtMetaspace = (piece: string): readonly string[] => piece.match(/▁*[^▁]+|▁+/g) ?? [];
