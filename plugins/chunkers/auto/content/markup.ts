/** Elements that only HTML has, whose tags tell it from XML and from code with type parameters. */
const ELEMENT =
  /<\/(?:p|div|span|h[1-6]|ul|ol|li|table|tr|td|th|a|section|article|body|head|pre|b|i|em|strong)\s*>/gi;
/** Fewest such tags for each 1000 characters of a text that is HTML without a head. */
const DENSITY = 2;

/** A heading or fence of Markdown, which may begin with HTML. */
const MARKDOWN = /^(#{1,6} \S|```)/m;

/** Whether a text is HTML: by its doctype or root element, or because it begins with a tag and has enough of them. */
export function isHtml(sample: string): boolean {
  const start = sample.replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '');
  if (/^<(!doctype\s+html|html)\b/i.test(start)) return true;
  if (!/^<[a-z]/i.test(start) || MARKDOWN.test(sample)) return false;
  const tags = sample.match(ELEMENT)?.length ?? 0;
  return tags > 0 && tags * 1000 >= DENSITY * sample.length;
}

/** Whether an HTML text is a table and nothing else. */
export function isHtmlTable(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  return /^<table[\s>]/.test(trimmed) && trimmed.indexOf('</table>') === trimmed.length - '</table>'.length;
}
