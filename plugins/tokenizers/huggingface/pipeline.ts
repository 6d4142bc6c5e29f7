import { createSectionFinder } from './added-tokens.ts';
import { alignBytes } from './alignment.ts';
import { createBpe } from './bpe.ts';
import { createMemo } from './memo.ts';
import type { Library, Stage } from './stages.ts';
import { createByteLevelSplitter, createNormalizer, createPreTokenizer, encodeBytes } from './stages.ts';
import type { AddedToken, ModelFile, TokenizerFile } from './tokenizer-file.ts';
import { createUnigram } from './unigram.ts';
import type { Model, Word } from './word.ts';
import { createWordPiece } from './word-piece.ts';

/** A whole tokenizer: added tokens, normalizers, pre-tokenizers, model. */
export interface Pipeline {
  readonly normalizers: readonly Stage[];
  readonly splitters: readonly Stage[];
  /** The number of tokens of a text. */
  count(text: string): number;
  /** End of every token, as a rising offset into the text; the last one can be less than its length. */
  ends(text: string): number[];
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

  const model = createModel(file.model);
  const readWord = createMemo(spellsBytes ? readBytes(model) : model.read);
  const cutPiece = model.cutsAtMetaspace && !spellsBytes ? cutAtMetaspace : (piece: string) => [piece];

  /** Reads one normalised section; `add` gets the end of each token in the joined pieces. */
  function readPieces(
    pieces: readonly string[],
    add: (end: number) => void,
    replaceLast: (end: number) => void,
  ): void {
    let offset = 0;
    let wasUnknown = false;
    for (const piece of pieces) {
      for (const text of cutPiece(piece)) {
        const word = readWord(text);
        const { ends } = word;
        for (let index = 0; index < ends.length; index++) {
          const end = offset + (ends[index] as number);
          if (index === 0 && model.fusesUnknown && wasUnknown && word.startsUnknown) replaceLast(end);
          else add(end);
        }
        if (ends.length > 0) wasUnknown = word.endsUnknown;
        offset += text.length;
      }
    }
  }

  function countPieces(pieces: readonly string[]): number {
    let count = 0;
    let wasUnknown = false;
    for (const piece of pieces) {
      for (const text of cutPiece(piece)) {
        const word = readWord(text);
        if (word.ends.length === 0) continue;
        count += word.ends.length;
        if (model.fusesUnknown && wasUnknown && word.startsUnknown) count--;
        wasUnknown = word.endsUnknown;
      }
    }
    return count;
  }

  function count(text: string): number {
    let total = 0;
    findInSource(text).forEach((outer, section) => {
      if (outer.isToken) total++;
      if (outer.isToken || outer.start === outer.end) return;
      const normalized = normalize(text.slice(outer.start, outer.end), section);
      for (const inner of findInNormalized(normalized)) {
        if (inner.start === inner.end) continue;
        if (inner.isToken) total++;
        else total += countPieces(split(normalized.slice(inner.start, inner.end), splitters, section));
      }
    });
    return total;
  }

  function ends(text: string): number[] {
    const result: number[] = [];
    findInSource(text).forEach((outer, section) => {
      if (outer.isToken) result.push(outer.end);
      if (outer.isToken || outer.start === outer.end) return;
      const source = traced(text.slice(outer.start, outer.end));
      const normalized = trace(source, normalizers, section);
      const whole = normalized.pieces[0] ?? '';
      for (const inner of findInNormalized(whole)) {
        if (inner.start === inner.end) continue;
        const endOf = (end: number): number => outer.start + sourceEnd(normalized.ends, inner.start + end);
        if (inner.isToken) result.push(endOf(inner.end - inner.start));
        else {
          const pieces = trace(traced(whole.slice(inner.start, inner.end)), splitters, section);
          const place = (end: number): number => endOf(sourceEnd(pieces.ends, end));
          readPieces(
            pieces.pieces,
            (end) => result.push(place(end)),
            (end) => {
              result[result.length - 1] = place(end);
            },
          );
        }
      }
    });
    return result;
  }

  return { normalizers, splitters, count, ends };
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

/** Pieces on their way through the stages, and where each of their code units ends in the source. */
interface Traced {
  readonly pieces: readonly string[];
  /** `undefined` where the one piece is the source itself. */
  readonly ends: ArrayLike<number> | undefined;
}

const traced = (text: string): Traced => ({ pieces: [text], ends: undefined });

/** The end in the source of the first `length` units of the pieces. */
function sourceEnd(ends: ArrayLike<number> | undefined, length: number): number {
  return length === 0 || ends === undefined ? length : (ends[length - 1] as number);
}

/** Takes pieces through stages, and keeps track of where they come from. */
function trace(source: Traced, stages: readonly Stage[], section: number): Traced {
  return stages.reduce<Traced>(({ pieces, ends }, stage) => {
    const outputs: string[] = [];
    const outputEnds: number[] = [];
    let offset = 0;
    for (const piece of pieces) {
      const made = stage.apply(piece, section);
      if (pieces.length === 1 && made.length === 1 && made[0] === piece) return { pieces, ends };
      const places = stage.align(piece, made);
      const before = sourceEnd(ends, offset);
      for (let unit = 0; unit < places.length; unit++) {
        const place = places[unit] as number;
        outputEnds.push(place === 0 ? before : sourceEnd(ends, offset + place));
      }
      for (const output of made) outputs.push(output);
      offset += piece.length;
    }
    return { pieces: outputs, ends: outputEnds };
  }, source);
}
