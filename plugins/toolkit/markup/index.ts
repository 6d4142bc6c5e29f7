/** Tags of HTML and XML, and detection of markup languages and templates. */

export { markupSyntaxOf, templateKindOf } from './detect.ts';
export { MarkupReader } from './markup-reader.ts';
export { decodeReferences, readXml, type XmlAttributes } from './xml.ts';
