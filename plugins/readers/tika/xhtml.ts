/** What XHTML is made of. Tika writes it itself: well-formed, and with `>` of attributes as `&gt;`. */
export interface XhtmlHandler {
  open(name: string, attributes: (name: string) => string | undefined): void;
  close(name: string): void;
  text(text: string): void;
}

const NAME = /^<\/?([\w:.-]+)/;
const ENTITY = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|amp|quot|apos));/gi;
const NAMED: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/** Calls the handler with each tag and text, in order. Elements without content are opened and closed. */
export function scanXhtml(source: string, handler: XhtmlHandler): void {
  let at = 0;
  while (at < source.length) {
    const tag = source.indexOf('<', at);
    const end = tag === -1 ? -1 : source.indexOf('>', tag);
    if (end === -1) break;
    if (tag > at) handler.text(decode(source.slice(at, tag)));
    scanTag(source.slice(tag, end), handler);
    at = end + 1;
  }
  if (at < source.length) handler.text(decode(source.slice(at)));
}

/** @param tag from `<` to before `>` */
function scanTag(tag: string, handler: XhtmlHandler): void {
  const name = NAME.exec(tag)?.[1]?.toLowerCase();
  if (name === undefined) return;
  const isEnd = tag.startsWith('</');
  if (!isEnd) handler.open(name, (attribute) => attributeOf(tag, attribute));
  if (isEnd || tag.endsWith('/')) handler.close(name);
}

function attributeOf(tag: string, name: string): string | undefined {
  const before = tag.indexOf(` ${name}="`);
  const start = before + name.length + 3;
  const end = before === -1 ? -1 : tag.indexOf('"', start);
  return end === -1 ? undefined : decode(tag.slice(start, end));
}

function decode(text: string): string {
  return text.replace(ENTITY, (whole, hex?: string, decimal?: string, name = '') => {
    if (name !== '') return NAMED[name.toLowerCase()] ?? whole;
    const code = Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16);
    return code > 0x10ffff || (code >= 0xd800 && code < 0xe000) ? whole : String.fromCodePoint(code);
  });
}
