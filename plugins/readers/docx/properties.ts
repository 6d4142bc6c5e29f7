import { decodeReferences } from '../../toolkit/markup/index.ts';
import { type EquationWriter, isFileName } from '../../toolkit/office/index.ts';
import { type Cell, type Content, checkboxText } from './content.ts';
import type { XmlCursor } from './cursor.ts';
import { isOn, readListPlace, valOf } from './styles.ts';

/** Functions that read the current element of a cursor. */

export interface ParagraphProperties {
  styleId: string;
  outlineLevel: string | undefined;
  numId: string | undefined;
  level: string | undefined;
  /** Whether the paragraph joins the next one, because its mark is deleted or because it is a drop cap. */
  isJoined: boolean;
}

export function readParagraphProperties(xml: XmlCursor): ParagraphProperties {
  const properties: ParagraphProperties = {
    styleId: '',
    outlineLevel: undefined,
    numId: undefined,
    level: undefined,
    isJoined: false,
  };
  const { depth } = xml;
  while (xml.next(depth)) {
    const { name } = xml;
    if (name === 'w:pStyle') properties.styleId = valOf(xml);
    else if (name === 'w:outlineLvl') properties.outlineLevel = valOf(xml);
    else if (name === 'w:numPr') readListPlace(xml, properties);
    else if (name === 'w:framePr') properties.isJoined ||= /^[dm]/.test(xml.attribute('dropCap') ?? '');
    else if (name === 'w:rPr') properties.isJoined = isMarkDeleted(xml) || properties.isJoined;
  }
  return properties;
}

function isMarkDeleted(xml: XmlCursor): boolean {
  let isDeleted = false;
  const { depth } = xml;
  while (xml.next(depth)) isDeleted ||= xml.name === 'w:del' || xml.name === 'w:moveFrom';
  return isDeleted;
}

/** Reads the properties of a row. Adds a cell for the columns that the row skips. */
export function isDeletedRow(xml: XmlCursor, row: Content): boolean {
  let isDeleted = false;
  const { depth } = xml;
  while (xml.next(depth)) {
    if (xml.name === 'w:del') isDeleted = true;
    const columns = xml.name === 'w:gridBefore' ? Math.trunc(Number(valOf(xml))) : 0;
    if (columns > 0) row.cells.push({ blocks: [], columns, rows: 1 });
  }
  return isDeleted;
}

export function readSpans(xml: XmlCursor, cell: Pick<Cell, 'columns' | 'continues'>): void {
  const { depth } = xml;
  while (xml.next(depth)) {
    if (xml.name === 'w:gridSpan') cell.columns = Number.parseInt(valOf(xml) || '1', 10);
    else if (xml.name === 'w:vMerge') cell.continues = ['continue', ''].includes(valOf(xml));
  }
}

/** The box that a content control is, from the control's properties; undefined if the control is not a box. */
export function readCheckbox(xml: XmlCursor): string | undefined {
  let box: string | undefined;
  const { depth } = xml;
  while (xml.next(depth)) if (xml.name === 'w14:checkbox') box = checkboxText(isChecked(xml));
  return box;
}

function isChecked(xml: XmlCursor): boolean {
  let isOne = false;
  const { depth } = xml;
  while (xml.next(depth)) if (xml.name === 'w14:checked') isOne = isOn(valOf(xml));
  return isOne;
}

export function writeEquation(xml: XmlCursor, writer: EquationWriter): void {
  const { depth } = xml;
  while (xml.next(depth)) {
    const isMath = xml.name.startsWith('m:');
    if (isMath) writer.open(xml.name.slice('m:'.length), xml.attribute('val'));
    if (xml.name === 'm:t') writer.text(xml.text());
    else writeEquation(xml, writer);
    if (isMath) writer.close();
  }
}

const DESCRIBED = /<(?:wp:docPr\s|v:\w+\s[^<>]*\balt=)[^<>]*>/;
const DESCRIPTIONS = ['descr', 'alt', 'title'].map(
  (name) => new RegExp(`[\\s:]${name}\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`),
);

/** The description of a picture or shape; empty if there is none, or only the name of a file. @param shape its XML */
export function descriptionOf(shape: string): { readonly text: string; readonly isFileName: boolean } {
  const tag = DESCRIBED.exec(shape)?.[0] ?? '';
  const texts = DESCRIPTIONS.map((pattern) => {
    const [, double, single] = pattern.exec(tag) ?? [];
    return (double ?? single ?? '').trim();
  });
  const text = texts.find((one) => one !== '' && !isFileName(decodeReferences(one))) ?? '';
  return {
    text: decodeReferences(text.replace(/[\][\s]+/g, ' ')),
    isFileName: text === '' && texts.some((one) => one !== ''),
  };
}
