/** A line of a page: where its baseline begins, in points from the bottom left, and its text in printable ASCII. */
export type Line = readonly [x: number, y: number, text: string];

const LETTER = [612, 792] as const;
const SIZE = 20;

/**
 * A PDF with these lines on its pages, in Helvetica of 20 points, which it does not embed.
 *
 * @param more entries of all pages, such as `/Rotate 90`
 */
export function pdfOf(
  pages: readonly (readonly Line[])[],
  [width, height]: readonly [number, number] = LETTER,
  more = '',
): Buffer {
  const content = pages.map((lines) =>
    lines.map(([x, y, text]) => `BT /F ${SIZE} Tf ${x} ${y} Td (${text}) Tj ET`).join('\n'),
  );
  const kids = pages.map((_, at) => `${4 + 2 * at} 0 R`).join(' ');
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}/MediaBox[0 0 ${width} ${height}]${more}/Resources<</Font<</F 3 0 R>>>>>>`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
    ...content.flatMap((stream, at) => [
      `<</Type/Page/Parent 2 0 R/Contents ${5 + 2 * at} 0 R>>`,
      `<</Length ${stream.length}>>stream\n${stream}\nendstream`,
    ]),
  ];
  let file = '%PDF-1.4\n';
  const starts = objects.map((object, at) => {
    const start = file.length;
    file += `${at + 1} 0 obj${object}endobj\n`;
    return `${String(start).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${starts.join('')}`;
  const trailer = `trailer<</Size ${objects.length + 1}/Root 1 0 R>>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + trailer, 'latin1');
}
