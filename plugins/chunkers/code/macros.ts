import type { Span } from '../../../core/kit.ts';

/**
 * Blanks or replaces macros that the grammars of C and C++ cannot parse. Offsets stay the same, so that names can be
 * read from the original text.
 */
export function withoutMacros(text: string): string {
  return [withoutUnbalancedConditions, ...STEPS].reduce((masked, step) => step(masked), text);
}

/** The arguments of a macro, with at most one level of nested parentheses. */
const BRACKETS = String.raw`\((?:[^()]|\([^()]{0,200}\)){0,400}\)`;
const MACRO = '[A-Z][A-Z0-9_]{1,100}';

/** `class SHOP_EXPORT Window : public Base {`: macros between the keyword and the name. */
const CLASS_HEAD = new RegExp(
  String.raw`\b(class|struct|union|enum(?:[ \t]{1,40}(?:class|struct))?)([ \t]{1,40})` +
    String.raw`((?:(?!(?:class|struct|final|alignas|__attribute__|__declspec)\b)[A-Za-z_]\w{0,100}(?:[ \t]{0,20}\([^()\n]{0,80}\))?\s{1,40}){1,3})` +
    String.raw`(?=(?!final\b)[A-Za-z_][\w:]{0,200}(?:<[^<>;{}\n]{0,80}>)?\s{0,40}(?:final\s{0,40})?(?:\{|:(?!:)[^;(){}]{0,400}\{))`,
  'g',
);

/** `signals:` and `public slots:` of Qt. */
const QT =
  /\b(signals|Q_SIGNALS)(?=[ \t]*:(?!:))|\b(public|private|protected)([ \t]+(?:slots|Q_SLOTS))(?=[ \t]*:)/g;

/** `Q_OBJECT`, `G_BEGIN_DECLS`: a macro alone on its line. */
const LINE =
  /^([ \t]{0,100})([A-Z][A-Z0-9_]{0,60}(?:OBJECT|GADGET|DECLS|NAMESPACE_BEGIN|NAMESPACE_END|BEGIN_NAMESPACE|END_NAMESPACE))[ \t]{0,100}\r?$/gm;

/** `MAKE(tea)`: a macro call alone on its line. */
const CALL = new RegExp(
  String.raw`^([ \t]{0,100})(${MACRO})(${BRACKETS})(?=[ \t]{0,100}\r?\n\s{0,400}(?:[A-Za-z_~#}]|\/[/*]))`,
  'gm',
);

/** `TEST_F(Cart, Adds) {` at the beginning of a line: a macro that expands to the head of a function. */
const FUNCTION = new RegExp(
  String.raw`^([A-Z][A-Z0-9]{0,60}_[A-Z0-9_]{1,60}|TEST)(${BRACKETS})(?=\s{0,100}\{)`,
  'gm',
);

const STEPS: readonly ((text: string) => string)[] = [
  (text) =>
    text.replace(
      CLASS_HEAD,
      (_, word: string, space: string, macros: string) => word + space + blank(macros),
    ),
  (text) =>
    text.replace(QT, (all: string, signals: string | undefined, access = '', slots = '') =>
      signals === undefined ? access + blank(slots) : 'public'.padEnd(all.length),
    ),
  (text) =>
    text.replace(LINE, (all: string, space: string, word: string) => {
      return `${space}${word.slice(0, -1)};${all.slice(space.length + word.length)}`;
    }),
  (text) => text.replace(CALL, statement),
  (text) => text.replace(FUNCTION, functionHead),
  withoutAttributes,
];

/** Turns a macro call into a statement: `MAKE     ;`. */
function statement(all: string, space: string, word: string, rest: string, at: number, text: string): string {
  return beginsAnew(text, at) ? `${space}${word}${blank(rest).slice(0, -1)};` : all;
}

/** Turns a macro call into the head of a function: `TEST_F(Cart, Adds)` becomes `v EST_F(          )`. */
function functionHead(all: string, word: string, rest: string, at: number, text: string): string {
  if (!beginsAnew(text, at)) return all;
  return `v ${word.slice(2)}(${blank(rest).slice(1, -1)})`;
}

const MAX_LINE = 400;

