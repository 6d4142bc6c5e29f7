import type { Tokens, Word } from '../models/word.ts';
import type { TextStage } from '../stages/library-stages.ts';
import { sourceEnd, trace, traced } from '../stages/trace.ts';
import { type Assembly, normalize } from './assembly.ts';

/** The number of tokens of a text. */
export function countTokens(assembly: Assembly, text: string): number {
  let total = 0;
  visitTokens(
    assembly,
    text,
    () => total++,
    (word, from) => {
      total += word.ends.length - from;
    },
  );
  return total;
}

/** The id of every token of a text. */
export function tokenIds(assembly: Assembly, text: string): number[] {
  const result: number[] = [];
  visitTokens(
    assembly,
    text,
    (token) => result.push(assembly.idOf(token)),
    (word, from) => {
      for (let index = from; index < word.ids.length; index++) result.push(word.ids[index] as number);
    },
  );
  return result;
}

/**
 * The tokens of a text with their places, for which every stage is traced; that takes several times as long
 * as the ids alone.
 */
export function readTokens(assembly: Assembly, text: string): Tokens {
  const tokens: TokenList = { ends: [], ids: [] };
  assembly.findInSource(text).forEach((outer, section) => {
    const source = text.slice(outer.start, outer.end);
    if (outer.isToken) addToken(tokens, outer.end, assembly.idOf(source));
    else if (source !== '') readSection(assembly, source, section, outer.start, tokens);
  });
  return tokens;
}

/** Takes an added token, by its text. */
type VisitToken = (token: string) => void;

/**
 * Takes a word, the index of its first token that counts (1 if the first is one with an unknown token before
 * it), and the offset of the word in the joined pieces.
 */
type VisitWord = (word: Word, from: number, offset: number) => void;

/** Visits the tokens of a text in order, without their places. */
function visitTokens(assembly: Assembly, text: string, visitToken: VisitToken, visitWord: VisitWord): void {
  assembly.findInSource(text).forEach((outer, section) => {
    const source = text.slice(outer.start, outer.end);
    if (outer.isToken) visitToken(source);
    else if (source !== '') visitSection(assembly, source, section, visitToken, visitWord);
  });
}

function visitSection(
  assembly: Assembly,
  source: string,
  section: number,
  visitToken: VisitToken,
  visitWord: VisitWord,
): void {
  const normalized = normalize(assembly.normalizers, source, section);
  for (const inner of assembly.findInNormalized(normalized)) {
    if (inner.start === inner.end) continue;
    const content = normalized.slice(inner.start, inner.end);
    if (inner.isToken) visitToken(content);
    else visitWords(assembly, split(content, assembly.splitters, section), visitWord);
  }
}

function split(text: string, splitters: readonly TextStage[], section: number): readonly string[] {
  let pieces: readonly string[] = [text];
  for (const stage of splitters) pieces = pieces.flatMap((piece) => stage.apply(piece, section));
  return pieces;
}

/** Has the model read the words of the pieces. */
function visitWords(assembly: Assembly, pieces: readonly string[], visitWord: VisitWord): void {
  const { cutPiece, readWord, fusesUnknown } = assembly;
  let offset = 0;
  let wasUnknown = false;
  for (const piece of pieces) {
    for (const text of cutPiece(piece)) {
      const word = readWord(text);
      if (word.ends.length > 0) {
        visitWord(word, fusesUnknown && wasUnknown && word.startsUnknown ? 1 : 0, offset);
        wasUnknown = word.endsUnknown;
      }
      offset += text.length;
    }
  }
}

interface TokenList extends Tokens {
  readonly ends: number[];
  readonly ids: number[];
}

function addToken(tokens: TokenList, end: number, id: number): void {
  tokens.ends.push(end);
  tokens.ids.push(id);
}

/** Adds the tokens of what stands between two added tokens, from `start` on in the text. */
function readSection(
  assembly: Assembly,
  source: string,
  section: number,
  start: number,
  tokens: TokenList,
): void {
  const normalized = trace(traced(source), assembly.normalizers, section);
  const whole = normalized.pieces[0] ?? '';
  for (const inner of assembly.findInNormalized(whole)) {
    if (inner.start === inner.end) continue;
    const content = whole.slice(inner.start, inner.end);
    const endOf = (end: number): number => start + sourceEnd(normalized.ends, inner.start + end);
    if (inner.isToken) addToken(tokens, endOf(content.length), assembly.idOf(content));
    else readPieces(assembly, content, section, endOf, tokens);
  }
}

/** Adds the tokens of normalised text; `endOf` gives the place in the source of an offset into it. */
function readPieces(
  assembly: Assembly,
  content: string,
  section: number,
  endOf: (end: number) => number,
  tokens: TokenList,
): void {
  const { pieces, ends } = trace(traced(content), assembly.splitters, section);
  visitWords(assembly, pieces, (word, from, offset) => {
    const place = (index: number): number => endOf(sourceEnd(ends, offset + (word.ends[index] as number)));
    if (from === 1) tokens.ends[tokens.ends.length - 1] = place(0);
    for (let index = from; index < word.ends.length; index++)
      addToken(tokens, place(index), word.ids[index] as number);
  });
}
