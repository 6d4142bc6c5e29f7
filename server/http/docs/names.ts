import type { Manifest } from '../../../core/contracts/manifest.ts';

/** The names of a plugin in the documentation and in generated clients, derived from its name and kind. */

type Named = Pick<Manifest, 'kind' | 'name'>;

/** A plugin's summary in the style of operation lists: without a full stop. */
export function purposeOf({ summary }: Manifest): string {
  return summary.replace(/\.$/, '');
}

/** As the name of a type: `SemanticChunker`. */
export function componentName({ kind, name }: Named): string {
  const words = [...name.split('-'), kind];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The id of an operation, a verb and its object: `chunk_semantic`. */
export function operationId(verb: string, subject: string): string {
  return `${verb}_${subject.replaceAll('-', '_')}`;
}
