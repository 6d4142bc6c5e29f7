import { type ZipEntry, zipOf } from '../../toolkit/office/zip-files.ts';

/** Books that tests write, honest or not. */

const CONTAINER =
  '<container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles></container>';

interface BookParts {
  readonly metadata?: string;
  /** Further items of the manifest. */
  readonly items?: string;
  readonly spine?: string;
  /** Further files by path. */
  readonly more?: Readonly<Record<string, string>>;
}

export const page = (body: string): string =>
  `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops"><head><title>t</title></head><body>${body}</body></html>`;

/** A book with chapters `c1.xhtml`, `c2.xhtml` and so on. @param chapters the bodies */
export function bookOf(chapters: readonly string[], parts: BookParts = {}): Buffer {
  const { metadata = '', items = '', more = {} } = parts;
  const listed = chapters.map(
    (_, at) => `<item id="c${at + 1}" href="text/c${at + 1}.xhtml" media-type="application/xhtml+xml"/>`,
  );
  const spine = parts.spine ?? chapters.map((_, at) => `<itemref idref="c${at + 1}"/>`).join('');
  const opf = `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:opf="http://www.idpf.org/2007/opf">${metadata}</metadata><manifest>${listed.join('')}${items}</manifest><spine toc="ncx">${spine}</spine></package>`;
  const files: ZipEntry[] = [
    { name: 'mimetype', data: 'application/epub+zip', isStored: true },
    { name: 'META-INF/container.xml', data: CONTAINER },
    { name: 'OEBPS/book.opf', data: opf },
    ...chapters.map((body, at) => ({ name: `OEBPS/text/c${at + 1}.xhtml`, data: page(body) })),
    ...Object.entries(more).map(([name, data]) => ({ name, data })),
  ];
  return zipOf(files);
}

/** Books that would take too long or too much memory, were they read without care. */
export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  'unpacks to much': () => bookOf([' '.repeat(200_000_000)]),
  'has a chapter many times': () =>
    bookOf(['<p>x</p>'.repeat(10_000)], { spine: '<itemref idref="c1"/>'.repeat(200_000) }),
  'has a chapter under many names': () =>
    bookOf(['<p>x</p>'.repeat(10_000)], {
      items: Array.from({ length: 19_000 }, (_, at) => `<item id="d${at}" href="text/c1.xhtml"/>`).join(''),
      spine: Array.from({ length: 19_000 }, (_, at) => `<itemref idref="d${at}"/>`).join(''),
    }),
  'is deep': () => bookOf(['<div>'.repeat(1_000_000)]),
  'has a deep package': () => bookOf(['x'], { metadata: '<dc:title>'.repeat(1_000_000) }),
  'has many spans': () =>
    bookOf([`<table><tr>${'<td colspan="1000" rowspan="65534">a</td>'.repeat(50_000)}</tr></table>`]),
};
