/** HTML, XML, templates and markup languages: their tags, and which of them a text is. */

export { MarkupReader } from './markup-reader.ts';
export { markupSyntaxOf } from './markup-syntax.ts';
export { templateKindOf } from './template-kind.ts';
export { decodeReferences, readXml, type XmlAttributes } from './xml.ts';
