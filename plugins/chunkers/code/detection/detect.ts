import { matchEnd } from '../../../../core/kit.ts';
import { templateKindOf } from '../../../toolkit/markup/index.ts';
import { findLanguage, LANGUAGES, type Language } from '../languages.ts';
import type { LanguageName } from '../manifest.ts';
import { DIALECTS, type Dialect, findDialect } from '../templates/dialects.ts';
import LINGUIST from './linguist.json' with { type: 'json' };
import { type Guess, type Guesser, loadModel } from './model.ts';

/** The language of a short text if the model finds no likely language. */
const FALLBACK: LanguageName = 'python';
const SHORT = 200;
const UNLIKELY = 0.35;

/**
 * Creates a function that detects a language by a known file name, otherwise by the text. The model and the file names
 * are loaded at the first use.
 */
export function createDetector(): (text: string, fileName?: string) => Promise<Language | Dialect> {
  let guesser: Promise<Guesser> | undefined;
  let languagesOf: ReturnType<typeof indexFileNames> | undefined;

  async function byName(text: string, fileName: string): Promise<Language | Dialect | undefined> {
    languagesOf ??= indexFileNames();
    const languages = languagesOf(fileName);
    const [first] = languages;
    if (first?.name === 'html') return templateOf(text) ?? first;
    return languages.length < 2 ? first : byText(text, languages.filter(isLanguage));
  }

  async function byText(text: string, named?: readonly Language[]): Promise<Language> {
    const obvious = obviousLanguage(text);
    if (obvious !== undefined && named?.includes(obvious) !== false) return obvious;
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

function isLanguage(one: Language | Dialect): one is Language {
  return !('tags' in one);
}

function likeliest(guesses: readonly Guess[], text: string): LanguageName {
  const isUnlikely = (guesses[0] as Guess).probability < UNLIKELY;
  return text.length < SHORT && isUnlikely ? FALLBACK : amongKin(guesses, text);
}

function languageNamed(name: LanguageName): Language {
  return findLanguage(name) as Language;
}

/** Shebang programs and editor modes that differ from the name of their language. */
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

/** Number of characters at the start of a text that are searched for a shebang, a mode line or the like. */
const MAX_HEAD = 2048;
const MAX_JSON_LENGTH = 100_000;

/** The language of a text with an unambiguous beginning: a shebang, an editor's mode line, `<?php`, a doctype. */
function obviousLanguage(text: string): Language | undefined {
  const head = text.slice(0, MAX_HEAD);
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

/** Whether the code begins with `package name`, followed by an import or a declaration that only Go has. */
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
  return RUNS_SCRIPTS.test(program) ? undefined : languageOfProgram(program);
}

const RUNS_SCRIPTS = /\b(?:node|deno|bun|tsx|ts-node)$/;

const MODE_LINES = [
  /-\*-\s*(?:.*;\s*)?mode:\s*([\w+-]+?)(?:-mode)?\s*(?:;.*)?-\*-/i,
  /-\*-\s*([\w+-]+?)(?:-mode)?\s*-\*-/,
  /\bvim?:.*\b(?:ft|filetype|syntax)=([\w+-]+)/,
];
const MAX_MODE_LINE = 5;

function fromModeLine(head: string): Language | undefined {
  for (const line of head.split('\n', MAX_MODE_LINE)) {
    for (const pattern of MODE_LINES) {
      const mode = line.length < MAX_HEAD ? pattern.exec(line)?.[1] : undefined;
      if (mode !== undefined) return languageOfProgram(mode);
    }
  }
  return undefined;
}

function languageOfProgram(program: string): Language | undefined {
  const name = program.toLowerCase();
  return findLanguage(OTHER_NAMES.get(name) ?? name) ?? findLanguage(name.replace(/[\d.]+$/, ''));
}

const SCRIPTS: readonly LanguageName[] = ['javascript', 'typescript', 'tsx'];

/** Patterns of the first line of code, each with the languages in which such a line may occur. */
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

const MAX_OPENING = 16_384;
const BEFORE_CODE = /\s+|\/\/.*|\/\*[\s\S]*?\*\/|#(?=[\s#]|$).*/y;

function languagesByOpening(text: string): readonly LanguageName[] | undefined {
  const opening = codeOf(text.slice(0, MAX_OPENING));
  return OPENINGS.find(([pattern]) => pattern.test(opening))?.[1];
}

/** Removes the comments (`//`, `/*`, `#`) at the start of a text. */
function codeOf(head: string): string {
  let start = 0;
  for (let end = 0; end !== -1; end = matchEnd(BEFORE_CODE, head, start)) start = end;
  return head.slice(start);
}

/**
 * Distinguishes C from C++ and JavaScript from TypeScript by constructs that the smaller language lacks. A text without
 * such constructs is JavaScript, unless TypeScript is far more likely.
 *
 * @param guesses at least one, most likely first
 */
function amongKin(guesses: readonly Guess[], text: string): LanguageName {
  const { name } = guesses[0] as Guess;
  if (name === 'c') return CPP.test(withoutQuotes(text)) ? 'cpp' : 'c';
  if (name === 'cpp') return LIKE_CPP.test(withoutQuotes(text)) ? 'cpp' : 'c';
  if (name !== 'javascript' && name !== 'typescript' && name !== 'tsx') return name;
  const code = withoutQuotes(text);
  if (name === 'javascript' && !TYPES.test(code)) return 'javascript';
  if (name === 'typescript' && !LIKE_TYPES.test(code) && !isCertain(guesses)) return 'javascript';
  return JSX_START.test(code) && JSX_END.test(code) ? 'tsx' : 'typescript';
}

/** Without a deciding construct, TypeScript must be this many times as likely as JavaScript. */
const CERTAIN = 3;

function isCertain(guesses: readonly Guess[]): boolean {
  const [best] = guesses as readonly [Guess];
  const javascript = guesses.find(({ name }) => name === 'javascript');
  return javascript === undefined || best.probability > CERTAIN * javascript.probability;
}

const MAX_SEARCHED = 100_000;

function withoutQuotes(text: string): string {
  return text
    .slice(0, MAX_SEARCHED)
    .replace(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '')
    .replace(/"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'|`(?:[^`\\]|\\.){0,1000}`/g, '""');
}

/** Constructs that C lacks. */
const CPP = anyOf(
  /^[ \t]*(?:template *<|namespace\b|(?:public|private|protected): *$)/,
  /^[ \t]*class \w{1,60}(?: final)? *(?::[^;\n]*)?\{?$/,
  /\b\w{1,60}::~?\w/,
  /^#[ \t]*include <[a-z_]+>/,
  /\b(?:static|dynamic|const|reinterpret)_cast</,
);

/** Constructs that are rare in C. */
const LIKE_CPP = anyOf(
  CPP,
  /^[ \t]*class\b/,
  /\w::/,
  /\b(?:auto|bool|nullptr|constexpr|override|virtual|operator|noexcept|using|delete|new|throw)\b/,
  /\w&+ ?\w+[,)]/,
);

/** Constructs that JavaScript lacks. */
const TYPES = anyOf(
  /^[ \t]*(?:export )?(?:default )?(?:declare )?interface \w+[^;{}()]{0,200}\{/,
  /^[ \t]*(?:export )?(?:declare )?type \w+(?:<[^;=\n]{0,200})? *=/,
  /^[ \t]*(?:export )?(?:declare )?(?:(?:const )?enum|namespace) [\w.]+ *\{/,
  /^[ \t]*(?:export )?(?:declare |abstract class )/,
  /^(?:import|export) type /,
  /[\w)}\]] as (?:const|any|unknown|keyof|typeof)\b/,
  /\w: (?:Array|Promise|Record|Map|Set)<\w/,
  /[\w)\]?]: (?:string|number|boolean|void|any|unknown|never)(?:\[\])? *(?:[,;)=|{}]|$)/,
  /^[ \t]*(?:private|public|protected|readonly) \w/,
);

