import { posix } from 'node:path';
import { ServiceError } from '../../core/errors.ts';
import { suggest } from '../engine/validation/suggest.ts';

/**
 * The error for a path without a route. It suggests the known path that was probably meant, or else names what there
 * is in the same folder, such as the chunkers below `/v1/chunk`.
 *
 * @param root path of the list of what there is
 */
export function notFound(path: string, known: readonly string[], root: string): ServiceError {
  return new ServiceError('not_found', { path, hint: ` ${hintFor(path, known, root)}` });
}

function hintFor(given: string, known: readonly string[], root: string): string {
  const path = given.replace(/(?<=.)\/$/, '');
  const folder = posix.dirname(path);
  const names = namesIn(folder, known);
  const near = names.length === 0 ? nearAsWhole(path, known) : nearIn(folder, posix.basename(path), names);
  if (near !== undefined) return `Did you mean ${near}?`;
  // The files of the documentation are nothing that one would ask for by name.
  const listed = names.filter((one) => !one.includes('.'));
  if (listed.length === 0 || posix.join(folder, '/') === root) return `GET ${root} lists what there is.`;
  return `In ${folder} there ${listed.length === 1 ? 'is' : 'are'} ${listed.join(', ')}.`;
}

/** The last parts of the known paths right in a folder, without parameters. */
function namesIn(folder: string, known: readonly string[]): string[] {
  const paths = known.filter((path) => posix.dirname(path) === folder);
  return paths.map((path) => posix.basename(path)).filter((name) => name !== '' && !name.startsWith('{'));
}

function nearIn(folder: string, name: string, names: readonly string[]): string | undefined {
  const near = suggest(name, names);
  return near && posix.join(folder, near);
}

/** Long paths are alike in most of their letters, so here a few others are enough to mean something else. */
function nearAsWhole(path: string, known: readonly string[]): string | undefined {
  return suggest(path, known, Math.max(2, Math.floor(path.length / 4)));
}
