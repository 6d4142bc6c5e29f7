import { refusedError } from '../../../core/kit.ts';
import { decodeReferences } from '../../toolkit/markup/index.ts';
import { isFileName } from '../../toolkit/office/index.ts';
import { attributeOf, contentOf, elementsIn, isOn, replaceElements, valueIn } from './elements.ts';
import { writeEquation } from './equation.ts';
import { type ListMark, Numbering, outlineLevel, readStyles, type Style } from './styles.ts';

export interface Mark {
  /** The level from 1; 0 if the paragraph is not a heading. */
  readonly heading: number;
  readonly isTitle: boolean;
  readonly list: ListMark | undefined;
}

/** Maximum distinct element names; Office has about 300. Mammoth compares unknown names with all others. */
const MAX_NAMES = 1000;
const SUPERSCRIPT = 'superscript';
export const HIDDEN = 'hidden';

/** Tags that are removed, so that mammoth reads the text between them instead of skipping it. */
const TRANSPARENT =
  /<\/?(?:w:(?:fldSimple|dir|bdo|proofErr|lastRenderedPageBreak|bookmarkStart|bookmarkEnd)|m:oMathPara)(?=[\s/>])[^<>]*>/g;
/** Tags whose attributes are removed: the attributes are not read, but cost memory in mammoth's parser. */
const ATTRIBUTES = /<(w:(?:p|r|t|tr))\s[^<>]*?(\/?)>/g;
const SWITCHES: readonly (readonly [name: string, read: string])[] = [
  ['w:b', '<w:b/>'],
  ['w:i', '<w:i/>'],
  ['w:strike', '<w:strike/>'],
  ['w:dstrike', '<w:strike/>'],
];
/** Formatting for character styles, by id, because some files do not define it. */
const FORMATS: Readonly<Record<string, string>> = { strong: '<w:b/>', emphasis: '<w:i/>' };

/**
 * Rewrites the parts of a document so that mammoth loses no text. Equations, text boxes, fields and ruby
 * become text. Properties of paragraphs and runs that mammoth cannot read are moved into properties that it
 * reads. All other properties are removed; they make up most of a document.
 */
export class Preparation {
  /** Marks of paragraphs. The alignment of a prepared paragraph is the index of its mark. */
  readonly marks: Mark[] = [];
  /** How many pictures are described only by the names of their files, which are not written. */
  pictureNames = 0;
  readonly #styles: ReadonlyMap<string, Style>;
  readonly #numbering: Numbering;

  /** @param styles `word/styles.xml`, or empty @param numbering `word/numbering.xml`, or empty */
  constructor(styles: string, numbering: string) {
    this.#styles = readStyles(styles);
    this.#numbering = new Numbering(numbering, this.#styles);
  }

  /** @param xml a part with text: the document, or its notes */
  prepare(xml: string): string {
    const names = new Set(Array.from(xml.matchAll(/<([\w:.-]+)/g), ([, name]) => name));
    if (names.size > MAX_NAMES)
      throw refusedError('The document cannot be read: it is not what Word writes.');
    const shapes = ['w:object', 'w:pict', 'w:drawing'];
    const drawn = shapes.reduce(
      (part, name) => withShapes(part, name, (shape) => this.#describe(shape)),
      withAlternatives(xml),
    );
    const plain = withChoices(drawn);
    const steps: readonly (readonly [name: string, replacement: (inner: string) => string])[] = [
      ['m:oMath', (omml) => `<w:r><w:t>${writeEquation(omml)}</w:t></w:r>`],
      ['m:oMathParaPr', () => ''],
      ['w:ruby', (inner) => contentOf(inner, 'w:rubyBase') ?? ''],
      ['w:tblPr', () => ''],
      ['w:tblPrEx', () => ''],
      ['w:trPr', (inner) => `<w:trPr>${inner}</w:trPr>${missingCells(valueIn(inner, 'w:gridBefore'))}`],
      ['w:pPr', (inner) => this.#paragraph(inner)],
      ['w:rPr', (inner) => this.#run(inner)],
    ];
    return steps
      .reduce((part, [name, replacement]) => replaceElements(part, name, replacement), plain)
      .replace(TRANSPARENT, '')
      .replace(ATTRIBUTES, '<$1$2>')
      .replace(/<w:cr\s*\/>/g, '<w:br/>')
      .replace(/<w:ptab[^<>]*\/>/g, '<w:tab/>');
  }

  #describe(shape: string): string {
    const [tag = ''] = /<(?:wp:docPr\s|v:\w+\s[^<>]*\balt=)[^<>]*>/.exec(shape) ?? [];
    const texts = ['descr', 'alt', 'title'].map((name) => attributeOf(tag, name)?.trim() ?? '');
    const text = texts.find((one) => one !== '' && !isFileName(decodeReferences(one)));
    if (text !== undefined) return `<w:t>![${text.replace(/[\][\s]+/g, ' ')}]()</w:t>`;
    if (texts.some((one) => one !== '')) this.pictureNames++;
    return '';
  }

  #paragraph(written: string): string {
    const inner = written.replace(/<w:pPrChange[\s\S]*/, '');
    const ofMark = contentOf(inner, 'w:rPr') ?? '';
    // A drop cap is a paragraph of its own. Deleting its paragraph mark joins it to the next paragraph.
    const isDeleted = /<w:(?:del|moveFrom)[\s/>]/.test(ofMark) || /\bw:dropCap="[dm]/.test(inner);
    const mark = isDeleted ? undefined : this.#markOf(inner);
    const alignment = mark === undefined ? '' : `<w:jc w:val="${this.marks.push(mark) - 1}"/>`;
    if (alignment === '' && !isDeleted) return '';
    return `<w:pPr>${alignment}${isDeleted ? '<w:rPr><w:del/></w:rPr>' : ''}</w:pPr>`;
  }

  #markOf(properties: string): Mark | undefined {
    const style = this.#styles.get(valueIn(properties, 'w:pStyle') ?? '');
    const heading = outlineLevel(properties) || (style?.heading ?? 0);
    const own = valueIn(properties, 'w:numId');
    const numId = own ?? style?.numId;
    const level = valueIn(properties, 'w:ilvl') ?? (own === undefined ? style?.level : undefined);
    const list = numId === undefined ? undefined : this.#numbering.next(numId, level, style?.id);
    if (heading === 0 && list === undefined) return undefined;
    return { heading, isTitle: style?.isTitle ?? false, list };
  }

