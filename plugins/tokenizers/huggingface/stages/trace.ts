import type { TextStage } from './library-stages.ts';

/** Pieces on their way through the stages. */
export interface Traced {
  readonly pieces: readonly string[];
  /** The end in the source of the first `length` units of the pieces. The stages are aligned at the first call. */
  sourceEnd(length: number): number;
}

/** Passes a text through stages. */
export function trace(text: string, stages: readonly TextStage[], section: number): Traced {
  const source: Traced = { pieces: [text], sourceEnd: (length) => length };
  return stages.reduce((traced, stage) => pass(traced, stage, section), source);
}

function pass(source: Traced, stage: TextStage, section: number): Traced {
  const outputs = source.pieces.map((piece) => stage.apply(piece, section));
  const pieces = outputs.length === 1 ? (outputs[0] as readonly string[]) : outputs.flat();
  if (source.pieces.length === 1 && pieces.length === 1 && pieces[0] === source.pieces[0]) return source;
  let ends: readonly number[] | undefined;
  return {
    pieces,
    sourceEnd(length) {
      ends ??= endsOf(source, stage, outputs);
      return length === 0 ? 0 : (ends[length - 1] as number);
    },
  };
}

/** Where each code unit of a stage's outputs ends in the source. */
function endsOf(source: Traced, stage: TextStage, outputs: readonly (readonly string[])[]): number[] {
  const ends: number[] = [];
  let offset = 0;
  for (const [index, piece] of source.pieces.entries()) {
    const places = stage.align(piece, outputs[index] as readonly string[]);
    for (let unit = 0; unit < places.length; unit++)
      ends.push(source.sourceEnd(offset + (places[unit] as number)));
    offset += piece.length;
  }
  return ends;
}
