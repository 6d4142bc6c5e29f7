import type { Refinery } from '../../../core/kit.ts';
import type { ContextOptions } from './manifest.ts';
import {
  firstCharacters,
  type Neighbours,
  ownValue,
  type Piece,
  readTemplate,
  type Sources,
  sharedValue,
  type Template,
} from './values.ts';

export default function createContextRefinery(): Refinery<ContextOptions> {
  let last: { readonly text: string; readonly template: Template } | undefined;
  return {
    refine(chunks, { template: text, separator, max_length }, { document, join, signal }) {
      // Consecutive documents usually have the same template.
      if (last?.text !== text) last = { text, template: readTemplate(text) };
      const fill = fillerOf(last.template, { document, separator, join }, max_length);
      return chunks.map((chunk, index) => {
        signal.throwIfAborted();
        const context = fill({ chunk, previous: chunks[index - 1], next: chunks[index + 1] });
        return { ...chunk, context: context === '' ? null : context };
      });
    },
  };
}

/**
 * Prepares a template for the chunks of one document. A line that names values is omitted if all its values
 * are empty, or if it equals the previous line.
 *
 * @param most maximum characters of the context
 * @returns a function that writes a chunk's context; empty if the template names values and all are empty
 */
function fillerOf(template: Template, sources: Sources, most: number): (neighbours: Neighbours) => string {
  const lines = template.map((line) => {
    const pieces = line.map((piece) => preparePiece(piece, sources, most));
    return { pieces, asks: pieces.some(({ isValue }) => isValue) };
  });
  const isFixed = lines.every(({ asks }) => !asks);
  return (neighbours) => {
    let isUseful = isFixed;
    let text = '';
    let before: string | undefined;
    for (const { pieces, asks } of lines) {
      // A character has at most two UTF-16 units, so the text is long enough.
      if (text.length > 2 * most) break;
      const line = fillLine(pieces, neighbours, most);
      isUseful ||= line.hasValue;
      if (asks && (!line.hasValue || line.text === before)) continue;
      text += before === undefined ? line.text : `\n${line.text}`;
      before = line.text;
    }
    return isUseful ? firstCharacters(text, most) : '';
  };
}

interface PreparedPiece {
  readonly isValue: boolean;
  textOf(neighbours: Neighbours): string;
}

function preparePiece(piece: Piece, sources: Sources, most: number): PreparedPiece {
  if (typeof piece === 'string') return { isValue: false, textOf: () => piece };
  const cut = (value: string) => firstCharacters(value.trim(), most);
  const alternatives = piece.map((value) => {
    const shared = sharedValue(value, sources.document);
    if (shared === undefined) return (neighbours: Neighbours) => cut(ownValue(value, neighbours, sources));
    const text = cut(shared);
    return () => text;
  });
  const textOf = (neighbours: Neighbours) =>
    alternatives.reduce((text, alternative) => (text === '' ? alternative(neighbours) : text), '');
  return { isValue: true, textOf };
}

function fillLine(pieces: readonly PreparedPiece[], neighbours: Neighbours, most: number) {
  let text = '';
  let hasValue = false;
  for (const { isValue, textOf } of pieces) {
    if (text.length > 2 * most) break;
    const value = textOf(neighbours);
    hasValue ||= isValue && value !== '';
    text += value;
  }
  return { text, hasValue };
}
