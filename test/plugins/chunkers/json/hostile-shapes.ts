import type { Shapes } from '../../../support/linear-work.ts';
import { shapesOf } from '../shapes.ts';

const NAME = 'n'.repeat(200);

/** No JSON, which is read with `tolerant`. */
const BROKEN = shapesOf(
  ...['«,»', '«"»', '«[{»', '«]}»', '"«\\»', '«"a\n»', '«\0»', '«\\ud83d\ud83d»', '«Words, and more. »'],
);

/** Texts that are hard on parsers. */
export const HOSTILE_SHAPES: Shapes = {
  ...shapesOf(
    ...['«[»«]»', '«{"a":»1«}»', '«[1,»1«,2]»', `«{"${NAME}":»1«}»`, '["«x»"]', '["«word »"]'],
    ...['["«\\u00e9»"]', '["«\\\\»"]', '«1»', '[«"",»1]', '[«[],»1]', '{«"a":1,»"a":1}', '«1\n»', '«{}»'],
    ...['[1,« »2]', '[1,«\r\n»2]', '1« \n»2'],
  ),
  ...BROKEN,
};

/** What a shape needs to be read at all. */
export function optionsFor(shape: string): object {
  return { tolerant: shape in BROKEN };
}