/** Constructs that are rare in JavaScript. */
const LIKE_TYPES = anyOf(
  TYPES,
  /\b(?:abstract|implements|satisfies|declare|readonly|keyof|infer)\b/,
  /(?<!\* |[{,]\s*\w{1,60} )\bas (?:[A-Z{]|any|unknown|never|string|number|boolean)/,
  /\(\{?\w+\??: [\w[({]/,
  /\(\w+, \w+: [A-Za-z[({]/,
  /[)}]: [A-Za-z_[{(]/,
  /\b(?:const|let|var) \w+: /,
  /^[ \t]+(?!default\b)\w+[?!]?: [^,\n]*;$/,
  /\w<(?:\w+(?:\[\])?>\(|\w+ extends |\w+, \w+>)/,
  /\b(?:Promise|Record|Array|Map|Set|Partial|Readonly)</,
  /[\w)\]]![.;,)[]/,
);

/** The start of a JSX element, where an expression may begin. */
const JSX_START = /(?:^|[(=?:,>{]|&&|\|\||\breturn\b)[ \t]*<(?:>|[A-Za-z][\w.]*[ \t\n/>])/m;
const JSX_END = /<\/(?:[A-Za-z][\w.]*)?>|\/>/;

function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'm');
}

/** Extensions (with the dot) and file names by language of linguist, from `write-linguist.ts` of the tests. */
const NAMES: Readonly<Record<string, string>> = LINGUIST;

/** Creates a function that finds the languages of a file name: several for `.h`, none if unknown. */
export function indexFileNames() {
  const names = new Map<string, Set<Language | Dialect>>();
  for (const language of [...LANGUAGES, ...DIALECTS]) {
    for (const name of (NAMES[language.name] as string).split(' ')) {
      names.set(name, (names.get(name) ?? new Set()).add(language));
    }
  }
  return (fileName: string): readonly (Language | Dialect)[] => [...(entryOf(names, fileName) ?? [])];
}

/** Looks up the whole file name, then its extensions, longest first. */
function entryOf<Entry>(names: ReadonlyMap<string, Entry>, fileName: string): Entry | undefined {
  const name = (fileName.split(/[/\\]/).at(-1) as string).toLowerCase();
  for (let at = 0; at >= 0; at = name.indexOf('.', at + 1)) {
    const entry = names.get(name.slice(at));
    if (entry !== undefined) return entry;
  }
  return undefined;
}
