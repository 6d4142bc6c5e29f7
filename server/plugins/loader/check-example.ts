import type { Manifest, ObjectSchema } from '../../../core/contracts/manifest.ts';
import { createCheck } from '../../engine/validation/create-check.ts';

const string = { type: 'string' } as const;
const count = { type: 'integer', minimum: 0 } as const;
const chunk = {
  type: 'object',
  required: ['text', 'start_index', 'end_index', 'token_count'],
  properties: { text: string, start_index: count, end_index: count, token_count: count },
} as const;
const chunks = { type: 'array', items: chunk } as const;

/** What a request has besides the options of its plugin; the first member is required. */
const MEMBERS: Readonly<Record<'chunker' | 'refinery', Readonly<Record<string, object>>>> = {
  chunker: {
    text: { anyOf: [string, { type: 'array', items: string }] },
    tokenizer: string,
    offset_unit: string,
  },
  refinery: { chunks: { anyOf: [chunks, { type: 'array', items: chunks }] }, tokenizer: string },
};

/**
 * Checks the example of a chunker or refinery against the requests that the plugin takes, and that of a sink against its
 * options.
 *
 * @param isValid the compiled check of the plugin's options; it fills in defaults
 * @returns all problems
 */
export function checkExample(manifest: Manifest, isValid: (options: object) => boolean): readonly string[] {
  const { kind, example } = manifest;
  if (example === undefined) return [];
  const { options = NO_OPTIONS } = manifest;
  if (kind === 'sink')
    return createCheck({ ...options, additionalProperties: false })(structuredClone(example), PLACE);
  if (kind !== 'chunker' && kind !== 'refinery') return [];
  const members = MEMBERS[kind];
  const given = structuredClone(example) as Record<string, unknown>;
  const own = Object.entries(given).filter(([name]) => name in options.properties);
  const isKnown = Object.keys(given).every((name) => name in members || name in options.properties);
  if (isKnown && isBody(given) && isValid(Object.fromEntries(own))) return [];
  // Compiled for an example that is refused alone: compiling is slow, and every start would wait for it.
  const required = [Object.keys(members)[0] as string, ...(options.required ?? [])];
  const properties = { ...members, ...options.properties };
  return createCheck({ ...options, required, properties, additionalProperties: false })(given, PLACE);
}

const PLACE = 'manifest.example.';
const NO_OPTIONS: ObjectSchema = { type: 'object', properties: {} };

/** Whether it has a text or chunks at all; what is in the chunks is seen when the example is run. */
function isBody({ text, chunks }: Record<string, unknown>): boolean {
  return typeof text === 'string' || Array.isArray(text) || Array.isArray(chunks);
}
