import type { Node } from 'web-tree-sitter';
import { findLanguage, LANGUAGES, type Language } from './languages.ts';
import type { LanguageName } from './manifest.ts';
import type { Parsers } from './parsers.ts';

/** Finds the language of a text: by its shebang, else by the grammar that fits its head best among the likeliest. */
export type Detect = (text: string, signal: AbortSignal) => Promise<Language>;

/** Characters that the grammars vote on. */
const HEAD = 8192;
const MOST_CANDIDATES = 5;
/** Characters of a line that is searched for hints. */
const LONGEST_LINE = 999;
/** Milliseconds that the parse of one candidate may take. */
const BUDGET = 500;
const FALLBACK: LanguageName = 'python';

/** What is frequent in code of a language and rare elsewhere. Each line that matches counts once. */
const HINTS: Readonly<Record<LanguageName, RegExp>> = {
  bash: /^\s*(fi|done|esac|then|echo .*|export \w+=.*|\w+\(\) \{)$|\$\{?\w+\}?|^set -/,
  c: /^#\s*(include|define|ifdef|ifndef)|^\s*(static|struct|typedef|void|int|char)\b.*[;{]?$|->\w+/,
  cpp: /^#\s*include <\w+>|\bstd::|\btemplate\s*<|\b(namespace|class|public|private)\b.*[{:]$|::\w+/,
  csharp:
    /^\s*using [\w.]+;|^\s*namespace [\w.]+|\b(public|private|internal) (static |override |async )*[\w<>[\]]+ \w+|\{ get;/,
  css: /^\s*[.#@]?[\w-]+[^;(=]*\{$|^\s*[\w-]+:\s*[^;{]+;$|^@(media|import|charset)/,
  dart: /^import '(dart|package):|\b(final|late) \w+|=>|@override|\bWidget\b|^\s*(mixin|extension) \w+/,
  elixir: /^\s*(defmodule|defp?|defmacro|use|alias|@\w+) ?|\|>|\bdo$|->$/,
  go: /^package \w+$|^func |:=|^import \(|\bfunc\(|\bchan\b/,
  haskell: /^module [\w.]+|^import (qualified )?[A-Z]|::|->|^(data|newtype|instance|class) |\bwhere$/,
  html: /<!doctype|<\/?(html|head|body|div|p|span|script|ul|li|a|section)\b/i,
  java: /^package [\w.]+;|^import (static )?[\w.*]+;|\b(public|private|protected) (static |final |abstract )*(class|interface|enum|void|[\w<>[\]]+) \w+/,
  javascript: /\b(const|let|var|function)\b|=>|\brequire\(|^import .* from |^export |;$/,
  json: /^\s*"[^"]*"\s*:|^\s*[[\]{}],?$/,
  kotlin: /\bfun \w+|\bval \w+|\bvar \w+:|^package [\w.]+$|\bdata class\b|\bcompanion object\b/,
  lua: /\blocal (function )?\w+|\bend$|\bthen$|^\s*--|\bfunction [\w.:]+\(|\.\./,
  markdown: /^#{1,6} |^[-*] |^```|^\d+\. |\]\(/,
  perl: /^\s*(use|package) [\w:]+;|\bsub \w+ ?\{|\bmy [($@%]|\$\w+->|=~/,
  php: /^<\?php|\$this->|\bfunction \w+\(.*\$|^\s*(namespace|use) [\w\\\\]+;|\$\w+ =/,
  python:
    /^\s*(def|class|elif|except|with|async def|if|for|while) .*:$|^(from [\w.]+ )?import [\w., ]+|^\s*@\w+|self\./,
  r: /<-|\blibrary\(|\bfunction\(.*\) ?\{|%>%|\|>/,
  ruby: /^\s*(def|module|end|require|attr_\w+|class \w+( <.*)?)\b|\bdo \|.*\||@\w+ =|\.each\b/,
  rust: /\bfn \w+|\blet mut\b|^\s*(pub |impl|use [\w:]+|mod |#\[)|->|::|\w+!\(/,
  scala: /\b(object|trait|case class) \w+|\bdef \w+.*=|\bval \w+|^import [\w.]+[._{]|=>/,
  sql: /^\s*(select|insert into|create (table|view|index)|update|delete from|from|where|alter table)\b/i,
  swift: /\bfunc \w+|\blet \w+|^import [A-Z]\w+$|\b(struct|protocol|extension|guard|init)\b|->/,
  toml: /^\[\[?[\w.-]+\]\]?$|^[\w-]+ = /,
  tsx: /<\w+[^>]*>|\/>|^import .* from |: \w+(Props|\[\])|\binterface \w+/,
  typescript:
    /\b(interface|type|enum|namespace) \w+|: (string|number|boolean|void|\w+\[\])|^import (type )?.* from |\breadonly\b/,
  yaml: /^\s*(- )?[\w.-]+:( .*)?$|^---$|^\s*- /,
  zig: /@import\(|\bpub fn\b|\bconst \w+ = |\btry \w|\bcomptime\b|!void/,
};

/** Programs in a shebang that are not named like their language. */
const INTERPRETERS: ReadonlyMap<string, LanguageName> = new Map([
  ['node', 'javascript'],
  ['deno', 'typescript'],
  ['bun', 'typescript'],
  ['rscript', 'r'],
  ['runghc', 'haskell'],
]);

export function createDetector(parsers: Parsers): Detect {
  return async (text, signal) => {
    const head = headOf(text);
    const named = fromShebang(head);
    if (named !== undefined) return named;
    let best = findLanguage(FALLBACK) as Language;
    let least = Number.POSITIVE_INFINITY;
    for (const { language, score } of candidates(head)) {
      const faults = await parsers.parse(language, head, { budget: BUDGET, signal }, (tree) =>
        tree === null ? head.length : faultsOf(tree.rootNode),
      );
      // Between grammars that fit equally well the hints decide.
      const cost = (faults + 1) / score;
      if (cost < least) {
        least = cost;
        best = language;
      }
    }
    return best;
  };
}

/** As many whole lines as the vote reads. */
function headOf(text: string): string {
  if (text.length <= HEAD) return text;
  const end = text.lastIndexOf('\n', HEAD);
  return text.slice(0, end > 0 ? end : HEAD);
}

function fromShebang(head: string): Language | undefined {
  const [, path = '', argument = ''] = /^#!\s*(\S+)(?:\s+(?:-\S+\s+)*(\S+))?/.exec(head) ?? [];
  const program = (path.endsWith('/env') ? argument : path).split('/').at(-1)?.toLowerCase() ?? '';
  return findLanguage(INTERPRETERS.get(program) ?? program) ?? findLanguage(program.replace(/[\d.]+$/, ''));
}

function candidates(head: string) {
  const lines = head.split(/\r?\n/);
  return LANGUAGES.map((language) => ({ language, score: scoreOf(lines, HINTS[language.name]) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .slice(0, MOST_CANDIDATES);
}

function scoreOf(lines: readonly string[], hint: RegExp): number {
  return lines.filter((line) => line.length <= LONGEST_LINE && hint.test(line)).length;
}

/** The characters in error nodes, plus one for each missing token. */
function faultsOf(node: Node): number {
  if (!node.hasError) return 0;
  if (node.isError) return node.endIndex - node.startIndex;
  if (node.isMissing) return 1;
  return node.children.reduce((sum, child) => sum + (child === null ? 0 : faultsOf(child)), 0);
}
