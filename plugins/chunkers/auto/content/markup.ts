/** Elements that texts without a head begin with; XML and code with type parameters rarely have such names. */
const ELEMENT =
  /^<(?:a|article|aside|b|blockquote|body|center|div|dl|em|figure|footer|form|h[1-6]|head|header|i|iframe|img|main|nav|ol|p|pre|section|script|span|strong|style|svg|table|ul)[\s>]/i;
const CLOSING = /<\/[a-z][a-z0-9]*\s*>/i;
/** A Markdown heading or fence; Markdown may begin with HTML. */
const MARKDOWN = /^(#{1,6} \S|```)/m;

/** Whether a text is HTML: by its doctype or root element, or because it begins with an HTML element. */
export function isHtml(sample: string): boolean {
  const start = sample.replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '');
  if (/^<(!doctype\s+html|html)\b/i.test(start)) return true;
  return ELEMENT.test(start) && CLOSING.test(start) && !MARKDOWN.test(sample);
}

/** Whether an HTML text is only a table. */
export function isHtmlTable(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  return /^<table[\s>]/.test(trimmed) && trimmed.indexOf('</table>') === trimmed.length - '</table>'.length;
}
