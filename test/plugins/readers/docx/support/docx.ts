import { zipOf } from '../../../toolkit/office/zip-files.ts';

/** Parts of a Word document besides its body, as XML without namespaces. */
export interface DocxParts {
  readonly styles?: string;
  readonly numbering?: string;
  readonly footnotes?: string;
  readonly core?: string;
  /** By their paths: `word/header1.xml`. */
  readonly others?: Readonly<Record<string, string>>;
}

const OFFICE = 'http://schemas.openxmlformats.org';
const NAMESPACES = Object.entries({
  w: `${OFFICE}/wordprocessingml/2006/main`,
  r: `${OFFICE}/officeDocument/2006/relationships`,
  m: `${OFFICE}/officeDocument/2006/math`,
  mc: `${OFFICE}/markup-compatibility/2006`,
  wp: `${OFFICE}/drawingml/2006/wordprocessingDrawing`,
  wps: 'http://schemas.microsoft.com/office/word/2010/wordprocessingShape',
  v: 'urn:schemas-microsoft-com:vml',
  dc: 'http://purl.org/dc/elements/1.1/',
  dcterms: 'http://purl.org/dc/terms/',
  cp: `${OFFICE}/package/2006/metadata/core-properties`,
})
  .map(([prefix, uri]) => `xmlns:${prefix}="${uri}"`)
  .join(' ');
const TYPES = `${OFFICE}/officeDocument/2006/relationships`;
const LINK = `<Relationship Id="link" Type="${TYPES}/hyperlink" Target="https://example.org/a_(b)" TargetMode="External"/>`;

const root = (name: string, content: string): string => `<${name} ${NAMESPACES}>${content}</${name}>`;
const relationships = (content: string): string =>
  `<Relationships xmlns="${OFFICE}/package/2006/relationships">${content}</Relationships>`;

/** The least of a Word document. @param body the content of `w:body`; the relationship `link` is an address */
export function docxOf(body: string, parts: DocxParts = {}): Buffer {
  return docxWith(root('w:document', `<w:body>${body}</w:body>`), parts);
}

/** @param document all of `word/document.xml` */
function docxWith(document: string, { styles, numbering, footnotes, core, others }: DocxParts = {}): Buffer {
  const files: Readonly<Record<string, string | undefined>> = {
    '[Content_Types].xml': `<Types xmlns="${OFFICE}/package/2006/content-types"/>`,
    '_rels/.rels': relationships(
      `<Relationship Id="a" Type="${TYPES}/officeDocument" Target="word/document.xml"/><Relationship Id="b" Type="${OFFICE}/package/2006/relationships/metadata/core-properties" Target="docProps/core.xml"/>`,
    ),
    'word/_rels/document.xml.rels': relationships(LINK),
    'word/document.xml': document,
    'word/styles.xml': styles && root('w:styles', styles),
    'word/numbering.xml': numbering && root('w:numbering', numbering),
    'word/footnotes.xml': footnotes && root('w:footnotes', footnotes),
    'docProps/core.xml': core && root('cp:coreProperties', core),
    ...others,
  };
  const written = Object.entries(files).filter(([, data]) => data !== undefined);
  return zipOf(written.map(([name, data]) => ({ name, data: data as string })));
}

/** A paragraph. @param properties the content of its `w:pPr` */
export function paragraph(text: string, properties = ''): string {
  return `<w:p><w:pPr>${properties}</w:pPr>${run(text)}</w:p>`;
}

/** @param properties the content of its `w:rPr` */
export function run(text: string, properties = ''): string {
  return `<w:r><w:rPr>${properties}</w:rPr><w:t xml:space="preserve">${text}</w:t></w:r>`;
}

const nested = (count: number, open: string, close: string): string =>
  open.repeat(count) + close.repeat(count);
const attributes = (count: number): string =>
  Array.from({ length: count }, (_, at) => `a${at}="x"`).join(' ');
const names = (count: number): string => Array.from({ length: count }, (_, at) => `<w:x${at}/>`).join('');
const entities = Array.from({ length: 9 }, (_, at) => `<!ENTITY e${at + 1} "${`&e${at};`.repeat(10)}">`).join(
  '',
);

/** Small files that unpack, expand or nest to much, by what they do. A reader must refuse them, or read them quickly. */
export const HOSTILE_DOCX: Readonly<Record<string, () => Buffer>> = {
  'a file of 1 GB of spaces': () =>
    zipOf([{ name: 'word/document.xml', data: '', raw: Buffer.from('eNo=', 'base64'), size: 1e9 }]),
  'entities of entities': () =>
    docxWith(
      `<!DOCTYPE x [<!ENTITY e0 "lol">${entities}]>${root('w:document', `<w:body>${paragraph('&e9;')}</w:body>`)}`,
    ),
  '100,000 tables in tables': () => docxOf(nested(100_000, '<w:tbl><w:tr><w:tc>', '</w:tc></w:tr></w:tbl>')),
  '50,000 shapes in shapes': () =>
    docxOf(
      `<w:p><w:r>${nested(50_000, '<w:drawing><w:txbxContent>', '</w:txbxContent></w:drawing>')}</w:r></w:p>`,
    ),
  '100,000 elements that are never closed': () => docxOf('<w:p><w:pPr><m:oMath><w:r><w:rPr>'.repeat(20_000)),
  '100,000 tags without an end': () => docxWith(`<w:document>${'<w:p <w:r '.repeat(100_000)}`),
  '100,000 comments and sections without an end': () =>
    docxWith(`<w:document>${'<!--<![CDATA['.repeat(100_000)}`),
  '20,000 attributes': () => docxOf(`<w:p ${attributes(20_000)}/>`),
  '20,000 unknown elements': () => docxOf(`<w:p>${names(20_000)}</w:p>`),
  'a table of cells that each span a thousand': () => {
    const cell = `<w:tc><w:tcPr><w:gridSpan w:val="1000"/></w:tcPr>${paragraph('x'.repeat(90))}</w:tc>`;
    return docxOf(`<w:tbl>${`<w:tr>${cell.repeat(20)}</w:tr>`.repeat(500)}</w:tbl>`);
  },
  'numbers as long as a file likes': () => {
    const level = `<w:lvl w:ilvl="0"><w:start w:val="999999999"/><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/></w:lvl>`;
    const numbering = `<w:abstractNum w:abstractNumId="1">${level}</w:abstractNum><w:num w:numId="1"><w:abstractNumId w:val="1"/></w:num>`;
    return docxOf(paragraph('x', '<w:numPr><w:numId w:val="1"/></w:numPr>').repeat(20_000), { numbering });
  },
  'styles based on each other': () => {
    const style = (id: number): string =>
      `<w:style w:type="paragraph" w:styleId="${id}"><w:basedOn w:val="${(id + 1) % 5000}"/></w:style>`;
    const styles = Array.from({ length: 5000 }, (_, id) => style(id)).join('');
    return docxOf(paragraph('x', '<w:pStyle w:val="0"/>').repeat(5000), { styles });
  },
};

/** Needs more memory than a guarded thread has, and is ended with it. */
export const exhaustingDocx = (): Buffer => docxOf('<w:p/>'.repeat(2_000_000));
