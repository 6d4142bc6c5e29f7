import { blank, maskedConditions } from './conditions.ts';

/**
 * C and C++ as its grammar can read it: macros that stand where the language has none are blanked, line by line and
 * character by character, so that all offsets stay. The names that are sliced from the text itself are not changed.
 */
export function withoutMacros(text: string): string {
  return [maskedConditions, ...STEPS].reduce((masked, step) => step(masked), text);
}

type Step = (text: string) => string;

/** What a macro can have in brackets, on a few lines. */
const BRACKETS = String.raw`\((?:[^()]|\([^()]{0,200}\)){0,400}\)`;
const MACRO = '[A-Z][A-Z0-9_]{1,100}';

/** `class SHOP_EXPORT Window : public Base {`: between the keyword and the name. */
const CLASS_HEAD = new RegExp(
  String.raw`\b(class|struct|union|enum(?:[ \t]{1,40}(?:class|struct))?)([ \t]{1,40})` +
    String.raw`((?:(?!(?:class|struct|final|alignas|__attribute__|__declspec)\b)[A-Za-z_]\w{0,100}(?:[ \t]{0,20}\([^()\n]{0,80}\))?\s{1,40}){1,3})` +
    String.raw`(?=(?!final\b)[A-Za-z_][\w:]{0,200}(?:<[^<>;{}\n]{0,80}>)?\s{0,40}(?:final\s{0,40})?(?:\{|:(?!:)[^;(){}]{0,400}\{))`,
  'g',
);

/** `signals:` and `public slots:` of Qt. */
const QT =
  /\b(signals|Q_SIGNALS)(?=[ \t]*:(?!:))|\b(public|private|protected)([ \t]+(?:slots|Q_SLOTS))(?=[ \t]*:)/g;

/** `Q_OBJECT`, `G_BEGIN_DECLS`: a macro that is a line. */
const LINE =
  /^([ \t]{0,100})([A-Z][A-Z0-9_]{0,60}(?:OBJECT|GADGET|DECLS|NAMESPACE_BEGIN|NAMESPACE_END|BEGIN_NAMESPACE|END_NAMESPACE))[ \t]{0,100}\r?$/gm;

/** `MAKE(tea)`: a call of a macro that is a line, before a line that continues nothing. */
const CALL = new RegExp(
  String.raw`^([ \t]{0,100})(${MACRO})(${BRACKETS})(?=[ \t]{0,100}\r?\n\s{0,400}(?:[A-Za-z_~#}]|\/[/*]))`,
  'gm',
);

/** `TEST_F(Cart, Adds) {`: a function that a macro makes, at the beginning of a line. */
const FUNCTION = new RegExp(
  String.raw`^([A-Z][A-Z0-9]{0,60}_[A-Z0-9_]{1,60}|TEST)(${BRACKETS})(?=\s{0,100}\{)`,
  'gm',
);

const STEPS: readonly Step[] = [
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

/** A statement in place of the call of a macro: `MAKE     ;`. */
function statement(all: string, space: string, word: string, rest: string, at: number, text: string): string {
  return beginsAnew(text, at) ? `${space}${word}${blank(rest).slice(0, -1)};` : all;
}

/** A head that the grammar of C takes for one of a function: `v EST_F(          )`. */
function functionHead(all: string, word: string, rest: string, at: number, text: string): string {
  if (!beginsAnew(text, at)) return all;
  return `v ${word.slice(2)}(${blank(rest).slice(1, -1)})`;
}

/** Maximum characters of a line that are examined. */
const MAX_LINE = 400;

/** Whether nothing before an offset is continued there. */
function beginsAnew(text: string, at: number): boolean {
  const start = at < 2 ? 0 : text.lastIndexOf('\n', at - 2) + 1;
  const line = text.slice(Math.max(start, at - MAX_LINE), at).trim();
  return line === '' || (/^#|^\/\/|^\*|[;{}):/]$/.test(line) && !line.endsWith('\\'));
}

/** The words at the beginning of a declaration, up to the bracket of the parameters. */
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

/** `A::A` and `A::~A`. */
function isConstructor(name: string): boolean {
  const [own, around] = name.split('::').reverse();
  return around !== undefined && own?.replace('~', '') === around.replace(/<.*/, '');
}

const INITIALIZERS = new RegExp(String.raw`[ \t]{0,20}${BRACKETS}\s{0,100}:(?!:)`, 'y');

/** Whether the parameters are followed by those of the base, as in a constructor. */
function hasInitializers(text: string, at: number): boolean {
  INITIALIZERS.lastIndex = at;
  return INITIALIZERS.test(text);
}

const CALL_HEAD = /([A-Za-z_]\w{0,100})\s{0,20}\(\s{0,100}(?:(["'])((?:(?!\2)[^\\\n]){1,200})\2)?/y;
const ARGUMENT = /\s{0,100}([A-Za-z_]\w{0,100})\s{0,100}([,)])/y;

/** The name of a function that a macro makes: its string, or the macro with the arguments that are one word. */
export function macroName(text: string, at: number): string | undefined {
  CALL_HEAD.lastIndex = at;
  const [head, macro, , string] = CALL_HEAD.exec(text) ?? [];
  if (head === undefined || string !== undefined) return string;
  const names: string[] = [];
  ARGUMENT.lastIndex = at + head.length;
  for (let more: string | undefined = ','; more === ',' && names.length < MAX_ARGUMENTS; ) {
    const [, name, sign] = ARGUMENT.exec(text) ?? [];
    if (name !== undefined) names.push(name);
    more = sign;
  }
  return `${macro}(${names.join(', ')})`;
}

/** Arguments of a macro that are part of a name. */
const MAX_ARGUMENTS = 3;
