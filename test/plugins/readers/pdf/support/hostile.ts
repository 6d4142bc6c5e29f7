import { deflateSync } from 'node:zlib';
import { at, makePdf, pdfOf, stream } from './builder.ts';

/**
 * Files that cost far more than their size, by name. Most have to be ended from outside: only `clean` ones are read or
 * refused by the reader itself, in seconds.
 */

const FONT = '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>';
const MB = 1 << 20;

/** One page with this content, and objects from the sixth on. */
function onePage(content: string, more: readonly string[] = [], resources = '/Font<</F 4 0 R>>'): Buffer {
  return pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 5 0 R/Resources<<${resources}>>>>`,
    FONT,
    content,
    ...more,
    '<<>>',
  ]);
}

const packed = (data: Buffer): string => deflateSync(data, { level: 9 }).toString('latin1');
const repeated = (text: string, bytes: number): Buffer => Buffer.alloc(bytes, text);

/** A gigabyte of spaces in a megabyte. */
export const flateOfGigabyte = (): Buffer =>
  onePage(stream(packed(repeated(' ', 1024 * MB)), '/Filter/FlateDecode'));

/** Packed twice, in some kilobytes. */
export const flateTwice = (): Buffer =>
  onePage(stream(packed(deflateSync(repeated(' ', 1024 * MB))), '/Filter[/FlateDecode/FlateDecode]'));

/** A hundred megabytes of text operators. */
export const endlessText = (): Buffer =>
  onePage(
    stream(
      packed(repeated('BT /F 10 Tf 10 10 Td (abcdefghij klmnop qrstuv) Tj ET\n', 100 * MB)),
      '/Filter/FlateDecode',
    ),
  );

/** Forms that draw ten forms each, twelve deep. */
export function formsInForms(): Buffer {
  const form = (content: string, resources: string) =>
    stream(content, `/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<<${resources}>>`);
  const forms = Array.from({ length: 12 }, (_, index) =>
    form('/X Do '.repeat(10), `/XObject<</X ${7 + index} 0 R>>`),
  );
  const last = form('BT /F 9 Tf (ha) Tj ET', '/Font<</F 4 0 R>>');
  return onePage(stream('/X Do'), [...forms, last], '/XObject<</X 6 0 R>>/Font<</F 4 0 R>>');
}

/** One page, this many times. Clean over 20,000. */
export const samePage = (times = 300_000): Buffer =>
  pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${'3 0 R '.repeat(times)}]/Count ${times}>>`,
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    stream('BT /F 10 Tf 10 10 Td (Hello there) Tj ET'),
    FONT,
    '<<>>',
  ]);

/** Says to have a billion pages. Clean. */
export const billionPages = (): Buffer =>
  pdfOf([
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1000000000>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]>>',
    '<<>>',
  ]);

/** Pages that contain themselves. Clean. */
export const pagesInCircle = (): Buffer =>
  pdfOf(['<</Type/Catalog/Pages 2 0 R>>', '<</Type/Pages/Kids[2 0 R 2 0 R]/Count 5>>', '<<>>']);

const TITLE = at(50, 700, 'A title') + at(50, 600, 'A text below it.');

/** Bookmarks that lead to the only page. Clean. */
export const manyBookmarks = (count = 100_000): Buffer =>
  makePdf([{ content: TITLE }], {
    catalog: '/Outlines 6 0 R',
    objects: [
      '<</Type/Outlines/First 7 0 R/Last 7 0 R/Count 1>>',
      ...Array.from(
        { length: count },
        (_, index) => `<</Title(A title)/Parent 6 0 R/Next ${8 + index} 0 R/Dest[${7 + count} 0 R/Fit]>>`,
      ),
    ],
  });

/** Two bookmarks, each within and after the other. Clean. */
export const bookmarksInCircle = (): Buffer =>
  makePdf([{ content: TITLE }], {
    catalog: '/Outlines 6 0 R',
    objects: [
      '<</Type/Outlines/First 7 0 R/Last 8 0 R/Count 2>>',
      '<</Title(A)/Parent 6 0 R/Next 8 0 R/First 8 0 R>>',
      '<</Title(B)/Parent 6 0 R/Next 7 0 R/First 7 0 R>>',
    ],
  });

/** Fields of a form on one page. */
export function manyFields(count = 100_000): Buffer {
  const list = `[${Array.from({ length: count }, (_, index) => `${6 + index} 0 R`).join(' ')}]`;
  return makePdf([{ content: TITLE, more: `/Annots${list}` }], {
    catalog: `/AcroForm<</Fields${list}>>`,
    objects: Array.from(
      { length: count },
      (_, index) =>
        `<</Type/Annot/Subtype/Widget/FT/Tx/T(n${index})/V(v)/Rect[${index % 500} 9 ${(index % 500) + 9} 19]/F 4>>`,
    ),
  });
}

/** Two million brackets. Clean. */
export const deepArray = (): Buffer => onePage(stream('['.repeat(2_000_000)));

/** This many runs of text on one page, all over it. Clean. */
export const manyRuns = (runs: number): Buffer =>
  makePdf([
    {
      content: Array.from({ length: runs }, (_, index) =>
        at((index * 37) % 560, (index * 61) % 780, `${index}`),
      ).join(''),
    },
  ]);
