import type { Metadata, Sharp } from 'sharp';
import { type PagePicture, reasonOf, refusedError } from '../../../core/kit.ts';

/** Pixels of an image: A3 at 400 dpi. Those of some formats are all in memory at once, outside of the thread's own. */
const MAX_PIXELS = 40_000_000;
const MAX_PAGES = 500;
/** Pixels of a picture in which text is recognized: A4 at 340 dpi. */
const MOST_PIXELS = 12_000_000;
/** Pixels of the longer side below which letters are probably small, as with A4 at 150 dpi, and the picture is enlarged. */
const LARGE_SIDE = 2200;
const MAX_ENLARGEMENT = 2;
const MIN_SIDE = 3;

/** Formats, as libvips names them, and the loaders that read them; all others stay closed. */
const LOADERS = {
  jpeg: 'VipsForeignLoadJpeg',
  png: 'VipsForeignLoadPng',
  tiff: 'VipsForeignLoadTiff',
  webp: 'VipsForeignLoadWebp',
} as const;

type CreateSharp = (bytes: Uint8Array, options: object) => Sharp;

async function loadSharp(): Promise<CreateSharp> {
  const { default: sharp } = await import('sharp');
  sharp.cache(false);
  sharp.concurrency(1);
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: Object.values(LOADERS) });
  return sharp;
}

/**
 * The pages of an image, one by one, as they are shown.
 *
 * @throws Error that says why it cannot be read
 */
export async function* picturesOf(bytes: Uint8Array): AsyncGenerator<PagePicture & { pages: number }> {
  if (bytes.length === 0) throw refusal('it is empty');
  const sharp = await loadSharp();
  const open = (page: number) =>
    sharp(bytes, { limitInputPixels: MAX_PIXELS, sequentialRead: true, failOn: 'error', page });
  const metadata = await describe(open(0));
  const { pages = 1, format } = metadata;
  if (!Object.hasOwn(LOADERS, format)) throw refusal(`it is of the format ${format}, save it as PNG`);
  if (format === 'webp' && pages > 1) throw refusal('it is animated; save its frames as images');
  if (pages > MAX_PAGES) throw refusal(`it has ${pages} pages, over the limit of ${MAX_PAGES}; divide it`);
  for (let page = 0; page < pages; page++) {
    const own = page === 0 ? metadata : await describe(open(page));
    yield { ...(await decoded(open(page), own)), pages };
  }
}

async function describe(image: Sharp): Promise<Metadata> {
  const metadata = await image.metadata().catch((error: unknown) => {
    throw refusal(reasonFor(error), error);
  });
  const { width = 0, height = 0 } = metadata;
  if (width * height > MAX_PIXELS) throw refusal(TOO_LARGE);
  if (Math.min(width, height) < MIN_SIDE) throw refusal(`it has ${width} x ${height} pixels`);
  return metadata;
}

async function decoded(image: Sharp, { width = 0, height = 0 }: Metadata): Promise<PagePicture> {
  const enlarged = Math.max(width, height) < LARGE_SIDE ? MAX_ENLARGEMENT : 1;
  const scale = Math.min(enlarged, Math.sqrt(MOST_PIXELS / (width * height)));
  const size = (length: number) => Math.max(Math.round(length * scale), MIN_SIDE);
  const { data, info } = await image
    .autoOrient()
    .flatten({ background: '#fff' })
    .toColourspace('b-w')
    .resize(scale === 1 ? {} : inside(Math.max(size(width), size(height))))
    .raw({ depth: 'uchar' })
    .toBuffer({ resolveWithObject: true })
    .catch((error: unknown) => {
      throw refusal(reasonFor(error), error);
    });
  return { pixels: greyOf(data, info.channels), width: info.width, height: info.height };
}

/** The orientation of a photo may exchange its sides. */
const inside = (side: number) => ({
  width: side,
  height: side,
  fit: 'inside' as const,
  kernel: 'cubic' as const,
});

function greyOf(data: Uint8Array, channels: number): Uint8Array {
  return channels === 1 ? data : data.filter((_, at) => at % channels === 0);
}

function reasonFor(error: unknown): string {
  // The rest of a message of libvips may belong to an earlier image.
  const reason = reasonOf(error).split(/[:\n]/)[0]?.trim() ?? '';
  if (/unsupported image format/i.test(reason)) return 'it is not an image, or broken';
  if (/exceeds pixel limit/i.test(reason)) return TOO_LARGE;
  return `it is broken: ${reason}`;
}

const TOO_LARGE = `it has more than ${MAX_PIXELS / 1e6} million pixels; make it smaller`;

const refusal = (reason: string, cause?: unknown): Error =>
  refusedError(`The image cannot be read: ${reason.replace(/\.$/, '')}.`, cause);
