/** RTF as Markdown, and the HTML that mail programs put into RTF. */

export { type RtfDocument, readRtf } from './document.ts';
export { htmlInRtf } from './html.ts';
