import { zipOf } from './zip-files.ts';

/** Presentations and workbooks that tests write, honest or not. */

const TYPES = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';

/** `[id, type, target]`; a target with a colon is outside. */
type Link = readonly [id: string, type: string, target: string];

export function linksOf(...links: readonly Link[]): string {
  const all = links.map(([id, type, target]) => {
    const mode = target.includes(':') ? ' TargetMode="External"' : '';
    return `<Relationship Id="${id}" Type="${TYPES}/${type}" Target="${target}"${mode}/>`;
  });
  return `${HEAD}<Relationships>${all.join('')}</Relationships>`;
}

/** An Office file of some parts, by path. */
export function officeFileOf(main: string, parts: Readonly<Record<string, string>>): Buffer {
  const all = { '_rels/.rels': linksOf(['rId1', 'officeDocument', main]), ...parts };
  return zipOf(Object.entries(all).map(([name, data]) => ({ name, data })));
}

export function escapeXml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('"', '&quot;')
    .replaceAll('\n', '&#10;');
}

export interface SheetParts {
  readonly name: string;
  /** Within `sheetData`. */
  readonly rows: string;
  readonly state?: string;
}

interface WorkbookParts {
  /** Within `sst`. */
  readonly strings?: string;
  /** Within `styleSheet`. */
  readonly styles?: string;
  readonly from1904?: boolean;
}

export function workbookOf(sheets: readonly SheetParts[], more: WorkbookParts = {}): Buffer {
  const { strings = '', styles = '', from1904 = false } = more;
  const links: Link[] = sheets.map((_, at) => [`rId${at + 1}`, 'worksheet', `worksheets/sheet${at + 1}.xml`]);
  const listed = sheets.map(
    ({ name, state = 'visible' }, at) =>
      `<sheet name="${escapeXml(name)}" state="${state}" r:id="rId${at + 1}"/>`,
  );
  const written = sheets.map(({ rows }, at) => [
    `xl/worksheets/sheet${at + 1}.xml`,
    `${HEAD}<worksheet><sheetData>${rows}</sheetData></worksheet>`,
  ]);
  return officeFileOf('xl/workbook.xml', {
    'xl/workbook.xml': `${HEAD}<workbook xmlns:r="${TYPES}"><workbookPr date1904="${Number(from1904)}"/><sheets>${listed.join('')}</sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': linksOf(
      ...links,
      ['strings', 'sharedStrings', 'sharedStrings.xml'],
      ['styles', 'styles', '/xl/styles.xml'],
    ),
    'xl/sharedStrings.xml': `${HEAD}<sst>${strings}</sst>`,
    'xl/styles.xml': `${HEAD}<styleSheet>${styles}</styleSheet>`,
    ...Object.fromEntries(written),
  });
}

export interface SlideParts {
  /** Within `spTree`. */
  readonly shapes: string;
  readonly links?: readonly Link[];
  readonly attributes?: string;
}

/** A presentation of 1000 by 500 units. */
export function deckOf(slides: readonly SlideParts[], more: Readonly<Record<string, string>> = {}): Buffer {
  const links: Link[] = slides.map((_, at) => [`rId${at + 1}`, 'slide', `slides/slide${at + 1}.xml`]);
  const listed = slides.map((_, at) => `<p:sldId id="${256 + at}" r:id="rId${at + 1}"/>`).join('');
  const written = slides.flatMap(({ shapes, links = [], attributes = '' }, at) => [
    [
      `ppt/slides/slide${at + 1}.xml`,
      `${HEAD}<p:sld${attributes}><p:cSld><p:spTree>${shapes}</p:spTree></p:cSld></p:sld>`,
    ],
    [`ppt/slides/_rels/slide${at + 1}.xml.rels`, linksOf(...links)],
  ]);
  return officeFileOf('ppt/presentation.xml', {
    'ppt/presentation.xml': `${HEAD}<p:presentation><p:sldIdLst>${listed}</p:sldIdLst><p:sldSz cx="1000" cy="500"/></p:presentation>`,
    'ppt/_rels/presentation.xml.rels': linksOf(...links),
    ...Object.fromEntries(written),
    ...more,
  });
}

export interface ShapeParts {
  readonly text?: readonly string[];
  /** Left, top, width and height. */
  readonly box?: readonly [number, number, number, number];
  /** Attributes of `xfrm`. */
  readonly turned?: string;
  /** Attributes of a placeholder. */
  readonly placeholder?: string;
}

export function frameXml(name: string, [x, y, cx, cy]: readonly number[], more = '', inner = ''): string {
  return `<${name}${more}><a:off x="${x}" y="${y}"/><a:ext cx="${cx}" cy="${cy}"/>${inner}</${name}>`;
}

export function paragraph(text: string, properties = ''): string {
  return `<a:p>${properties}<a:r><a:rPr/><a:t>${escapeXml(text)}</a:t></a:r></a:p>`;
}

export function shapeOf({ text = [], box, turned = '', placeholder }: ShapeParts): string {
  const frame = box === undefined ? '' : frameXml('a:xfrm', box, turned);
  const role = placeholder === undefined ? '' : `<p:ph ${placeholder}/>`;
  const paragraphs = text.map((one) => paragraph(one)).join('');
  return `<p:sp><p:nvSpPr><p:cNvPr id="2" name="x"/><p:nvPr>${role}</p:nvPr></p:nvSpPr><p:spPr>${frame}</p:spPr><p:txBody>${paragraphs}</p:txBody></p:sp>`;
}

const ENTITIES = `<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">${Array.from(
  { length: 9 },
  (_, at) => `<!ENTITY ${'abcdefghij'[at + 1]} "${`&${'abcdefghij'[at]};`.repeat(10)}">`,
).join('')}]>`;
const LARGE = 140 * 1024 * 1024;

const text = (one: string): string => `<c t="inlineStr"><is><t>${one}</t></is></c>`;
const rowsOf = (count: number, row: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => row(at)).join('');
const sheet = (rows: string, more: WorkbookParts = {}) => workbookOf([{ name: 'S', rows }], more);

/** Workbooks that would take too long or too much memory, were they read without care. */
export const HOSTILE_WORKBOOKS: Readonly<Record<string, () => Buffer>> = {
  'unpacks to much': () => sheet(' '.repeat(LARGE)),
  'is deeper than a stack': () => sheet('<x>'.repeat(1_000_000)),
  'has entities of entities': () =>
    officeFileOf('xl/workbook.xml', { 'xl/workbook.xml': `${ENTITIES}<workbook>&j;</workbook>` }),
  'has a cell in each corner': () =>
    sheet('<row r="1"><c r="A1"><v>1</v></c></row><row r="1048576"><c r="XFD1048576"><v>2</v></c></row>'),
  'has a cell in each column, each in another row': () =>
    sheet(
      rowsOf(16_384, (at) => `<row r="${at + 1}"><c r="${columnName(at + 1)}${at + 1}"><v>1</v></c></row>`),
    ),
  'repeats a long string': () =>
    sheet(`<row>${'<c t="s"><v>0</v></c>'.repeat(10_000)}</row>`, {
      strings: `<si><t>${'x'.repeat(1_000_000)}</t></si>`,
    }),
  'has all rows': () => sheet(rowsOf(1_048_576, () => '<row><c><v>1</v></c></row>')),
  'has one sheet many times': () =>
    officeFileOf('xl/workbook.xml', {
      'xl/workbook.xml': `<workbook><sheets>${'<sheet name="S" r:id="rId1"/>'.repeat(100_000)}</sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': linksOf(['rId1', 'worksheet', 'sheet.xml']),
      'xl/sheet.xml': `<worksheet><sheetData><row>${text('x').repeat(10_000)}</row></sheetData></worksheet>`,
    }),
};

