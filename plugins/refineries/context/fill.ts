import { firstCharacters } from './excerpts.ts';
import type { Piece, Template } from './template.ts';
import { ownValue, type Place, type Sources, sharedValue } from './values.ts';

/** Makes the text of a place by a template; empty if the template has values and all of them are empty. */
export type Fill = (place: Place) => string;

/**
 * Prepares a template for the chunks of one document. A line whose values are all empty is left out.
 *
 * @param most characters of the text; what is over is cut off
 */
export function fillerOf(template: Template, sources: Sources, most: number): Fill {
  const lines = template.map((line) => {
    const pieces = line.map((piece) => preparePiece(piece, sources, most));
    return { pieces, asks: pieces.some(({ isValue }) => isValue) };
  });
  const isFixed = lines.every(({ asks }) => !asks);
  return (place) => {
    let isUseful = isFixed;
    let text = '';
    let isFirst = true;
    for (const { pieces, asks } of lines) {
      // A character has at most two units: more of them would be cut off.
      if (text.length > 2 * most) break;
      const made = fillLine(pieces, place, most);
      if (asks && !made.hasValue) continue;
      text += isFirst ? made.text : `\n${made.text}`;
      isFirst = false;
      isUseful ||= made.hasValue;
    }
    return isUseful ? firstCharacters(text, most) : '';
  };
}

interface PreparedPiece {
  readonly isValue: boolean;
  textOf(place: Place): string;
}

/** What is the same for all chunks is made once. */
function preparePiece(piece: Piece, sources: Sources, most: number): PreparedPiece {
  if (typeof piece === 'string') return { isValue: false, textOf: () => piece };
  const cut = (value: string) => firstCharacters(value.trim(), most);
  const shared = sharedValue(piece, sources.document);
  if (shared === undefined) return { isValue: true, textOf: (place) => cut(ownValue(piece, place, sources)) };
  const value = cut(shared);
  return { isValue: true, textOf: () => value };
}

function fillLine(pieces: readonly PreparedPiece[], place: Place, most: number) {
  let text = '';
  let hasValue = false;
  for (const { isValue, textOf } of pieces) {
    if (text.length > 2 * most) break;
    const value = textOf(place);
    hasValue ||= isValue && value !== '';
    text += value;
  }
  return { text, hasValue };
}
