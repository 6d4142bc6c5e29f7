/** Data types that the modules of the page share. Offsets count UTF-16 units of the text. */

export interface Chunk {
  readonly text: string;
  readonly start_index: number;
  readonly end_index: number;
  readonly token_count: number;
  readonly [field: string]: unknown;
}

export interface Place {
  readonly page?: number;
  /** Edges as fractions of the page's width or height. */
  readonly box?: readonly [left: number, top: number, right: number, bottom: number];
  /** In seconds, like `end_time`. */
  readonly start_time?: number;
  readonly end_time?: number;
  readonly speaker?: string;
  readonly sheet?: string;
  readonly cells?: string;
  readonly cell?: number;
  readonly image?: number;
}

export interface Hit {
  readonly chunk: number;
  readonly score: number;
}

export type Options = Readonly<Record<string, unknown>>;

/** A plugin with its options. For a stored pipeline, `name` is its id and `options` is empty. */
export interface Step {
  readonly kind: 'chunker' | 'refinery' | 'pipeline';
  readonly name: string;
  readonly options: Options;
}

export interface Setting {
  readonly id: string;
  readonly steps: readonly Step[];
}

export interface Run {
  /** Whether the chunks are outdated: the text or the options have changed, and the setting runs again. */
  readonly isStale: boolean;
  readonly chunks: readonly Chunk[];
  /** Duration of the run in milliseconds. */
  readonly milliseconds: number;
  readonly reports: Readonly<Record<string, string>>;
  /** Why the run failed; undefined if it succeeded. The message may begin with the name of an invalid option. */
  readonly error: string | undefined;
}

export const NO_RUN: Run = {
  isStale: false,
  chunks: [],
  milliseconds: 0,
  reports: {},
  error: undefined,
};

/** Whether a run has a result to show, even an outdated one: false if it failed or the first result is pending. */
export function isKnown({ chunks, error, isStale }: Run): boolean {
  return error === undefined && (!isStale || chunks.length > 0);
}

export type Unit = 'code_point' | 'utf16' | 'byte';

export const MAX_SETTINGS = 4;
export const LETTERS = ['A', 'B', 'C', 'D'] as const;

export function limitOf({ steps }: Setting): number | undefined {
  const size = steps[0]?.options.chunk_size;
  return typeof size === 'number' ? size : undefined;
}

export interface Plugin {
  readonly kind: 'chunker' | 'refinery';
  readonly name: string;
  readonly summary: string;
  readonly missing: readonly string[];
  readonly options: Components;
  readonly example: Readonly<Record<string, unknown>> | undefined;
}

interface PipelineStep {
  readonly type: string;
  readonly chunker: string | null;
  readonly refinery: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}

export interface Pipeline {
  readonly id: string;
  readonly name: string;
  readonly config: { readonly steps: readonly PipelineStep[] };
}

export interface Preset {
  readonly name: string;
  readonly steps: readonly PipelineStep[];
  readonly missing: readonly string[];
}

export interface Catalogue {
  readonly presets: readonly Preset[];
  readonly plugins: readonly Plugin[];
  readonly pipelines: readonly Pipeline[];
  readonly tokenizers: readonly string[];
  readonly models: readonly string[];
  /** The service's default embedding model, or the first model if the default is not available; may be empty. */
  readonly model: string;
}

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
  /** The option has an effect only if each of these options has one of the listed values. */
  readonly 'x-effective-with'?: Readonly<Record<string, readonly unknown[]>>;
}

export type Components = Readonly<Record<string, Schema>>;

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

export function typesOf({ type, enum: values }: Schema): readonly string[] {
  if (values !== undefined) return ['enum'];
  return [type ?? []].flat().filter((one) => one !== 'null');
}

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
