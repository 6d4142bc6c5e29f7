import { refusedError } from '../../../core/kit.ts';

/**
 * Functions that find XML elements by the names that Word writes, such as `w:p`, without a parser. Elements
 * that are not closed are not found; the XML parser reports them later.
 */

interface XmlElement {
  readonly start: number;
  readonly end: number;
  readonly tag: string;
  readonly inner: string;
}

export function* elementsIn(xml: string, name: string): Generator<XmlElement> {
  let depth = 0;
  let open: { readonly index: number; readonly 0: string } | undefined;
  for (const match of xml.matchAll(tagsOf(name))) {
    const [tag, slash] = match;
    const isClosing = slash === '/';
    if (!isClosing && depth === 0) open = match;
    if (!tag.endsWith('/>')) depth = isClosing ? Math.max(depth - 1, 0) : depth + 1;
    if (open === undefined || depth > 0) continue;
    const end = match.index + tag.length;
    const inner = isClosing ? xml.slice(open.index + open[0].length, match.index) : '';
    yield { start: open.index, end, tag: open[0], inner };
    open = undefined;
  }
}

export function replaceElements(
  xml: string,
  name: string,
  replacement: (inner: string, tag: string) => string,
): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, inner, tag } of elementsIn(xml, name)) {
    parts.push(xml.slice(done, start), replacement(inner, tag));
    done = end;
  }
  return parts.join('') + xml.slice(done);
}

export function contentOf(xml: string, name: string): string | undefined {
  return elementsIn(xml, name).next().value?.inner;
}

/** An attribute by its local name: `val` finds `w:val`. */
export function attributeOf(tag: string, name: string): string | undefined {
  const [, double, single] = cached(`[\\s:]${name}\\s*=\\s*(?:"([^"<]*)"|'([^'<]*)')`).exec(tag) ?? [];
  return double ?? single;
}

/** The `val` of the first element `name`; empty if it has no `val`, undefined if there is no such element. */
export function valueIn(xml: string, name: string): string | undefined {
  const tag = cached(`<${name}(?=[\\s/>])[^<>]*>`).exec(xml)?.[0];
  return tag === undefined ? undefined : (attributeOf(tag, 'val') ?? '');
}

/** Whether a switch such as `w:b` is on. A switch without a `val` is on. */
export function isOn(xml: string, name: string): boolean {
  const value = valueIn(xml, name);
  return value !== undefined && !['0', 'false', 'off', 'none'].includes(value);
}

const tagsOf = (name: string): RegExp => new RegExp(`<(/?)${name}(?=[\\s/>])[^<>]*>`, 'g');

const patterns = new Map<string, RegExp>();

function cached(source: string): RegExp {
  const pattern = patterns.get(source) ?? new RegExp(source);
  patterns.set(source, pattern);
  return pattern;
}

const TAG_IN_TAG = /<[^<>]*</;

/**
 * Removes comments and replaces `<![CDATA[` sections by escaped text.
 *
 * @throws Error for callers if the part declares entities, which Office files never do, or if a tag is not
 *   closed, because mammoth's parser would take quadratic time
 */
export function plainXml(xml: string): string {
  const uncommented = replaceSections(xml, '<!--', '-->', () => '');
  const plain = replaceSections(uncommented, '<![CDATA[', ']]>', (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  );
  if (TAG_IN_TAG.test(plain)) throw refusedError('The document cannot be read: its XML is damaged.');
  return plain;
}

function replaceSections(
  xml: string,
  open: string,
  close: string,
  replacement: (text: string) => string,
): string {
  const [before = '', ...sections] = xml.split(open);
  const replaced = sections.map((section) => {
    const end = section.indexOf(close);
    if (end === -1) throw refusedError(`The document cannot be read: ${open} is never closed.`);
    return replacement(section.slice(0, end)) + section.slice(end + close.length);
  });
  return before + replaced.join('');
}
