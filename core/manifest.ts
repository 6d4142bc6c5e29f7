import { Type } from 'typebox';
import { KINDS } from './contracts.ts';

/** What a manifest must look like; see `Manifest` in contracts.ts for what its fields mean. */
export const manifestSchema = Type.Object(
  {
    kind: Type.Enum([...KINDS]),
    name: Type.String({ pattern: '^[a-z0-9]+(-[a-z0-9]+)*$', maxLength: 64 }),
    summary: Type.String({ minLength: 1 }),
    options: Type.Optional(
      Type.Object({ type: Type.Literal('object'), properties: Type.Record(Type.String(), Type.Object({})) }),
    ),
    example: Type.Optional(Type.Object({})),
    needs: Type.Optional(
      Type.Object(
        {
          packages: Type.Optional(Type.Array(Type.String())),
          env: Type.Optional(Type.Array(Type.String())),
          files: Type.Optional(Type.Array(Type.String())),
        },
        { additionalProperties: false },
      ),
    ),
    uses: Type.Optional(Type.Array(Type.String({ pattern: `^(${KINDS.join('|')})(/[a-z0-9-]+)?$` }))),
    guarantees: Type.Optional(
      Type.Object(
        { lossless: Type.Optional(Type.Boolean()), bounded: Type.Optional(Type.Boolean()) },
        { additionalProperties: false },
      ),
    ),
    heavy: Type.Optional(Type.Boolean()),
    models: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  { additionalProperties: false },
);
