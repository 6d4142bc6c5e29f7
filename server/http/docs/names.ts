import type { Manifest } from '../../../core/contracts/manifest.ts';

/** How the documentation and generated clients call a plugin, all from its name and kind. */

type Named = Pick<Manifest, 'kind' | 'name'>;

/** In words: `Semantic chunker`. */
export function titleOf({ kind, name }: Named): string {
  const words = `${name.replaceAll('-', ' ')} ${kind}`;
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** What a plugin does, as pages list operations: without a full stop. */
export function purposeOf({ summary }: Manifest): string {
  return summary.replace(/\.$/, '');
}

/** As the name of a type: `SemanticChunker`. */
export function componentName({ kind, name }: Named): string {
  const words = [...name.split('-'), kind];
  return words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** The id of an operation, a verb and what it is about: `chunk_semantic`. */
export function operationId(verb: string, subject: string): string {
  return `${verb}_${subject.replaceAll('-', '_')}`;
}
