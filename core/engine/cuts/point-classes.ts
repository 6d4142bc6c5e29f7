import { pointAt, splitsCodePoint } from './cuts.ts';

/** Unicode's code points. Memory that is never written takes no space. */
const POINTS = 0x110000;

/**
 * Creates a function that gives the class of the code point at an offset, and 0 at the second unit of a surrogate pair.
 *
 * @param classify the class of a character or lone surrogate, from 1 to 255; called once for each
 */
export function createPointClasses(
  classify: (character: string) => number,
): (text: string, at: number) => number {
  const known = new Uint8Array(POINTS);
  return (text, at) => {
    const unit = text.charCodeAt(at);
    const isSurrogate = (unit & 0xf800) === 0xd800;
    if (isSurrogate && splitsCodePoint(text, at)) return 0;
    const point = isSurrogate ? pointAt(text, at) : unit;
    if (known[point] === 0) known[point] = classify(String.fromCodePoint(point));
    return known[point] as number;
  };
}
