import type { LanguageName } from '../manifest.ts';

const SCRIPTS: readonly LanguageName[] = ['javascript', 'typescript', 'tsx'];

/** What the first line of code looks like, and the languages that alone have such a line. */
const OPENINGS: readonly (readonly [RegExp, readonly LanguageName[]])[] = [
  [/^import ['"](?:dart:|package:|[^'"\n]+\.dart['"])|^part of /, ['dart']],
  [/^import\s+(?:type\s+)?[\w$*{][^;'"=]{0,2000}?\bfrom\s*['"]|^import ['"]/, SCRIPTS],
  [/^export (?:default|const|let|var|async|function|abstract|interface|declare)\b|^export [*{]/, SCRIPTS],
  [
    /^(?:const|let|var) [\w$, {}:]{1,500} = require\(|^(?:module\.)?exports\b.* = |^['"]use strict['"]/,
    SCRIPTS,
  ],
  [/^#!.*[\s/](?:node|deno|bun|tsx|ts-node)\b/, SCRIPTS],
  [/^!function\b|^Object\.defineProperty\(exports, /, SCRIPTS],
  [/^from \.*[\w.]+ import [\w(*]/, ['python']],
  [
    /^use (?:strict|warnings|utf8|v?5[\d._]*)\b|^package \w+(?:::\w+)+;|^require '[^'\n]+\.p[hl]'|^\+\{/,
    ['perl'],
  ],
  [/^package \w[\w.]*[ \t]*\r?\n/, ['go', 'kotlin', 'scala']],
  [/^=(?:head1|pod|encoding)\b/, ['perl']],
  [/^#!\[\w|^(?:pub )?use (?:crate|core|alloc|self|std|super)::/, ['rust']],
];

/** Characters in which the first line of code is sought. */
const LONGEST = 16_384;
const BEFORE_CODE = /\s+|\/\/.*|\/\*[\s\S]*?\*\/|#(?=[\s#]|$).*/y;

/** The languages of a text by its first line of code, if that line leaves no doubt. */
export function languagesByOpening(text: string): readonly LanguageName[] | undefined {
  const opening = codeOf(text.slice(0, LONGEST));
  return OPENINGS.find(([pattern]) => pattern.test(opening))?.[1];
}

/** What follows the comments at the head of a text; they begin with `//`, `/*` or `#`. */
export function codeOf(head: string): string {
  let at = 0;
  for (let found: RegExpExecArray | null; ; at += found[0].length) {
    BEFORE_CODE.lastIndex = at;
    found = BEFORE_CODE.exec(head);
    if (found === null) return head.slice(at);
  }
}
