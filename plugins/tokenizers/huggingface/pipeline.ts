import { createSectionFinder } from './added-tokens.ts';
import { alignBytes } from './alignment.ts';
import { createBpe } from './bpe.ts';
import { createMemo } from './memo.ts';
import type { Library, Stage } from './stages.ts';
import { createByteLevelSplitter, createNormalizer, createPreTokenizer, encodeBytes } from './stages.ts';
import type { AddedToken, ModelFile, TokenizerFile } from './tokenizer-file.ts';
import { sourceEnd, trace, traced } from './trace.ts';
import { createUnigram } from './unigram.ts';
import { type Model, NO_ID, type Word } from './word.ts';
import { createWordPiece } from './word-piece.ts';

/** A whole tokenizer: added tokens, normalizers, pre-tokenizers, model. */
export interface Pipeline {
  readonly normalizers: readonly Stage[];
  readonly splitters: readonly Stage[];
  /** The number of tokens of a text. */
  count(text: string): number;
  /** Id of every token. */
  ids(text: string): number[];
  read(text: string): Tokens;
}

/** The tokens of a text. */
export interface Tokens {
  /** End of every token, as a rising offset into the text; the last one can be less than its length. */
  readonly ends: readonly number[];
  readonly ids: readonly number[];
}

/** Puts together what a file describes. Throws where the library does not know a stage. */
export function createPipeline(library: Library, file: TokenizerFile): Pipeline {
  const normalizers = file.normalizers.map((config) => createNormalizer(library, config));
  const { splitters, spellsBytes } = createSplitters(library, file);
  const normalize = (text: string, section: number): string =>
    normalizers.reduce((input, stage) => stage.apply(input, section)[0] ?? '', text);

  const { sourceTokens, normalizedTokens, tokens } = sortAddedTokens(file, (text) => normalize(text, 0));
  const findInSource = createSectionFinder(sourceTokens, tokens);
  const findInNormalized = createSectionFinder(normalizedTokens, tokens);

  const idOf = (added: string): number => tokens.get(added)?.id ?? NO_ID;

  const model = createModel(file.model);
  const readWord = createMemo(spellsBytes ? readBytes(model) : model.read);
  const cutPiece = model.cutsAtMetaspace && !spellsBytes ? cutAtMetaspace : (piece: string) => [piece];

  /** Reads one normalised section; `add` gets the end of each token in the joined pieces, and its id. */
  function readPieces(
    pieces: readonly string[],
    add: (end: number, id: number) => void,
    replaceLast: (end: number) => void,
  ): void {
    let offset = 0;
    let wasUnknown = false;
    for (const piece of pieces) {
      for (const text of cutPiece(piece)) {
        const word = readWord(text);
        const { ends, ids } = word;
        for (let index = 0; index < ends.length; index++) {
          const end = offset + (ends[index] as number);
          if (index === 0 && model.fusesUnknown && wasUnknown && word.startsUnknown) replaceLast(end);
          else add(end, ids[index] as number);
        }
        if (ends.length > 0) wasUnknown = word.endsUnknown;
        offset += text.length;
      }
    }
  }

  /** Visits the tokens of a text, without their places: added ones, and words from their first token that counts. */
  function visit(
    text: string,
    addToken: (token: string) => void,
    addWord: (word: Word, from: number) => void,
  ) {
    findInSource(text).forEach((outer, section) => {
      if (outer.isToken) addToken(text.slice(outer.start, outer.end));
      if (outer.isToken || outer.start === outer.end) return;
      const normalized = normalize(text.slice(outer.start, outer.end), section);
      for (const inner of findInNormalized(normalized)) {
        if (inner.start === inner.end) continue;
        const content = normalized.slice(inner.start, inner.end);
        if (inner.isToken) addToken(content);
        else visitPieces(split(content, splitters, section), addWord);
      }
    });
  }

  function visitPieces(pieces: readonly string[], addWord: (word: Word, from: number) => void): void {
    let wasUnknown = false;
    for (const piece of pieces) {
      for (const text of cutPiece(piece)) {
        const word = readWord(text);
        if (word.ends.length === 0) continue;
        addWord(word, model.fusesUnknown && wasUnknown && word.startsUnknown ? 1 : 0);
        wasUnknown = word.endsUnknown;
      }
    }
  }

  function count(text: string): number {
    let total = 0;
    visit(
      text,
      () => total++,
      (word, from) => {
        total += word.ends.length - from;
      },
    );
    return total;
  }

  function ids(text: string): number[] {
    const result: number[] = [];
    visit(
      text,
      (token) => result.push(idOf(token)),
      (word, from) => {
        for (let index = from; index < word.ids.length; index++) result.push(word.ids[index] as number);
      },
    );
    return result;
  }

  function read(text: string): Tokens {
    const ends: number[] = [];
    const ids: number[] = [];
    const add = (end: number, id: number): void => {
      ends.push(end);
      ids.push(id);
    };
    findInSource(text).forEach((outer, section) => {
      if (outer.isToken) add(outer.end, idOf(text.slice(outer.start, outer.end)));
      if (outer.isToken || outer.start === outer.end) return;
      const source = traced(text.slice(outer.start, outer.end));
      const normalized = trace(source, normalizers, section);
      const whole = normalized.pieces[0] ?? '';
      for (const inner of findInNormalized(whole)) {
        if (inner.start === inner.end) continue;
        const content = whole.slice(inner.start, inner.end);
        const endOf = (end: number): number => outer.start + sourceEnd(normalized.ends, inner.start + end);
        if (inner.isToken) add(endOf(content.length), idOf(content));
        else {
          const pieces = trace(traced(content), splitters, section);
          const place = (end: number): number => endOf(sourceEnd(pieces.ends, end));
          readPieces(
            pieces.pieces,
            (end, id) => add(place(end), id),
            (end) => {
              ends[ends.length - 1] = place(end);
            },
          );
        }
      }
    });
    return { ends, ids };
  }

  return { normalizers, splitters, count, ids, read };
}

