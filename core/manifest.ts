import { KINDS, type ObjectSchema } from './contracts.ts';

const names = { type: 'array', items: { type: 'string', minLength: 1 } } as const;

/** What a manifest must look like; see `Manifest` in contracts.ts for what its fields mean. */
export const manifestSchema: ObjectSchema = {
  type: 'object',
  required: ['kind', 'name', 'summary'],
  properties: {
    kind: { enum: KINDS },
    name: { type: 'string', pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 },
    summary: { type: 'string', minLength: 1 },
    options: {
      type: 'object',
      required: ['type', 'properties'],
      properties: {
        type: { const: 'object' },
        properties: { type: 'object', additionalProperties: { type: 'object' } },
      },
    },
    example: { type: 'object' },
    fields: { type: 'object', additionalProperties: { type: 'object' } },
    needs: {
      type: 'object',
      properties: { packages: names, env: names, files: names },
      additionalProperties: false,
    },
    reads: names,
    uses: { type: 'array', items: { type: 'string', pattern: `^(${KINDS.join('|')})(/[a-z0-9-]+)?$` } },
    guarantees: {
      type: 'object',
      properties: { lossless: { type: 'boolean' }, bounded: { type: 'boolean' } },
      additionalProperties: false,
    },
    heavy: { type: 'boolean' },
    models: names,
  },
  additionalProperties: false,
};
