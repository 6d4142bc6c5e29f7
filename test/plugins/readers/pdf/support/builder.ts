/** Objects of a PDF, by number from 1; the first is the catalog. */
export function pdfOf(objects: readonly string[]): Buffer {
  const parts = ['%PDF-1.7\n'];
  const offsets: number[] = [];
  let length = parts[0]?.length ?? 0;
  const put = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  for (const [index, object] of objects.entries()) {
    offsets.push(length);
    put(`${index + 1} 0 obj\n${object}\nendobj\n`);
  }
  const start = length;
  const rows = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`);
  const size = objects.length + 1;
  put(`xref\n0 ${size}\n0000000000 65535 f \n${rows.join('')}`);
  put(`trailer\n<</Size ${size}/Root 1 0 R/Info ${size - 1} 0 R>>\nstartxref\n${start}\n%%EOF`);
  return Buffer.from(parts.join(''), 'latin1');
}

/** @param data one byte a character */
export const stream = (data: string, more = ''): string =>
  `<<${more}/Length ${data.length}>>\nstream\n${data}\nendstream`;

export interface MadePage {
  /** Operators, with the fonts F (Helvetica), B (its bold) and M (Courier). */
  readonly content: string;
  /** More of its dictionary, such as `/Rotate 90`. */
  readonly more?: string;
}

interface MadeFile {
  /** More of the catalog. */
  readonly catalog?: string;
  readonly info?: string;
  /** More objects, numbered from `FIRST_MORE`. */
  readonly objects?: readonly string[];
}

export const FIRST_MORE = 6;
/** The number of the object of the first page, if a file has this many more objects. */
export const firstPage = (more = 0): number => FIRST_MORE + more;

const font = (name: string): string =>
  `<</Type/Font/Subtype/Type1/BaseFont/${name}/Encoding/WinAnsiEncoding>>`;

/** A PDF of pages of 600 x 800 points. */
export function makePdf(
  pages: readonly MadePage[],
  { catalog = '', info = '', objects = [] }: MadeFile = {},
): Buffer {
  const first = firstPage(objects.length);
  const kids = pages.map((_, index) => `${first + 2 * index} 0 R`).join(' ');
  return pdfOf([
    `<</Type/Catalog/Pages 2 0 R${catalog}>>`,
    `<</Type/Pages/Kids[${kids}]/Count ${pages.length}/MediaBox[0 0 600 800]/Resources<</Font<</F 3 0 R/B 4 0 R/M 5 0 R>>>>>>`,
    font('Helvetica'),
    font('Helvetica-Bold'),
    font('Courier'),
    ...objects,
    ...pages.flatMap(({ content, more = '' }, index) => [
      `<</Type/Page/Parent 2 0 R/Contents ${first + 2 * index + 1} 0 R${more}>>`,
      stream(content),
    ]),
    `<<${info}>>`,
  ]);
}

/** Draws a line of text at a point, from the bottom left. */
export function at(x: number, y: number, text: string, size = 10, name = 'F'): string {
  const escaped = text.replace(/[\\()]/g, '\\$&');
  return `BT /${name} ${size} Tf 1 0 0 1 ${x} ${y} Tm (${escaped}) Tj ET\n`;
}

/** Draws lines below each other, 12 points apart. */
export const column = (x: number, y: number, lines: readonly string[]): string =>
  lines.map((text, index) => at(x, y - 12 * index, text)).join('');
