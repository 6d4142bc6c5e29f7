/** HTML, XML, templates and markup languages: their tags, and which of them a text is. */

export { MarkupReader } from './markup-reader.ts';
export { type MarkupSyntax, markupSyntaxOf } from './markup-syntax.ts';
export { type TemplateKind, templateKindOf } from './template-kind.ts';
export { decodeReferences, readXml, type XmlAttributes } from './xml.ts';
