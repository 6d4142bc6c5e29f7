/** Headings by their numbers, such as `Article 5` and `2.1.4 Scope`. */

export type { HeadingLines } from './candidates.ts';
export { findNumberedHeadings, type NumberedHeading } from './find.ts';
export * from './options.ts';
