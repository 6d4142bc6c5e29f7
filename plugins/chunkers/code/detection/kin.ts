import type { LanguageName } from '../manifest.ts';
import type { Guess } from './model.ts';

/**
 * Distinguishes a language from its superset by constructs of the superset. A script without types is JavaScript unless
 * it looks far more like TypeScript.
 *
 * @param guesses at least one, most likely first
 */
export function amongKin(guesses: readonly Guess[], text: string): LanguageName {
  const { name } = guesses[0] as Guess;
  if (name === 'c') return CPP.test(codeOf(text)) ? 'cpp' : 'c';
  if (name === 'cpp') return LIKE_CPP.test(codeOf(text)) ? 'cpp' : 'c';
  if (name !== 'javascript' && name !== 'typescript' && name !== 'tsx') return name;
  const code = codeOf(text);
  if (name === 'javascript' && !TYPES.test(code)) return 'javascript';
  if (name === 'typescript' && !LIKE_TYPES.test(code) && !isCertain(guesses)) return 'javascript';
  return JSX_START.test(code) && JSX_END.test(code) ? 'tsx' : 'typescript';
}

/** How many times as likely as JavaScript TypeScript must be if no construct decides. */
const CERTAIN = 3;

function isCertain(guesses: readonly Guess[]): boolean {
  const [best] = guesses as readonly [Guess];
  const javascript = guesses.find(({ name }) => name === 'javascript');
  return javascript === undefined || best.probability > CERTAIN * javascript.probability;
}

/** Characters in which constructs are searched. */
const MAX_LENGTH = 100_000;

/** Removes comment lines and quoted text. */
function codeOf(text: string): string {
  return text
    .slice(0, MAX_LENGTH)
    .replace(/^[ \t]*(?:\/\/|\/?\*).*$/gm, '')
    .replace(/"(?:[^"\\\n]|\\.){0,200}"|'(?:[^'\\\n]|\\.){0,200}'|`(?:[^`\\]|\\.){0,1000}`/g, '""');
}

/** Never in C. */
const CPP = anyOf(
  /^[ \t]*(?:template *<|namespace\b|(?:public|private|protected): *$)/,
  /^[ \t]*class \w{1,60}(?: final)? *(?::[^;\n]*)?\{?$/,
  /\b\w{1,60}::~?\w/,
  /^#[ \t]*include <[a-z_]+>/,
  /\b(?:static|dynamic|const|reinterpret)_cast</,
);

/** Rarely in C. */
const LIKE_CPP = anyOf(
  CPP,
  /^[ \t]*class\b/,
  /\w::/,
  /\b(?:auto|bool|nullptr|constexpr|override|virtual|operator|noexcept|using|delete|new|throw)\b/,
  /\w&+ ?\w+[,)]/,
);

/** Never in JavaScript. */
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

/** Rarely in JavaScript. */
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

/** Where an expression, and so an element, may begin; and how elements end. */
const JSX_START = /(?:^|[(=?:,>{]|&&|\|\||\breturn\b)[ \t]*<(?:>|[A-Za-z][\w.]*[ \t\n/>])/m;
const JSX_END = /<\/(?:[A-Za-z][\w.]*)?>|\/>/;

function anyOf(...patterns: readonly RegExp[]): RegExp {
  return new RegExp(patterns.map(({ source }) => source).join('|'), 'm');
}
