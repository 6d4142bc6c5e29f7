import type { AddedToken, ModelConfig, TokenizerFile } from '../file/tokenizer-file.ts';
import { createBpe } from '../models/bpe.ts';
import { createUnigram } from '../models/unigram.ts';
import { NO_ID, type Word, type WordModel } from '../models/word.ts';
import { createWordPiece } from '../models/word-piece.ts';
import { createSectionFinder, type FindSections } from '../stages/added-tokens.ts';
import { alignBytes } from '../stages/alignment.ts';
import {
  createByteLevelSplitter,
  createNormalizer,
  createPreTokenizer,
  encodeBytes,
  type Library,
  type TextStage,
} from '../stages/library-stages.ts';
import { createMemo } from '../words/memo.ts';

/** The parts of a whole tokenizer, in the order in which a text meets them. */
export interface Assembly {
  /** Finds the added tokens that are looked for in the source. */
  readonly findInSource: FindSections;
  readonly normalizers: readonly TextStage[];
  /** Finds the added tokens that are looked for in the normalised text. */
  readonly findInNormalized: FindSections;
  /** The pre-tokenizers. */
  readonly splitters: readonly TextStage[];
  /** Cuts a piece into words that the model reads on their own. */
  readonly cutPiece: (piece: string) => readonly string[];
  readonly readWord: (text: string) => Word;
  /** Whether unknown tokens that follow each other are one, across the boundaries of words too. */
  readonly fusesUnknown: boolean;
  /** The id of an added token, by its text. */
  readonly idOf: (added: string) => number;
}

/** Puts together what a file describes. Throws if the library does not know a stage. */
export function assemble(library: Library, file: TokenizerFile): Assembly {
  const normalizers = file.normalizers.map((config) => createNormalizer(library, config));
  const { splitters, spellsBytes } = createSplitters(library, file);
  const { sourceTokens, normalizedTokens, tokens } = sortAddedTokens(file, normalizers);
  const model = createModel(file.model);
  return {
    findInSource: createSectionFinder(sourceTokens, tokens),
    normalizers,
    findInNormalized: createSectionFinder(normalizedTokens, tokens),
    splitters,
    cutPiece: model.cutsAtMetaspace && !spellsBytes ? cutAtMetaspace : (piece) => [piece],
    readWord: createMemo(spellsBytes ? readBytes(model) : model.read),
    fusesUnknown: model.fusesUnknown,
    idOf: (added) => tokens.get(added)?.id ?? NO_ID,
  };
}

/** Takes a section of a text through the normalizers. */
export function normalize(normalizers: readonly TextStage[], text: string, section: number): string {
  return normalizers.reduce((input, stage) => stage.apply(input, section)[0] ?? '', text);
}

function createModel(config: ModelConfig): WordModel {
  if (config.type === 'BPE') return createBpe(config);
  return config.type === 'WordPiece' ? createWordPiece(config) : createUnigram(config);
}

function createSplitters(
  library: Library,
  file: TokenizerFile,
): { splitters: TextStage[]; spellsBytes: boolean } {
  const configs = [...file.preTokenizers];
  const spellsBytes = configs.at(-1)?.type === 'ByteLevel';
  const last = spellsBytes ? configs.pop() : undefined;
  const splitters = configs.map((config) => createPreTokenizer(library, config));
  return {
    splitters: last ? [...splitters, createByteLevelSplitter(library, last)] : splitters,
    spellsBytes,
  };
}

/** Which added tokens are looked for before and which after normalisation, and all of them by their text. */
function sortAddedTokens(file: TokenizerFile, normalizers: readonly TextStage[]) {
  const tokens = new Map<string, AddedToken>();
  const sourceTokens: string[] = [];
  const normalizedTokens: string[] = [];
  for (const token of file.addedTokens) {
    tokens.set(token.content, token);
    if (token.normalized && normalizers.length > 0) {
      const content = normalize(normalizers, token.content, 0);
      normalizedTokens.push(content);
      tokens.set(content, token);
    } else sourceTokens.push(token.content);
  }
  return { sourceTokens, normalizedTokens, tokens };
}

/** Reads words as they stand in the text with a model whose vocabulary is spelled in bytes. */
function readBytes(model: WordModel): (text: string) => Word {
  return (text) => {
    const word = model.read(encodeBytes(text));
    const places = alignBytes(text);
    return { ...word, ends: word.ends.map((end) => places[end - 1] ?? 0) };
  };
}

/** Cuts before each run of `▁` that follows another character. */
const cutAtMetaspace = (piece: string): readonly string[] => piece.match(/▁*[^▁]+|▁+/g) ?? [];
