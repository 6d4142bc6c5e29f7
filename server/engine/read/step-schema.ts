const nameOrNull = { anyOf: [{ type: 'string' }, { type: 'null' }] } as const;

/** A step of a pipeline in a request. */
export const stepSchema = {
  type: 'object',
  required: ['type'],
  properties: {
    type: { enum: ['chunk', 'refine'], description: 'Kind of the step.' },
    chunker: { ...nameOrNull, description: 'Name of the chunker of a chunk step.' },
    refinery: { ...nameOrNull, description: 'Name of the refinery of a refine step.' },
    config: {
      type: 'object',
      additionalProperties: true,
      description: "Parameters of the step: those of the plugin's own endpoint, except text and chunks.",
    },
  },
  additionalProperties: false,
} as const;