  #run(written: string): string {
    if (written === '<w:del/>') return `<w:rPr>${written}</w:rPr>`;
    const own = written.replace(/<w:rPrChange[\s\S]*/, '');
    const style = this.#styles.get(valueIn(own, 'w:rStyle') ?? '');
    const all = own + (style?.runs ?? '') + (FORMATS[style?.id.toLowerCase() ?? ''] ?? '');
    if (isOn(all, 'w:vanish')) return `<w:rPr><w:highlight w:val="${HIDDEN}"/></w:rPr>`;
    const switches = SWITCHES.flatMap(([name, read]) => (isOn(all, name) ? [read] : []));
    if (valueIn(all, 'w:vertAlign') === SUPERSCRIPT) switches.push(`<w:vertAlign w:val="${SUPERSCRIPT}"/>`);
    return switches.length === 0 ? '' : `<w:rPr>${switches.join('')}</w:rPr>`;
  }
}

export function hasText(xml: string): boolean {
  return /<(?:[wma]:t|c:v)(?:\s[^<>]*)?>[^<]*[^<\s]/.test(xml);
}

/** Maximum nesting of alternatives, and of shapes in text boxes. */
const MAX_DEPTH = 8;

function checkDepth(depth: number): void {
  if (depth > MAX_DEPTH)
    throw refusedError(`The document cannot be read: its shapes are nested more than ${MAX_DEPTH} deep.`);
}

/** Chooses the variant for newer programs if that is a shape, otherwise the variant for older programs. */
function withAlternatives(xml: string, depth = 0): string {
  checkDepth(depth);
  return replaceElements(xml, 'mc:AlternateContent', (inner) => {
    const choice = contentOf(inner, 'mc:Choice');
    const fallback = contentOf(inner, 'mc:Fallback');
    const isShape = choice?.includes('<w:drawing') === true;
    return withAlternatives((isShape ? choice : (fallback ?? choice)) ?? '', depth + 1);
  });
}

const VML = 'xmlns:v="urn:schemas-microsoft-com:vml"';

/** Replaces a picture or shape by its description and its text boxes, in the old form that mammoth reads. */
function withShapes(xml: string, name: string, describe: (shape: string) => string, depth = 0): string {
  checkDepth(depth);
  return replaceElements(xml, name, (inner) => {
    const boxes = Array.from(elementsIn(inner, 'w:txbxContent'), (box) => {
      const content = withShapes(box.inner, name, describe, depth + 1);
      return `<w:pict><v:textbox ${VML}>${content}</v:textbox></w:pict>`;
    });
    return describe(inner) + boxes.join('');
  });
}

/** Cells for the columns that a row skips. They have no paragraph, unlike cells of the document. */
function missingCells(count = '0'): string {
  const columns = Math.trunc(Number(count));
  return columns > 0 ? `<w:tc><w:tcPr><w:gridSpan w:val="${columns}"/></w:tcPr></w:tc>` : '';
}

/** Writes the choice of each old drop-down field, which has no text of its own unless a program has added it. */
function withChoices(xml: string): string {
  if (!xml.includes('<w:ddList')) return xml;
  const marks = [...elementsIn(xml, 'w:fldChar')];
  const parts: string[] = [];
  let done = 0;
  for (const [at, { start, end, inner }] of marks.entries()) {
    const list = contentOf(inner, 'w:ddList');
    if (list === undefined) continue;
    const isEnd = ({ tag }: { readonly tag: string }) => attributeOf(tag, 'fldCharType') === 'end';
    const next = marks[at + 1];
    const last = next === undefined || isEnd(next) ? next : marks[at + 2];
    if (hasText(xml.slice(end, last?.start ?? end))) continue;
    const chosen = Number(valueIn(list, 'w:result') ?? valueIn(list, 'w:default') ?? 0);
    const entries = Array.from(elementsIn(list, 'w:listEntry'), ({ tag }) => attributeOf(tag, 'val') ?? '');
    parts.push(xml.slice(done, start), `<w:t xml:space="preserve">${entries[chosen] ?? ''}</w:t>`);
    done = start;
  }
  return parts.join('') + xml.slice(done);
}
