/** Values of Parquet files, for readers of them by hyparquet: exact, decompressed within their declared size, and as JSON. */

export { EXACT_PARSERS, ExactJson, withExactLeaves } from './exact-values.ts';
export { problemOfGroups } from './groups.ts';
export { DECOMPRESSORS, PARSERS, textOrBytes, toJson } from './values.ts';
