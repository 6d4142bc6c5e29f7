/** Office files: zip archives of XML parts. */

export { type OfficeFile, openOfficeFile, type Relationship } from './office-file.ts';