const CHART = `<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="rId1"/></a:graphicData></a:graphic></p:graphicFrame>`;
const POINTS = (at: number) =>
  `<c:ser><c:val><c:numLit><c:pt idx="${at}"><c:v>1</c:v></c:pt></c:numLit></c:val></c:ser>`;

/** Presentations that would take too long or too much memory, were they read without care. */
export const HOSTILE_DECKS: Readonly<Record<string, () => Buffer>> = {
  'unpacks to much': () => deckOf([{ shapes: ' '.repeat(LARGE) }]),
  'is deeper than a stack': () => deckOf([{ shapes: '<p:grpSp>'.repeat(1_000_000) }]),
  'has entities of entities': () =>
    officeFileOf('ppt/presentation.xml', {
      'ppt/presentation.xml': `${ENTITIES}<p:presentation>&j;</p:presentation>`,
    }),
  'has a million shapes': () => deckOf([{ shapes: shapeOf({ text: ['x'] }).repeat(300_000) }]),
  'has one slide many times': () =>
    officeFileOf('ppt/presentation.xml', {
      'ppt/presentation.xml': `<p:presentation><p:sldIdLst>${'<p:sldId r:id="rId1"/>'.repeat(100_000)}</p:sldIdLst></p:presentation>`,
      'ppt/_rels/presentation.xml.rels': linksOf(['rId1', 'slide', 'slide.xml']),
      'ppt/slide.xml': `<p:sld><p:cSld><p:spTree>${shapeOf({ text: ['x'.repeat(1000)] }).repeat(100)}</p:spTree></p:cSld></p:sld>`,
    }),
  'shows one chart many times': () =>
    deckOf([{ shapes: CHART.repeat(50_000), links: [['rId1', 'chart', '../charts/chart1.xml']] }], {
      'ppt/charts/chart1.xml': `<c:chartSpace><c:chart><c:plotArea><c:barChart>${rowsOf(2000, POINTS)}</c:barChart></c:plotArea></c:chart></c:chartSpace>`,
    }),
  'has a chart of many series with a value each': () =>
    deckOf([{ shapes: CHART, links: [['rId1', 'chart', '../charts/chart1.xml']] }], {
      'ppt/charts/chart1.xml': `<c:chartSpace><c:chart><c:plotArea><c:barChart>${rowsOf(50_000, POINTS)}</c:barChart></c:plotArea></c:chart></c:chartSpace>`,
    }),
};

export function columnName(column: number): string {
  const rest = Math.floor((column - 1) / 26);
  return `${rest === 0 ? '' : columnName(rest)}${String.fromCharCode(65 + ((column - 1) % 26))}`;
}
