import { escapeBlockStarts, markdownTable, raised } from '../../toolkit/markdown/index.ts';
import { decodeEscapes, EquationWriter, type Relationship } from '../../toolkit/office/index.ts';
import { childrenOf, type Element, find, findBelow, referenceOf } from './tree.ts';

type Relationships = ReadonlyMap<string, Relationship>;

const FIELDS = /^(slidenum|datetime)/;
const INDENT = '    ';
/** Characters that would end the address of a Markdown link. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an address may contain them.
const UNSAFE = /[\u0000-\u0020()<>]/g;
/** Maximum blank cells in a chart's table: `MAX_BLANK` for each value, plus `MORE_BLANK`. */
const MAX_BLANK = 8;
const MORE_BLANK = 10_000;

/**
 * Writes the paragraphs and lists of a text body.
 *
 * @param isList whether paragraphs have bullets by default, as in the body of a slide
 */
export function writeBody(body: Element | undefined, links: Relationships, isList: boolean): string {
  let deepest = -1;
  const numbers: number[] = [];
  const parts: string[] = [];
  for (const paragraph of childrenOf(body, 'p')) {
    const text = escapeBlockStarts(textOf(paragraph, links).trim()).replaceAll('\n', '  \n');
    if (text === '') continue;
    const properties = find(paragraph, 'pPr');
    const isNumbered = find(properties, 'buAutoNum') !== undefined;
    const isBullet = find(properties, 'buChar') !== undefined || find(properties, 'buBlip') !== undefined;
    const isItem = isNumbered || isBullet || (isList && find(properties, 'buNone') === undefined);
    if (parts.length > 0) parts.push(isItem && deepest >= 0 ? '\n' : '\n\n');
    // Markdown would read an item as code if it were more than one level below the previous item.
    deepest = isItem ? Math.min(Number(properties?.attributes.lvl ?? 0) || 0, deepest + 1) : -1;
    numbers.length = deepest + 1;
    if (isNumbered) numbers[deepest] = (numbers[deepest] ?? 0) + 1;
    const mark = isNumbered ? `${numbers[deepest]}.` : '-';
    parts.push(isItem ? `${INDENT.repeat(deepest)}${mark} ${text}` : text);
  }
  return parts.join('');
}

export function lineOf(body: Element | undefined, links: Relationships): string {
  const lines = childrenOf(body, 'p').map((paragraph) => textOf(paragraph, links).trim());
  return oneLine(lines.filter((line) => line !== '').join(' '));
}

export function oneLine(text: string): string {
  return text.trim().replace(/[\r\n\v]+/g, ' ');
}

function textOf(element: Element, links: Relationships): string {
  const { name, children, attributes, text } = element;
  if (name === 't') return decodeEscapes(text).replace(BREAKS, '\n').replace(CONTROLS, '');
  if (name === 'br') return '\n';
  if (name === 'oMath') return equationOf(element);
  if (name === 'Fallback' || (name === 'fld' && FIELDS.test(attributes.type ?? ''))) return '';
  // Equations of one paragraph stand below each other.
  const own = children.map((child) => textOf(child, links)).join(name === 'oMathPara' ? '\n' : '');
  if (name !== 'r') return own;
  const properties = find(element, 'rPr');
  const isRaised = Number(properties?.attributes.baseline ?? 0) > 0;
  return linked(isRaised ? raised(own) : own, links.get(referenceOf(find(properties, 'hlinkClick'))));
}

/** Line breaks of all programs. PowerPoint writes a break within a title as a vertical tab. */
const BREAKS = /\r\n?|\n?\v|\u2028/g;
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape such as `_x0007_` may mean them.
const CONTROLS = /[\u0000-\u0008\u000e-\u001f]/g;

function equationOf(equation: Element): string {
  const writer = new EquationWriter();
  const write = ({ name, attributes, text, children }: Element): void => {
    const value = Object.entries(attributes).find(([key]) => key === 'val' || key.endsWith(':val'))?.[1];
    writer.open(name, value);
    writer.text(text);
    for (const child of children) write(child);
    writer.close();
  };
  write(equation);
  return writer.end();
}

function linked(text: string, link: Relationship | undefined): string {
  if (text.trim() === '' || !link?.isExternal || !/^(https?|mailto):/i.test(link.target)) return text;
  const target = link.target.replace(
    UNSAFE,
    (sign) => `%${sign.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
  return `[${oneLine(text).replace(/[[\]]/g, '\\$&')}](${target})`;
}

export function writeTable(table: Element, links: Relationships): string {
  const rows = childrenOf(table, 'tr').map((row) =>
    childrenOf(row, 'tc').map((cell) => lineOf(find(cell, 'txBody'), links)),
  );
  return markdownTable(rows);
}

export function writeChart(chart: Element | undefined): string {
  const title = lineOf(findBelow(find(chart, 'title'), 'rich'), new Map());
  const series = seriesBelow(find(chart, 'plotArea')).map((one) => ({
    name: oneLine([...pointsOf(find(one, 'tx')).values()].join(' ')),
    categories: pointsOf(find(one, 'cat') ?? find(one, 'xVal')),
    values: pointsOf(find(one, 'val') ?? find(one, 'yVal')),
  }));
  return [title, writeSeries(series)].filter((part) => part !== '').join('\n\n');
}

interface Series {
  readonly name: string;
  readonly categories: ReadonlyMap<string, string>;
  readonly values: ReadonlyMap<string, string>;
}

/** Writes all series as one table, or as one table each if a common table would be mostly blank. */
function writeSeries(series: readonly Series[]): string {
  const categories = new Map<string, string>();
  for (const one of series)
    for (const index of [...one.categories.keys(), ...one.values.keys()])
      categories.set(index, categories.get(index) || (one.categories.get(index) ?? ''));
  const points = series.reduce((sum, { values }) => sum + values.size, 0);
  if (series.length > 1 && series.length * categories.size > MAX_BLANK * points + MORE_BLANK)
    return series.map((one) => writeSeries([one])).join('\n\n');
  const names = series.map(({ name }) => name);
  const rows = Array.from(categories, ([index, category]) => [
    category,
    ...series.map(({ values }) => values.get(index) ?? ''),
  ]);
  return series.length === 0 ? '' : markdownTable(rows, ['', ...names]);
}

function seriesBelow(plot: Element | undefined): Element[] {
  return plot?.children.flatMap((one) => childrenOf(one, 'ser')) ?? [];
}

function pointsOf(data: Element | undefined): Map<string, string> {
  const cache = findBelow(data, 'strCache') ?? findBelow(data, 'numCache') ?? findBelow(data, 'lvl');
  const points = childrenOf(cache ?? findBelow(data, 'strLit') ?? findBelow(data, 'numLit'), 'pt');
  return new Map(
    points.map((point) => [point.attributes.idx ?? '', oneLine(find(point, 'v')?.text ?? '')] as const),
  );
}

export function writeDiagram(model: Element | undefined): string {
  const points = childrenOf(find(model, 'ptLst'), 'pt').map((point) => lineOf(find(point, 't'), new Map()));
  return points
    .filter((text) => text !== '')
    .map((text) => `- ${text}`)
    .join('\n');
}
