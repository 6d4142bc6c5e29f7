/** A JSON Schema as in the served document. */
export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** This option has an effect only if the others have one of these values. */
  readonly 'x-effective-with'?: Readonly<Record<string, readonly unknown[]>>;
}

export type Components = Readonly<Record<string, Schema>>;

/** The schema with references resolved and `allOf` merged. */
export function resolve(schema: Schema, components: Components): Schema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1) as string;
    return resolve(components[name] ?? {}, components);
  }
  const { allOf = [], ...own } = schema;
  const parts = [...allOf.map((part) => resolve(part, components)), own];
  const properties = Object.assign({}, ...parts.map((part) => part.properties));
  const whole = Object.assign({}, ...parts) as Schema;
  return Object.keys(properties).length === 0 ? whole : { ...whole, properties };
}

/** The types that a value may have, except `null`. */
export function typesOf({ type, enum: values }: Schema): readonly string[] {
  if (values !== undefined) return ['enum'];
  return [type ?? []].flat().filter((one) => one !== 'null');
}

/** Whether an option has an effect, given the others. */
export function isEffective(
  schema: Schema,
  properties: Components,
  options: Readonly<Record<string, unknown>>,
): boolean {
  const conditions = Object.entries(schema['x-effective-with'] ?? {});
  return conditions.every(([name, values]) => {
    const value = options[name] ?? properties[name]?.default ?? null;
    return values.some((one) => JSON.stringify(one) === JSON.stringify(value));
  });
}
