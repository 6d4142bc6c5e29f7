import type { Font } from './growing-run.ts';
import type { Pdfium } from './pdfium.ts';

/** A character of a font, and the size in which it is drawn. */
export interface Sample {
  readonly text: number;
  readonly index: number;
  readonly size: number;
}

/** Points. */
const USUAL_SIZES = { least: 3, most: 100 };
const MAX_SAMPLE = 500;
/** From the lowest to the highest point of letters, in font sizes. */
const LETTER_HEIGHT = 0.9;

/** Names of fonts whose descriptor is missing, or does not say that all letters are equally wide. */
const MONO = /courier|mono|consol|typewriter|cmtt/i;

/** Flags of a font, by its descriptor. */
const FIXED_PITCH = 1;
/** A mode in which text is drawn. */
const FILL_AND_STROKE = 2;

/** The fonts of a page. */
export class Fonts {
  readonly #pdfium: Pdfium;
  readonly #fonts = new Map<number, Font>();

  constructor(pdfium: Pdfium) {
    this.#pdfium = pdfium;
  }

  /** @param object the text that is drawn, which may be stroked too */
  of(handle: number, object: number, sample: Sample): Font {
    return this.#strokedOf(this.#fontOf(handle, sample), handle, object);
  }

  readonly #stroked = new Map<number, Font>();

  /** Letters that are filled and stroked look bold, and the name of their font says so here. */
  #strokedOf(font: Font, handle: number, object: number): Font {
    if (object === 0 || this.#pdfium.call.FPDFTextObj_GetTextRenderMode(object) !== FILL_AND_STROKE)
      return font;
    const known = this.#stroked.get(handle);
    const stroked = known ?? { ...font, name: `${font.name.replace(/ \d+$/, '')}-Bold ${handle}` };
    this.#stroked.set(handle, stroked);
    return stroked;
  }

  #fontOf(font: number, sample: Sample): Font {
    const { call } = this.#pdfium;
    const known = this.#fonts.get(font);
    if (known !== undefined) return known;
    const name =
      font === 0
        ? ''
        : this.#pdfium.utf8((buffer, bytes) => call.FPDFFont_GetBaseFontName(font, buffer, bytes));
    const isMono = font !== 0 && ((call.FPDFFont_GetFlags(font) & FIXED_PITCH) !== 0 || MONO.test(name));
    const measure = (of: (font: number, size: number, result: number) => number) =>
      font !== 0 && of(font, 1, this.#pdfium.scratch) !== 0 ? this.#pdfium.float32() : undefined;
    const own = {
      name: `${name} ${font}`,
      isMono,
      isNameless: name === '',
      scale: this.#scaleOf(font, sample),
      ascent: within(measure(call.FPDFFont_GetAscent), 0.6, 1, 0.8),
      descent: within(-(measure(call.FPDFFont_GetDescent) ?? 0), 0.1, 0.4, 0.2),
    };
    this.#fonts.set(font, own);
    return own;
  }

  /** A Type 3 font has units of its own, and its size says little: then letters say how large they are. */
  #scaleOf(font: number, { text, index, size }: Sample): number {
    const { call, scratch } = this.#pdfium;
    if (size >= USUAL_SIZES.least && size <= USUAL_SIZES.most) return 1;
    let tallest = 0;
    const end = Math.min(call.FPDFText_CountChars(text), index + MAX_SAMPLE);
    for (let at = index; at < end; at++) {
      const object = call.FPDFText_GetTextObject(text, at);
      if (object === 0 || call.FPDFTextObj_GetFont(object) !== font) continue;
      call.FPDFText_GetCharBox(text, at, scratch, scratch + 8, scratch + 16, scratch + 24);
      tallest = Math.max(tallest, Math.abs(this.#pdfium.float64(3) - this.#pdfium.float64(2)));
    }
    const isWrong = tallest > 2 * size || tallest < 0.2 * size;
    return tallest > 0 && isWrong ? tallest / LETTER_HEIGHT / size : 1;
  }
}

const within = (value: number | undefined, low: number, high: number, usual: number): number =>
  value !== undefined && value >= low && value <= high ? value : usual;
