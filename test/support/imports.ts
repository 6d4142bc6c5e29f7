/** One import of a source file. */
export interface Import {
  readonly specifier: string;
  /** `static` runs when the file is loaded, `type` never, `lazy` when its function is called. */
  readonly kind: 'static' | 'type' | 'lazy';
}

const STATIC = /^\s*(?:import|export)\s(type\s)?[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm;
const SIDE_EFFECT = /^\s*import\s*['"]([^'"]+)['"]/gm;
const CALL = String.raw`(?:\bimport|(?:import\.meta|require|createRequire\([^)]*\))\.resolve)`;
const LAZY = new RegExp(String.raw`${CALL}\(\s*(['"\`])((?:\\.|(?!\1).)+?)(?:\1|\$\{)`, 'g');
const COMPUTED = /\bimport\(\s*(?!['"`\s])/;

/** The imports that stand in a source text. `import('x')` and `import.meta.resolve('x/y')` are lazy. */
export function importsOf(source: string): Import[] {
  const code = withoutComments(source);
  const found: Import[] = [];
  for (const [, type, specifier = ''] of code.matchAll(STATIC)) {
    found.push({ specifier, kind: type === undefined ? 'static' : 'type' });
  }
  for (const [, specifier = ''] of code.matchAll(SIDE_EFFECT)) found.push({ specifier, kind: 'static' });
  for (const [, , specifier = ''] of code.matchAll(LAZY)) found.push({ specifier, kind: 'lazy' });
  return found;
}

/** Whether a source text imports what only its run can tell. */
export function hasComputedImport(source: string): boolean {
  return COMPUTED.test(withoutComments(source));
}

/** `@scope/name` or `name`; undefined for what is no package. */
export function packageOf(specifier: string): string | undefined {
  if (/^(\.|\/|node:|[a-z]+:)/.test(specifier)) return undefined;
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1];
}

export function withoutComments(source: string): string {
  return source.replace(/^\s*\/\*[\s\S]*?\*\//gm, '').replace(/(^|\s)\/\/.*$/gm, '$1');
}
