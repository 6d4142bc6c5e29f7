import type { Block } from './roles.ts';

/** What the characters of one text object have in common. */
export interface Style {
  readonly turns: number;
  readonly placing: Placing;
  readonly size: number;
  /** Tangent of the angle by which its letters are slanted beyond their design; 0 if they are upright. */
  readonly shear: number;
  readonly font: Font;
  readonly color: number;
  readonly block: Block | undefined;
  /** It belongs to a layer, which may be off. */
  readonly isOfLayer: boolean;
}

export interface Font {
  readonly name: string;
  readonly isMono: boolean;
  readonly isNameless: boolean;
  /** What its sizes are multiplied by. */
  readonly scale: number;
  /** Font sizes above and below the base line. Fonts often give wrong ones, which are not used. */
  readonly ascent: number;
  readonly descent: number;
}

/** How a point of the file becomes one of a direction: its distance from the left, and its base line. */
export interface Placing {
  readonly left: number;
  readonly base: number;
  readonly ofX: number;
  readonly ofY: number;
}

/** A run that grows character by character. */
export interface Growing {
  readonly style: Style;
  readonly object: number;
  readonly x0: number;
  x1: number;
  readonly base: number;
  /** Its characters, by their numbers on the page, and the UTF-16 units of its text. */
  readonly first: number;
  last: number;
  readonly start: number;
  /** Complete when the next run has begun. */
  text: string;
  /** What takes the place of some units. */
  edits?: Map<number, string>;
}

export function edit(run: Growing, place: number, change: (text: string) => string): void {
  run.edits ??= new Map();
  run.edits.set(place, change(run.edits.get(place) ?? run.text[place] ?? ''));
}
