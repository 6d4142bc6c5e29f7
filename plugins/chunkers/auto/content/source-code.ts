/** Lines that are examined. */
const MAX_LINES = 500;
/** Minimum share of the lines, excluding comments, that look like code. */
const SHARE = 0.4;
/** Minimum lines for judging by lines; with fewer, as in minified code, the share of code punctuation counts. */
const FEW = 3;
const SHARE_OF_MARKS = 0.04;

/**
 * Whether a text is source code or a program's settings: by a shebang, or because enough of its lines look like it.
 *
 * @param lines from `codeLines`
 */
export function isSourceCode(sample: string, lines: readonly string[]): boolean {
  if (/^\uFEFF?(#!|<\?php\b)/.test(sample)) return true;
  const first = lines.slice(0, MAX_LINES).map((line) => line.replace(TRAILING, '').trimEnd());
  if (first.length < FEW) return isTerse(first);
  return first.filter(isCodeLine).length >= SHARE * first.length;
}

/** Whether a few lines are code: all are statements, or they are full of code punctuation. */
function isTerse(lines: readonly string[]): boolean {
  const code = lines.join('');
  const marks = code.match(/[{};=]|\w\(/g)?.length ?? 0;
  return marks > 0 && (marks >= SHARE_OF_MARKS * code.length || lines.every((line) => line.endsWith(';')));
}

/** How lines of code end, and lines of prose do not. */
const ENDING = /([;{}]|\w\)|\(\)|[=-]>|[([=+&\\]|[\])"'`]:|[\])}"'`\d],)$/;
/** How they begin: a keyword, followed by something that prose does not have. */
const KEYWORD =
  /^(import|from|export|package|using|namespace|require|include|use|module|def|class|interface|struct|enum|fn|func|function|fun|const|let|var|val|local|my|our|public|private|protected|static|declare|return|raise|throw|if|elif|else|for|while|try|end|type|select|insert|create|update)\b.*([(){}[\];=<>"'*/:]|\w\.\w)/i;
/** A definition, an assignment or a call; a literal, a tag, an annotation, a directive; the end of a block. */
const STATEMENT =
  /^((['"])\S*\2,?$|[$@%]?[\w.$[\]'"-]+\s*(:=|[-+*/|&%.]?=)|[\w.$>:-]+\(|@\w+|#(include|define|ifn?def|endif|pragma)\b|<\/?\w+[^>]*>$|(end|fi|done|else|try|pass|continue|break)[:;)]?$|[\])}]+[;,]?$)/;
/** A setting: `name: value`. */
const SETTING = /^(- )?["']?[\w./@-]+["']?:(\s+[^\s.]+(\s+\S+){0,3})?$/;

/** Markdown links and images, which can make lines end like code. */
const LINK = /\]\(\S|^!?\[[^\]]*\]:/;

function isCodeLine(line: string): boolean {
  if (LINK.test(line)) return false;
  return [ENDING, KEYWORD, STATEMENT, SETTING].some((pattern) => pattern.test(line));
}

/** The beginnings of multi-line comments, or documentation on one line, with their ends. */
const COMMENTS: readonly (readonly [opening: RegExp, closing: RegExp])[] = [
  [/^\/\*/, /\*\//],
  [/^[a-z]{0,2}"""/i, /"""/],
  [/^[a-z]{0,2}'''/i, /'''/],
  [/^<!--/, /-->/],
  [/^=[a-z]\w+/, /^=cut\b/],
];
/** Any of these beginnings. */
const OPENING = /^(?:\/\*|[a-zA-Z]{0,2}(?:"""|''')|<!--|=[a-z]\w)/;
const FENCE = /^(?:```|~~~)/;
/** A one-line comment in most languages; it may also be a heading or a list item. */
const COMMENT = /^(\/\/|\*|#(?!\w)|--|;;|%%|\.\\")/;
/** A comment after code. */
const TRAILING = /\s(#|\/\/|--|\/\*)\s.*$/;

/** What a line of a text is judged from: its lines that are neither blank nor comments of any language, trimmed. */
export interface CodeLines {
  /** Up to the first fence. */
  readonly lines: readonly string[];
  /** Whether one of them begins a fence, which only Markdown does. */
  readonly hasFence: boolean;
}

export function codeLines(sample: string): CodeLines {
  const lines: string[] = [];
  let closing: RegExp | undefined;
  for (let at = 0; at <= sample.length; ) {
    const feed = sample.indexOf('\n', at);
    const end = feed === -1 ? sample.length : feed;
    const line = sample.slice(at, end).trim();
    at = end + 1;
    if (closing !== undefined) {
      if (closing.test(line)) closing = undefined;
    } else if (OPENING.test(line)) closing = commentFrom(line);
    else if (FENCE.test(line)) return { lines, hasFence: true };
    else if (line !== '' && !COMMENT.test(line)) lines.push(line);
  }
  return { lines, hasFence: false };
}

/** The end marker of a comment that begins in a line and does not end in it; `undefined` if there is none. */
function commentFrom(line: string): RegExp | undefined {
  for (const [opening, closing] of COMMENTS) {
    const [begun] = opening.exec(line) ?? [];
    if (begun !== undefined) return closing.test(line.slice(begun.length)) ? undefined : closing;
  }
  return undefined;
}
