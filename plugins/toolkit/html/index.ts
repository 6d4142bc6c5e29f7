/** Web pages as Markdown: the parts of the reader `html` that readers of mail and books use as well. */

export { attributeOf, type Element, type Node, walk } from './nodes.ts';
export { createParse, type Page } from './page.ts';
export { writeMarkdown } from './writer.ts';