/** Whether a new statement can begin at an offset. */
function beginsAnew(text: string, at: number): boolean {
  const start = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
  const line = text.slice(Math.max(start, at - MAX_LINE), at).trim();
  return line === '' || (/^#|^\/\/|^\*|[;{}):/]$/.test(line) && !line.endsWith('\\'));
}

const HEAD =
  /^([ \t]{0,100}(?:extern[ \t]{1,20}"C(?:\+\+)?"[ \t]{1,20})?)((?:[A-Za-z_]\w{0,100}(?:::\w{1,100}|<[^<>;{}()\n]{0,80}>){0,8}(?:[ \t*&]{1,40}(?:\r?\n[ \t]{0,40})?|\r?\n[ \t]{0,40})){1,7})((?:[A-Za-z_]\w{0,100}(?:<[^<>;{}()\n]{0,80}>)?::){0,8}~?[A-Za-z_]\w{0,100})(?=[ \t]{0,20}\()/gm;
const STATEMENT =
  /\b(?:return|else|new|delete|throw|goto|case|typedef|using|sizeof|co_return|operator|do|if|while)\b/;
const QUALIFIER =
  /^(?:static|inline|extern|const|volatile|virtual|constexpr|explicit|friend|register|struct|class|enum|union|typename|mutable|noexcept|consteval|constinit|restrict|__inline|__inline__|__restrict)$/;
const ATTRIBUTE = /^(?:__\w+|[A-Z][A-Z0-9_]+)$/;
const TYPE = /^(?:void|int|char|short|long|signed|unsigned|float|double|bool|auto|size_t|\w+_t)$/;

function withoutAttributes(text: string): string {
  return text.replace(HEAD, (all: string, before: string, head: string, name: string, at: number) => {
    if (STATEMENT.test(head)) return all;
    const words = [...head.matchAll(/[A-Za-z_]\w*(?:::\w+|<[^<>]*>)*/g)];
    const types = words.filter(([word]) => !QUALIFIER.test(word));
    const macros = types.filter(
      ([word]) => ATTRIBUTE.test(word) && !/^__(?:attribute|declspec|asm)/.test(word),
    );
    const spare = types.length - (isConstructor(name) || hasInitializers(text, at + all.length) ? 0 : 1);
    const hasType = types.some(([word]) => TYPE.test(word));
    const blanked = macros.slice(hasType ? 0 : Math.max(0, macros.length - spare));
    return (
      before + blanked.reduce((rest, { 0: word, index }) => withBlank(rest, index, word.length), head) + name
    );
  });
}

function withBlank(text: string, at: number, length: number): string {
  return text.slice(0, at) + ' '.repeat(length) + text.slice(at + length);
}

function isConstructor(name: string): boolean {
  const [inner, outer] = name.split('::').reverse();
  return outer !== undefined && inner?.replace('~', '') === outer.replace(/<.*/, '');
}

const INITIALIZERS = new RegExp(String.raw`[ \t]{0,20}${BRACKETS}\s{0,100}:(?!:)`, 'y');

function hasInitializers(text: string, at: number): boolean {
  INITIALIZERS.lastIndex = at;
  return INITIALIZERS.test(text);
}

const MAX_ARGUMENTS = 3;
const CALL_HEAD = /([A-Za-z_]\w{0,100})\s{0,20}\(\s{0,100}(?:(["'])((?:(?!\2)[^\\\n]){1,200})\2)?/y;
const ARGUMENT = /\s{0,100}([A-Za-z_]\w{0,100})\s{0,100}([,)])/y;

/**
 * The name of a function that a macro call defines: the first argument if that is a string, otherwise the macro with
 * its one-word arguments.
 */
export function macroName(text: string, at: number): string | undefined {
  CALL_HEAD.lastIndex = at;
  const [head, macro, , string] = CALL_HEAD.exec(text) ?? [];
  if (head === undefined || string !== undefined) return string;
  const names: string[] = [];
  ARGUMENT.lastIndex = at + head.length;
  while (names.length < MAX_ARGUMENTS) {
    const [, name, sign] = ARGUMENT.exec(text) ?? [];
    if (name === undefined) break;
    names.push(name);
    if (sign !== ',') break;
  }
  return `${macro}(${names.join(', ')})`;
}

/** Directives and braces, and the comments and strings that may contain braces. */
const TOKEN =
  /^[ \t]{0,200}#[ \t]{0,100}(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b|\/\/|\/\*|["'{}]/gm;

interface Branch {
  readonly start: number;
  /** Where the directive that begins the branch ends. */
  readonly body: number;
  end: number;
  /** Number of opening braces in the branch, minus the closing braces. */
  depth: number;
  lowest: number;
}

type Condition = [Branch, ...Branch[]];

function blank(text: string): string {
  return text.replace(/[^\r\n]{1,1000}/g, (line) => ' '.repeat(line.length));
}

/**
 * In a condition with unbalanced braces, blanks the directives and all branches except the first. Grammars cannot parse
 * blocks of braces that overlap conditions.
 */
function withoutUnbalancedConditions(text: string): string {
  const blanks = unbalanced(text).sort((a, b) => a.start - b.start);
  let masked = '';
  let covered = 0;
  for (const { start, end } of blanks) {
    if (end <= covered) continue;
    const from = Math.max(start, covered);
    masked += text.slice(covered, from) + blank(text.slice(from, end));
    covered = end;
  }
  return masked + text.slice(covered);
}

function unbalanced(text: string): Span[] {
  const open: Condition[] = [];
  const blanks: Span[] = [];
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const { 0: token, 1: directive, index } = match;
    TOKEN.lastIndex = endOf(text, token, directive, TOKEN.lastIndex);
    const condition = open.at(-1);
    const branch = { start: index, body: TOKEN.lastIndex, end: index, depth: 0, lowest: 0 };
    if (directive?.startsWith('if')) open.push([branch]);
    else if (condition !== undefined && directive === undefined) count(condition.at(-1) as Branch, token);
    else if (condition !== undefined) {
      (condition.at(-1) as Branch).end = index;
      if (directive === 'endif') blanks.push(...close(open, TOKEN.lastIndex, text));
      else condition.push(branch);
    }
  }
  return blanks;
}

function endOf(text: string, token: string, directive: string | undefined, from: number): number {
  if (directive !== undefined) return endOfDirective(text, from);
  if (token === '//') return orEnd(text.indexOf('\n', from), text);
  if (token === '/*') return orEnd(text.indexOf('*/', from), text);
  return token === '"' || token === "'" ? endOfString(text, token, from) : from;
}

function orEnd(offset: number, text: string): number {
  return offset === -1 ? text.length : offset;
}

function endOfDirective(text: string, from: number): number {
  let at = orEnd(text.indexOf('\n', from), text);
  while (at < text.length && /\\\r?$/.test(text.slice(at - 2, at)))
    at = orEnd(text.indexOf('\n', at + 1), text);
  return at;
}

const END = /["'\\\n]/g;

/** The end of a string: after its quotation mark, or at a line break. */
function endOfString(text: string, quote: string, from: number): number {
  END.lastIndex = from;
  for (let match = END.exec(text); match !== null; match = END.exec(text)) {
    if (match[0] === '\n') return match.index;
    if (match[0] === quote) return match.index + 1;
    if (match[0] === '\\') END.lastIndex = match.index + 2;
  }
  return text.length;
}

function count(branch: Branch, token: string): void {
  if (token === '{') branch.depth++;
  else if (token === '}') branch.lowest = Math.min(branch.lowest, --branch.depth);
}

/** Ends a condition; only its first branch counts for the enclosing branch. @returns the stretches to blank */
function close(open: Condition[], end: number, text: string): Span[] {
  const branches = open.pop() as Condition;
  const [first, second] = branches;
  const around = open.at(-1)?.at(-1);
  if (around !== undefined) {
    around.lowest = Math.min(around.lowest, around.depth + first.lowest);
    around.depth += first.depth;
  }
  const isBalanced = branches.every(({ depth, lowest }) => depth === 0 && lowest === 0);
  if (isBalanced && !isHead(text, first, end)) return [];
  return [
    { start: first.start, end: first.body },
    { start: second?.start ?? first.end, end },
  ];
}

/** Whether a branch ends with the head of a function whose body follows the condition. */
function isHead(text: string, { body, end }: Branch, after: number): boolean {
  const isOpen = /\)\s{0,20}$/.test(text.slice(Math.max(body, end - 24), end));
  return isOpen && /^\s{0,20}\{/.test(text.slice(after, after + 24));
}
