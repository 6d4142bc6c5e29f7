/** HTML, XML, templates and markup languages: their tags, and which of them a text is. */

export { markupSyntaxOf, templateKindOf } from './detect.ts';
export { MarkupReader } from './markup-reader.ts';
export { decodeReferences, readXml, type XmlAttributes } from './xml.ts';
