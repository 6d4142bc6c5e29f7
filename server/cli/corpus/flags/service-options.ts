import type { ObjectSchema } from '../../../../core/contracts/manifest.ts';

/** The part of a service's description of itself that is read here. */
export interface OpenApi {
  readonly paths: Readonly<Record<string, { readonly post?: Operation }>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

interface Operation {
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

type Components = OpenApi['components']['schemas'];

/** The members of a route's request that are not what is chunked; undefined if there is no such route. */
export function serviceOptions({ paths, components }: OpenApi, path: string): ObjectSchema | undefined {
  const schema = paths[path]?.post?.requestBody?.content['application/json']?.schema;
  if (schema === undefined) return undefined;
  const { text, documents, ...properties } = propertiesOf(schema, components.schemas);
  return { type: 'object', properties };
}

/** The members that a value may have in one way or another. */
function propertiesOf(schema: Schema, components: Components): Record<string, Schema> {
  const { anyOf = [], properties = {} } = whole(schema, components);
  const members = Object.entries(properties).map(([name, one]) => [name, whole(one, components)]);
  return Object.assign({}, ...anyOf.map((one) => propertiesOf(one, components)), Object.fromEntries(members));
}

/** A schema with what it refers to, and what it is put together of. */
function whole({ $ref, allOf = [], ...own }: Schema, components: Components): Schema {
  const name = $ref?.split('/').at(-1);
  const parts = allOf.map((part) => whole(part, components));
  const target = components[name ?? ''];
  if (target !== undefined) parts.push(whole(target, components));
  const properties = Object.assign({}, ...parts.map((part) => part.properties), own.properties);
  const hasMembers = Object.keys(properties).length > 0;
  return Object.assign({}, ...parts, own, hasMembers && { properties });
}
