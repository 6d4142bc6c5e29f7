import { zipOf } from '../../toolkit/office/zip-files.ts';

/** OpenDocument files that tests write, honest or not. */

const NAMESPACES = [
  'office',
  'text',
  'table',
  'draw',
  'style',
  'fo',
  'svg',
  'presentation',
  'xlink',
  'dc',
  'meta',
  'chart',
]
  .map((name) => `xmlns:${name}="urn:${name}"`)
  .join(' ');
const HEAD = '<?xml version="1.0" encoding="UTF-8"?>';

interface OdfParts {
  readonly automatic?: string;
  readonly styles?: string;
  readonly masters?: string;
  readonly meta?: string;
  readonly more?: Readonly<Record<string, string>>;
}

export function contentOf(kind: string, body: string, automatic = ''): string {
  return `${HEAD}<office:document-content ${NAMESPACES}><office:automatic-styles>${automatic}</office:automatic-styles><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
}

/** @param kind `text`, `spreadsheet` or `presentation` @param body within the element of that name */
export function odfOf(kind: string, body: string, parts: OdfParts = {}): Buffer {
  const { automatic = '', styles = '', masters = '', meta = '', more = {} } = parts;
  const files = {
    'content.xml': contentOf(kind, body, automatic),
    'styles.xml': `${HEAD}<office:document-styles ${NAMESPACES}><office:styles>${styles}</office:styles><office:automatic-styles><style:page-layout style:name="PL"><style:page-layout-properties fo:page-width="20cm" fo:page-height="10cm"/></style:page-layout></office:automatic-styles><office:master-styles>${masters}</office:master-styles></office:document-styles>`,
    'meta.xml': `${HEAD}<office:document-meta ${NAMESPACES}><office:meta>${meta}</office:meta></office:document-meta>`,
    ...more,
  };
  return zipOf(Object.entries(files).map(([name, data]) => ({ name, data })));
}

/** A flat file: all parts in one document. */
export function flatOf(kind: string, body: string): Buffer {
  return Buffer.from(
    `${HEAD}<office:document ${NAMESPACES}><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document>`,
  );
}

export const p = (text: string, style = ''): string =>
  `<text:p${style === '' ? '' : ` text:style-name="${style}"`}>${text}</text:p>`;

const CHART = '<draw:frame><draw:object xlink:href="./Object 1"/></draw:frame>';
const LARGE = 200_000_000;

/** Files that would take too long or too much memory, were they read without care. */
export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  'unpacks to much': () => odfOf('text', ' '.repeat(LARGE)),
  'is deeper than a stack': () => odfOf('text', '<text:section>'.repeat(1_000_000)),
  'has lists in lists': () =>
    odfOf(
      'text',
      `${'<text:list><text:list-item>'.repeat(120)}${p('x').repeat(50_000)}${'</text:list-item></text:list>'.repeat(120)}`,
    ),
  'repeats all rows and columns': () =>
    odfOf(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384">${p('x')}</table:table-cell></table:table-row></table:table>`,
    ),
  'repeats rows in many sheets': () =>
    odfOf(
      'spreadsheet',
      '<table:table table:name="S"><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table>'.repeat(
        20_000,
      ),
    ),
  'has a cell in each column, each in another row': () =>
    odfOf(
      'spreadsheet',
      `<table:table table:name="S">${Array.from({ length: 16_000 }, (_, at) => `<table:table-row><table:table-cell table:number-columns-repeated="${at + 1}"/><table:table-cell>${p('1')}</table:table-cell></table:table-row>`).join('')}</table:table>`,
    ),
  'has cells that span much': () =>
    odfOf(
      'text',
      `<table:table>${`<table:table-row>${'<table:table-cell table:number-columns-spanned="1000000" table:number-rows-spanned="1000000"><text:p>x</text:p></table:table-cell>'.repeat(10)}</table:table-row>`.repeat(1000)}</table:table>`,
    ),
  'shows one chart many times': () =>
    odfOf('text', p(CHART.repeat(50_000)), {
      more: {
        'Object 1/content.xml': contentOf(
          'chart',
          `<chart:chart><table:table>${`<table:table-row><table:table-cell>${p('x'.repeat(100))}</table:table-cell><table:table-cell>${p('1')}</table:table-cell></table:table-row>`.repeat(500)}</table:table></chart:chart>`,
        ),
      },
    }),
  'shows many spreadsheets that repeat their cells': () =>
    odfOf(
      'text',
      p(
        Array.from(
          { length: 300 },
          (_, at) => `<draw:frame><draw:object xlink:href="./Object ${at}"/></draw:frame>`,
        ).join(''),
      ),
      {
        more: Object.fromEntries(
          Array.from({ length: 300 }, (_, at) => [
            `Object ${at}/content.xml`,
            contentOf(
              'spreadsheet',
              `<table:table><table:table-row table:number-rows-repeated="1048576"><table:table-cell table:number-columns-repeated="100">${p('x')}</table:table-cell></table:table-row></table:table>`,
            ),
          ]),
        ),
      },
    ),
  'shows itself': () =>
    odfOf('text', p('<draw:frame><draw:object xlink:href="./."/></draw:frame>'.repeat(1000))),
  'has a million paragraphs': () => odfOf('text', p('x').repeat(1_000_000)),
  'has notes in notes': () =>
    odfOf(
      'text',
      `${'<text:p>x<text:note><text:note-body>'.repeat(80)}${'</text:note-body></text:note></text:p>'.repeat(80)}`.repeat(
        300,
      ),
    ),
};
