import type { Manifest } from '../../../core/contracts/manifest.ts';
import type { LeftOut, ReadFile } from '../../../core/contracts/reader.ts';
import { brokenPromise } from '../../../core/engine/chunking.ts';

const NAME = /^[a-z][a-z0-9_]{0,63}$/;

/** What a reader left out. @throws ServiceError `broken_promise` if that cannot be counted */
export function leftOutOf(manifest: Pick<Manifest, 'kind' | 'name'>, { leftOut }: ReadFile): LeftOut {
  for (const [name, count] of Object.entries(leftOut ?? {})) {
    if (!NAME.test(name)) throw brokenPromise(manifest, `leftOut has a name not in snake_case: ${name}`);
    if (!Number.isSafeInteger(count) || count < 1)
      throw brokenPromise(manifest, `leftOut has a count that is not a positive integer: ${name}`);
  }
  return leftOut ?? {};
}

/** The sums, by name. */
export function addLeftOut(one: LeftOut, other: LeftOut): LeftOut {
  const sums = new Map(Object.entries(one));
  for (const [name, count] of Object.entries(other)) sums.set(name, (sums.get(name) ?? 0) + count);
  return Object.fromEntries(sums);
}

/** `note 2; repeated_line 12`, or nothing. */
export function leftOutInWords(leftOut: LeftOut): string {
  const sorted = Object.entries(leftOut).sort(([one], [other]) => (one < other ? -1 : 1));
  return sorted.map(([name, count]) => `${name} ${count}`).join('; ');
}