function createModel(file: ModelFile): Model {
  if (file.type === 'BPE') return createBpe(file);
  return file.type === 'WordPiece' ? createWordPiece(file) : createUnigram(file);
}

function createSplitters(
  library: Library,
  file: TokenizerFile,
): { splitters: Stage[]; spellsBytes: boolean } {
  const configs = [...file.preTokenizers];
  const spellsBytes = configs.at(-1)?.type === 'ByteLevel';
  const last = spellsBytes ? configs.pop() : undefined;
  const splitters = configs.map((config) => createPreTokenizer(library, config));
  return {
    splitters: last ? [...splitters, createByteLevelSplitter(library, last)] : splitters,
    spellsBytes,
  };
}

/** Which added tokens are looked for before, and which after normalisation; and all of them by their text. */
function sortAddedTokens(file: TokenizerFile, normalize: (text: string) => string) {
  const tokens = new Map<string, AddedToken>();
  const sourceTokens: string[] = [];
  const normalizedTokens: string[] = [];
  for (const token of file.addedTokens) {
    tokens.set(token.content, token);
    if (token.normalized && file.normalizers.length > 0) {
      const content = normalize(token.content);
      normalizedTokens.push(content);
      tokens.set(content, token);
    } else sourceTokens.push(token.content);
  }
  return { sourceTokens, normalizedTokens, tokens };
}

/** Reads words that stand as they are in the text with a model that knows them spelled in bytes. */
function readBytes(model: Model): (text: string) => Word {
  return (text) => {
    const word = model.read(encodeBytes(text));
    const places = alignBytes(text);
    return { ...word, ends: word.ends.map((end) => places[end - 1] ?? 0) };
  };
}

/** Cuts before each run of `▁` that follows another character. */
const cutAtMetaspace = (piece: string): readonly string[] => piece.match(/▁*[^▁]+|▁+/g) ?? [];

function split(text: string, splitters: readonly Stage[], section: number): readonly string[] {
  let pieces: readonly string[] = [text];
  for (const stage of splitters) pieces = pieces.flatMap((piece) => stage.apply(piece, section));
  return pieces;
}
