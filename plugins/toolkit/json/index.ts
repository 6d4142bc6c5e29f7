/** JSON with exact numbers, and vectors as JSON. */

export { vectorJson } from './ascii-numbers.ts';
export { parseExactJson } from './exact-json.ts';
