import type { Manifest } from '../../../core/contracts/manifest.ts';

/** The parts of an OpenAPI document that the modules of this folder use. */

export type Schema = Readonly<Record<string, unknown>>;

export interface Header {
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: unknown;
}

export interface Media {
  schema: Schema;
  example?: unknown;
  examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

export interface Response {
  readonly description: string;
  headers?: Record<string, Header | Reference>;
  readonly content?: Record<string, Media>;
}

export type Reference = { readonly $ref: string };

export interface Parameter {
  readonly name: string;
  readonly in: string;
  schema: Schema;
}

export interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: readonly string[];
  parameters?: readonly (Parameter | Reference)[];
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> };
  readonly responses: Record<string, Response | Reference>;
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: Components;
}

export interface Components {
  readonly schemas: Record<string, Schema>;
  responses?: Record<string, Response>;
  headers?: Record<string, Header>;
  parameters?: Record<string, Parameter>;
}

export function operationsOf({ paths }: Document): Operation[] {
  return Object.values(paths).flatMap((operations) => Object.values(operations));
}

type Named = Pick<Manifest, 'kind' | 'name'>;

/** A plugin's summary without its full stop, for lists of operations. */
export function purposeOf({ summary }: Manifest): string {
  return summary.replace(/\.$/, '');
}

/** A plugin's name for components of the document: `SemanticChunker`. */
export function componentName({ kind, name }: Named): string {
  const words = [...name.split('-'), kind];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The id of an operation, a verb and its object: `chunk_semantic`. */
export function operationId(verb: string, subject: string): string {
  return `${verb}_${subject.replaceAll('-', '_')}`;
}
