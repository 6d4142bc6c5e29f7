import type { PagePicture } from '../../../core/kit.ts';
import type { Box } from './engine.ts';

const WHITE = 255;
/** Angles that are searched, in degrees. */
const SKEWS = { most: 5, coarse: 0.25, fine: 0.05 };
/** Pixels of the longer side of the copy in which the skew is measured. */
const MEASURED_SIDE = 1200;
/** Lines that are upright already have a profile nearly as sharp as the best one. */
const MIN_GAIN = 1.03;

/** The darkest pixel of each square, as a smaller copy: thin letters stay. */
function shrunk({ pixels, width, height }: PagePicture, factor: number): PagePicture {
  const [columns, rows] = [Math.ceil(width / factor), Math.ceil(height / factor)];
  const small = new Uint8Array(columns * rows).fill(WHITE);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / factor) * columns;
    for (let x = 0; x < width; x++) {
      const at = row + Math.floor(x / factor);
      const value = pixels[y * width + x] as number;
      if (value < (small[at] as number)) small[at] = value;
    }
  }
  return { pixels: small, width: columns, height: rows };
}

/** The shade that best separates dark pixels from light ones, by Otsu. */
function thresholdOf(pixels: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const value of pixels) counts[value] = (counts[value] as number) + 1;
  let sum = 0;
  for (let shade = 0; shade < 256; shade++) sum += shade * (counts[shade] as number);
  let [below, sumBelow, best, threshold] = [0, 0, 0, 128];
  for (let shade = 0; shade < 256; shade++) {
    below += counts[shade] as number;
    sumBelow += shade * (counts[shade] as number);
    const above = pixels.length - below;
    if (below === 0 || above === 0) continue;
    const difference = sumBelow / below - (sum - sumBelow) / above;
    const variance = below * above * difference * difference;
    if (variance > best) [best, threshold] = [variance, shade];
  }
  return threshold;
}

/** The angle in radians by which lines rise to the right; 0 if none can be told. */
export function skewOf(picture: PagePicture): number {
  const factor = Math.max(1, Math.round(Math.max(picture.width, picture.height) / MEASURED_SIDE));
  const small = shrunk(picture, factor);
  const threshold = thresholdOf(small.pixels);
  const xs: number[] = [];
  const ys: number[] = [];
  // A pixel below a light one: upper edges, of which lines have many at the same height.
  for (let at = small.width; at < small.pixels.length; at++) {
    if ((small.pixels[at] as number) > threshold) continue;
    if ((small.pixels[at - small.width] as number) <= threshold) continue;
    xs.push(at % small.width);
    ys.push(Math.floor(at / small.width));
  }
  const bins = new Float64Array(2 * (small.width + small.height) + 2);
  const sharpness = (degrees: number): number => {
    const angle = (degrees * Math.PI) / 180;
    const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
    bins.fill(0);
    for (let index = 0; index < xs.length; index++) {
      const bin = Math.round((ys[index] as number) * cosine + (xs[index] as number) * sine) + small.width;
      bins[bin] = (bins[bin] as number) + 1;
    }
    let sum = 0;
    for (const count of bins) sum += count * count;
    return sum;
  };
  const upright = sharpness(0);
  let best = { degrees: 0, sharpness: upright };
  const search = (from: number, to: number, step: number): void => {
    for (let degrees = from; degrees <= to + step / 2; degrees += step) {
      const found = sharpness(degrees);
      if (found > best.sharpness) best = { degrees, sharpness: found };
    }
  };
  search(-SKEWS.most, SKEWS.most, SKEWS.coarse);
  search(best.degrees - SKEWS.coarse, best.degrees + SKEWS.coarse, SKEWS.fine);
  return best.sharpness < MIN_GAIN * upright ? 0 : (best.degrees * Math.PI) / 180;
}

/** The picture turned around its middle, so that lines that rise by the angle are level. It keeps its size. */
export function straightened(picture: PagePicture, angle: number): PagePicture {
  if (angle === 0) return picture;
  const { pixels, width, height } = picture;
  const turned = new Uint8Array(width * height).fill(WHITE);
  const [sine, cosine] = [Math.sin(angle), Math.cos(angle)];
  const [middleX, middleY] = [width / 2, height / 2];
  for (let y = 0; y < height; y++) {
    let x1 = middleX - middleX * cosine + (y - middleY) * sine;
    let y1 = middleY + middleX * sine + (y - middleY) * cosine;
    for (let x = 0; x < width; x++, x1 += cosine, y1 -= sine) {
      const [left, top] = [Math.floor(x1), Math.floor(y1)];
      if (left < 0 || top < 0 || left >= width - 1 || top >= height - 1) continue;
      const at = top * width + left;
      const [right, down] = [x1 - left, y1 - top];
      const above = (pixels[at] as number) * (1 - right) + (pixels[at + 1] as number) * right;
      const below = (pixels[at + width] as number) * (1 - right) + (pixels[at + width + 1] as number) * right;
      turned[y * width + x] = above * (1 - down) + below * down;
    }
  }
  return { pixels: turned, width, height };
}

/** The picture turned counterclockwise, so that text that was turned clockwise by these quarter turns is upright. */
export function upright(picture: PagePicture, turns: number): PagePicture {
  const { pixels, width, height } = picture;
  if (turns === 0) return picture;
  const [columns, rows] = turns === 2 ? [width, height] : [height, width];
  const turned = new Uint8Array(pixels.length);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const value = pixels[y * width + x] as number;
      if (turns === 3) turned[x * columns + (height - 1 - y)] = value;
      else if (turns === 2) turned[(height - 1 - y) * columns + (width - 1 - x)] = value;
      else turned[(width - 1 - x) * columns + y] = value;
    }
  return { pixels: turned, width: columns, height: rows };
}

/**
 * What is dark in the picture outside of these boxes, which are in pixels.
 *
 * @returns undefined if that is too little for text, or so much that it is a photo
 */
export function darkRest(picture: PagePicture, boxes: readonly Box[]): PagePicture | undefined {
  const { width, height } = picture;
  const pixels = picture.pixels.slice();
  for (const { x0, x1, y0, y1 } of boxes) {
    const [left, right] = [Math.max(x0 - MARGIN, 0), Math.min(x1 + MARGIN, width)];
    for (let y = Math.max(y0 - MARGIN, 0); y < Math.min(y1 + MARGIN, height); y++)
      pixels.fill(WHITE, y * width + left, y * width + right);
  }
  const threshold = thresholdOf(picture.pixels);
  let dark = 0;
  // Without letters, the shades of paper would be all that there is to tell apart.
  for (let at = 0; at < pixels.length; at++) {
    const shade = pixels[at] as number;
    if (shade <= threshold) dark++;
    else if (shade > threshold + EDGE) pixels[at] = WHITE;
  }
  const isText = dark >= MIN_DARK && dark <= MAX_DARK * pixels.length;
  return isText ? { pixels, width, height } : undefined;
}

/** Shades between those of a letter and those of its edges. */
const EDGE = 40;
/** Pixels of two digits at 300 dpi; the share of a page that pictures fill. */
const MIN_DARK = 300;
const MAX_DARK = 0.08;
const MARGIN = 3;

/** Whether all of it has nearly the same shade. */
export function isEmpty({ pixels }: PagePicture): boolean {
  let [least, most] = [WHITE, 0];
  for (const value of pixels) {
    if (value < least) least = value;
    if (value > most) most = value;
  }
  return most - least < MIN_CONTRAST;
}

const MIN_CONTRAST = 24;
