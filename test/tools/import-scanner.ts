import { type DynamicImport, parse } from 'es-module-lexer';

/** One import of a source text. */
export interface Import {
  readonly specifier: string;
  /** `static` runs when the file is loaded, `type` never, `lazy` when the code around it runs. */
  readonly kind: 'static' | 'type' | 'lazy';
}

/**
 * The imports of a JavaScript or TypeScript source text, excluding comments and strings. `import('x')`,
 * `require('x')` and `import.meta.resolve('x')` are lazy. The specifier of a template literal is the part before its
 * first `${`; imports of computed names are left out.
 *
 * @throws Error if the text is not a module
 */
export function importsOf(source: string): Import[] {
  // The lexer knows only `import()`, so the other calls are spelt like it, and marked by odd spaces.
  const text = source.replace(CALL, MARK);
  const imports = parse(text)[0].flatMap((one): Import[] => {
    if (one.type === 'import-meta') return [];
    if (one.type !== 'dynamic') return [{ specifier: one.specifier, kind: one.typeOnly ? 'type' : 'static' }];
    const isType = one.probablyTypeOnly && !text.startsWith(MARK, one.importStart);
    return [{ specifier: literalStart(one), kind: isType ? 'type' : 'lazy' }];
  });
  return imports.filter(({ specifier }) => specifier !== '');
}

/** `@scope/name` or `name`; undefined for paths, URLs and built-in modules. */
export function packageOf(specifier: string): string | undefined {
  if (/^(\.|\/|node:|[a-z]+:)/.test(specifier)) return undefined;
  return /^(@[^/]+\/[^/]+|[^/]+)/.exec(specifier)?.[1];
}

/** A call that resolves a module as `import()` does. */
const CALL =
  /(?<![.\w$])(?:(?:import\.meta|require|createRequire\([^()]*\))\.resolve|require)\((?=\s*['"`])/g;
const MARK = 'import \t (';

/** The literal part of a specifier; empty if it is computed. */
function literalStart({ specifier = '', glob }: DynamicImport): string {
  return glob ? specifier.slice(0, specifier.indexOf('*')) : specifier;
}
