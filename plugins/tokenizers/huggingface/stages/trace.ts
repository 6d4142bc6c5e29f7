import type { TextStage } from './library-stages.ts';

/** Pieces on their way through the stages, and where each of their code units ends in the source. */
interface Traced {
  readonly pieces: readonly string[];
  /** `undefined` if the one piece is the source itself. */
  readonly ends: ArrayLike<number> | undefined;
}

/** A text before its first stage. */
export const traced = (text: string): Traced => ({ pieces: [text], ends: undefined });

/** The end in the source of the first `length` units of the pieces. */
export function sourceEnd(ends: ArrayLike<number> | undefined, length: number): number {
  return length === 0 || ends === undefined ? length : (ends[length - 1] as number);
}

/** Passes pieces through stages, and tracks where they come from. */
export function trace(source: Traced, stages: readonly TextStage[], section: number): Traced {
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
