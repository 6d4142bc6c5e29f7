/** Web pages as Markdown: the parts of the reader `html` that readers of mail and books use as well. */

export { attributeOf, createParse, type Element, type Node, type Page, walk } from './page.ts';
export { writeMarkdown } from './writer.ts';
