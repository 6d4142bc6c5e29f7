import type { Read } from './option.ts';

const NAME = /^(?:@[a-z0-9~-][a-z0-9._~-]*\/)?[a-z0-9~-][a-z0-9._~-]*$/;

/** Reads the name of an npm package, without a version. */
export function readPackageName(text: string): Read<string> {
  if (NAME.test(text)) return { value: text };
  return { expected: 'the name of an npm package; a folder is given to --plugins-dir' };
}
