import t from 'tap';
import { needs } from '../../support/here.ts';
import { formWithText, readOpenApi } from '../../support/openapi.ts';
import { startServer } from '../../support/server.ts';

interface Property {
  readonly anyOf: readonly { readonly maxItems?: number; readonly maxLength?: number }[];
  readonly maxItems: number;
}

t.test(
  'limits on delimiters and steps can be raised, and OpenAPI follows',
  needs('chunker/sentence'),
  async (t) => {
    const raised = { maxDelimiters: 300, maxDelimiterCharacters: 250, maxSteps: 150 };
    for (const [limits, most] of [
      [{}, { maxDelimiters: 100, maxDelimiterCharacters: 100, maxSteps: 100 }],
      [raised, raised],
    ] as const) {
      const { post, get } = await startServer(t, limits);
      const delimiters = (count: number) => Array.from({ length: count }, (_, index) => `.${index}`);
      const step = { type: 'chunk', chunker: 'token', config: {} };
      for (const [extra, status] of [
        [0, 200],
        [1, 400],
      ] as const) {
        const cases = [
          ['/v1/chunk/sentence', { text: 'a', delim: delimiters(most.maxDelimiters + extra) }],
          ['/v1/chunk/sentence', { text: 'a', delim: ['x'.repeat(most.maxDelimiterCharacters + extra)] }],
          ['/v1/chunk/sentence', { text: 'a', delim: 'x'.repeat(most.maxDelimiterCharacters + extra) }],
          ['/v1/pipelines', { name: `p${extra}`, steps: new Array(most.maxSteps + extra).fill(step) }],
        ] as const;
        for (const [path, body] of cases) {
          const answer = await post(path, body);
          t.equal(
            answer.status,
            path === '/v1/pipelines' && status === 200 ? 201 : status,
            `${path} ${extra}`,
          );
        }
      }
      const document = await readOpenApi({ get });
      const schemaOf = (path: string) => {
        const body = document.paths[path]?.post?.requestBody?.content['application/json']?.schema;
        return formWithText(body ?? {}) as unknown as {
          properties: Record<string, Property>;
        };
      };
      const { anyOf } = schemaOf('/v1/chunk/sentence').properties.delim as Property;
      t.ok(anyOf.some(({ maxItems }) => maxItems === most.maxDelimiters));
      t.ok(anyOf.some(({ maxLength }) => maxLength === most.maxDelimiterCharacters));
      t.equal(schemaOf('/v1/pipelines').properties.steps?.maxItems, most.maxSteps);
    }
  },
);
