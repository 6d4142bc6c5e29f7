import { templateKindOf } from '../../../toolkit/markup/index.ts';
import { findLanguage, type Language } from '../languages.ts';
import type { LanguageName } from '../manifest.ts';
import { type Dialect, findDialect } from '../templates/dialects.ts';
import { indexFileNames, type LanguagesOf } from './file-names.ts';
import { amongKin } from './kin.ts';
import { type Guess, type Guesser, loadModel } from './model.ts';

/** The language of short texts that resemble none: shorter, and less likely, than this. */
const FALLBACK: LanguageName = 'python';
const SHORT = 200;
const UNLIKELY = 0.35;

/**
 * Creates what finds the language of a text, by its file name if that is known, else by the text alone. The model and
 * the table of file names are loaded at first use.
 */
export function createDetector(): (text: string, fileName?: string) => Promise<Language | Dialect> {
  let guesser: Promise<Guesser> | undefined;
  let languagesOf: LanguagesOf | undefined;

  async function byName(text: string, fileName: string): Promise<Language | Dialect | undefined> {
    languagesOf ??= indexFileNames();
    const found = languagesOf(fileName);
    const [first] = found;
    if (first?.name === 'html') return templateOf(text) ?? first;
    return found.length < 2 ? first : byText(text, found.filter(isLanguage));
  }

  async function byText(text: string, named?: readonly Language[]): Promise<Language> {
    const seen = languageAtSight(text);
    if (seen !== undefined && named?.includes(seen) !== false) return seen;
    const among = named ?? languagesByOpening(text)?.map(languageNamed);
    guesser ??= loadModel();
    const guesses = (await guesser)(text);
    if (among === undefined) return languageNamed(likeliest(guesses, text));
    const possible = guesses.filter(({ name }) => among.includes(languageNamed(name)));
    const kin = languageNamed(amongKin(possible, text));
    return among.includes(kin) ? kin : languageNamed((possible[0] as Guess).name);
  }

  return async (text, fileName) =>
    (fileName === undefined ? undefined : await byName(text, fileName)) ?? templateOf(text) ?? byText(text);
}

function templateOf(text: string): Dialect | undefined {
  return findDialect(templateKindOf(text) ?? '');
}

function isLanguage(found: Language | Dialect): found is Language {
  return !('tags' in found);
}

function likeliest(guesses: readonly Guess[], text: string): LanguageName {
  const isUnlikely = (guesses[0] as Guess).probability < UNLIKELY;
  return text.length < SHORT && isUnlikely ? FALLBACK : amongKin(guesses, text);
}

function languageNamed(name: LanguageName): Language {
  return findLanguage(name) as Language;
}

/** Programs in shebangs and modes of editors that are not named like their language. */
const OTHER_NAMES: ReadonlyMap<string, LanguageName> = new Map([
  ['rscript', 'r'],
  ['runghc', 'haskell'],
  ['shell-script', 'bash'],
  ['ksh', 'bash'],
  ['dash', 'bash'],
  ['cperl', 'perl'],
  ['js2', 'javascript'],
  ['gfm', 'markdown'],
]);

/** Characters in which an obvious hint is searched. */
const SIGHT = 2048;
/** Characters of a text that is parsed to see whether it is JSON. */
const MAX_JSON_LENGTH = 100_000;

/** The language of a text with an unambiguous beginning: a shebang, an editor's mode line, `<?php`, a doctype. */
function languageAtSight(text: string): Language | undefined {
  const head = text.slice(0, SIGHT);
  return fromShebang(head) ?? fromModeLine(head) ?? findLanguage(byBeginning(head, text) ?? '');
}

function byBeginning(head: string, text: string): LanguageName | undefined {
  const start = head.trimStart().toLowerCase();
  if (start.startsWith('<?php') || start.startsWith('<?=')) return 'php';
  if (/^(<\?xml[^>]*>\s*)?(<!--(?:(?!-->)[\s\S])*-->\s*)*<(!doctype html|html)\b/.test(start)) {
    return text.slice(0, MAX_JSON_LENGTH).includes('<?php') ? 'php' : 'html';
  }
  if (start.startsWith('%yaml ')) return 'yaml';
  if (/^\/\/\/ *<reference (?:no-default-lib|lib)=/m.test(head)) return 'typescript';
  if (isGo(head)) return 'go';
  if (/^return <<'\w+';\r?$/m.test(head)) return 'perl';
  if ((start[0] === '{' || start[0] === '[') && isJson(text)) return 'json';
  return undefined;
}

/**
 * `package name` on a line of its own before everything but comments, and an import or declaration that only Go has.
 */
function isGo(head: string): boolean {
  const [, rest = ''] = /^package \w+\s*(?:\/\/.*)?\n([\s\S]*)/.exec(codeOf(head)) ?? [];
  return /^(import (\(|(\w+ )?")|func (\(\w* ?\*?\w+\) )?\w+\(|type \w+ (struct|interface)\b)/m.test(rest);
}

function isJson(text: string): boolean {
  if (text.length > MAX_JSON_LENGTH) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function fromShebang(head: string): Language | undefined {
  const [, path = '', argument = ''] = /^\uFEFF?#!\s*(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(head) ?? [];
  const program = (path.endsWith('/env') ? argument : path).split('/').at(-1) ?? '';
  return RUNS_SCRIPTS.test(program) ? undefined : named(program);
}

/** Programs that run both JavaScript and TypeScript. */
const RUNS_SCRIPTS = /\b(?:node|deno|bun|tsx|ts-node)$/;

const MODE_LINES = [
  /-\*-\s*(?:.*;\s*)?mode:\s*([\w+-]+?)(?:-mode)?\s*(?:;.*)?-\*-/i,
  /-\*-\s*([\w+-]+?)(?:-mode)?\s*-\*-/,
  /\bvim?:.*\b(?:ft|filetype|syntax)=([\w+-]+)/,
];
const MODE_LINES_WITHIN = 5;

function fromModeLine(head: string): Language | undefined {
  for (const line of head.split('\n', MODE_LINES_WITHIN)) {
    for (const pattern of MODE_LINES) {
      const mode = line.length < SIGHT ? pattern.exec(line)?.[1] : undefined;
      if (mode !== undefined) return named(mode);
    }
  }
  return undefined;
}

function named(program: string): Language | undefined {
  const name = program.toLowerCase();
  return findLanguage(OTHER_NAMES.get(name) ?? name) ?? findLanguage(name.replace(/[\d.]+$/, ''));
}

const SCRIPTS: readonly LanguageName[] = ['javascript', 'typescript', 'tsx'];

/** Patterns of the first line of code, and the only languages that have such a line. */
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

/** Characters in which the first line of code is searched. */
const MAX_LENGTH = 16_384;
const BEFORE_CODE = /\s+|\/\/.*|\/\*[\s\S]*?\*\/|#(?=[\s#]|$).*/y;

/** The languages of a text by its first line of code, if that line is unambiguous. */
function languagesByOpening(text: string): readonly LanguageName[] | undefined {
  const opening = codeOf(text.slice(0, MAX_LENGTH));
  return OPENINGS.find(([pattern]) => pattern.test(opening))?.[1];
}

/** What follows the comments at the head of a text; they begin with `//`, `/*` or `#`. */
function codeOf(head: string): string {
  let at = 0;
  for (let found: RegExpExecArray | null; ; at += found[0].length) {
    BEFORE_CODE.lastIndex = at;
    found = BEFORE_CODE.exec(head);
    if (found === null) return head.slice(at);
  }
}
