import { findDiffParts } from '../../toolkit/diff.ts';
import { findLogEntries, type LogEntry } from '../../toolkit/log.ts';
import { findMarkdownBlocks } from '../../toolkit/markdown/index.ts';

/** Elements at the start of HTML without a `<head>`. Other XML and code with type parameters rarely contain them. */
const ELEMENT =
  /^<(?:a|article|aside|b|blockquote|body|center|div|dl|em|figure|footer|form|h[1-6]|head|header|i|iframe|img|main|nav|ol|p|pre|section|script|span|strong|style|svg|table|ul)[\s>]/i;
const CLOSING = /<\/[a-z][a-z0-9]*\s*>/i;
/** A Markdown heading or fence. A text with one is Markdown even if it begins with HTML. */
const MARKDOWN = /^(#{1,6} \S|```)/m;

export function isHtml(sample: string): boolean {
  const start = sample.replace(/^\uFEFF?\s*(<\?xml[^>]*>\s*)?(<!--[\s\S]*?-->\s*)*/, '');
  if (/^<(!doctype\s+html|html)\b/i.test(start)) return true;
  return ELEMENT.test(start) && CLOSING.test(start) && !MARKDOWN.test(sample);
}

export function isHtmlTable(text: string): boolean {
  const trimmed = text.trim().toLowerCase();
  return /^<table[\s>]/.test(trimmed) && trimmed.indexOf('</table>') === trimmed.length - '</table>'.length;
}

const HEADING = /^(#{1,6}) \S.*$/gm;
const MARK = /\[[^[\]\n]+\]\([^)\s]{1,500}\)|\*\*\S[^*\n]*\*\*|`[^`\n]+`/g;
const ITEM = /^[-*+] \S/gm;
/** Minimum number of marks and list items in Markdown without front matter, tables or headings before a blank line. */
const MIN_MARKS = 2;

export function proseOrMarkdown(sample: string): 'markdown' | 'table' | 'recursive' {
  const headings = headingsIn(sample);
  if (headings.ofTheirOwn > 0) return 'markdown';
  const blocks = findMarkdownBlocks(sample);
  const tables = blocks.filter(({ kind }) => kind === 'table').length;
  if (tables > 0) return tables === blocks.length ? 'table' : 'markdown';
  if (blocks[0]?.kind === 'front_matter') return 'markdown';
  const marks = headings.all + (sample.match(MARK)?.length ?? 0);
  const items = sample.match(ITEM)?.length ?? 0;
  return marks > 0 && marks + items >= MIN_MARKS ? 'markdown' : 'recursive';
}

/**
 * Counts all headings, and the headings before a blank line. If all have one level and most touch other text, they are
 * comments of code, and are not counted.
 */
function headingsIn(sample: string): { readonly all: number; readonly ofTheirOwn: number } {
  let all = 0;
  let ofTheirOwn = 0;
  let alone = 0;
  const levels = new Set<string>();
  for (const { 0: line, 1: level, index } of sample.matchAll(HEADING)) {
    all++;
    levels.add(level as string);
    const isFollowed = !/^\r?\n[ \t]*\r?(?:\n|$)/.test(
      sample.slice(index + line.trimEnd().length, index + line.length + 80),
    );
    if (isFollowed) continue;
    ofTheirOwn++;
    if (/(?:^|\n[ \t]*\r?\n)$/.test(sample.slice(Math.max(index - 80, 0), index))) alone++;
  }
  return all > 1 && levels.size < 2 && alone < all / 2 ? { all: 0, ofTheirOwn: 0 } : { all, ofTheirOwn };
}

/** The XML declaration (group 1), and other instructions and comments before the root element or document type. */
const PROLOG = /^\uFEFF?\s*(<\?xml\b[^>]*>)?(?:\s+|<\?[^>]*>|<!--[\s\S]*?-->)*/;
const HTML = /^<(?:!doctype\s+)?html\b/i;
const DOCUMENT_TYPE = /^<!DOCTYPE\s+[\w:.-]+[\s[>]/;
/** A root element with a namespace. `svg` is excluded, because HTML may contain `svg`, too. */
const WITH_NAMESPACE = /^<(?!svg\b)[\w:.-]+\s[^<>]{0,1000}\bxmlns(?::[\w.-]+)?\s*=/;
const TAG = /<[A-Za-z_!?/:]/;

/** File names of templates and components. Such a file may begin with the XML declaration of its output. */
const TEMPLATES =
  /\.(?:php|erb|rhtml|ejs|jinja2?|j2|njk|twig|liquid|hbs|handlebars|mustache|vue|svelte|astro)$/i;

export function isXml(sample: string, filename: string): boolean {
  const [prolog = '', declaration] = PROLOG.exec(sample) ?? [];
  const root = sample.slice(prolog.length);
  if (HTML.test(root) || TEMPLATES.test(filename)) return false;
  return declaration !== undefined || DOCUMENT_TYPE.test(root);
}

export function hasNamespace(sample: string): boolean {
  const [prolog = ''] = PROLOG.exec(sample) ?? [];
  const root = sample.slice(prolog.length);
  return WITH_NAMESPACE.test(root) && !HTML.test(root);
}

export function hasTags(sample: string): boolean {
  return TAG.test(sample);
}

const DELIMITERS = ['\t', ',', ';', '|'];
const MIN_RECORDS = 3;
const MAX_RECORDS = 200;

/** A first line that tells Excel the delimiter, such as `sep=;`. */
const SEPARATOR_LINE = /^\ufeff?"?sep=([^\r\n"])"?\1{0,1000} {0,99}(?:\r\n|\r|\n)/i;

export function isTable(text: string): boolean {
  const sample = text.replace(SEPARATOR_LINE, '');
  const [first = ''] = sample.trimStart().split('\n', 1);
  return DELIMITERS.some((delimiter) => first.includes(delimiter) && isTableBy(sample, delimiter));
}

function isTableBy(sample: string, delimiter: string): boolean {
  const records = recordsOf(sample, delimiter);
  const [fields = 0] = records;
  if (records.length < MIN_RECORDS || fields < 2 || records.some((count) => count !== fields)) return false;
  return fields > 2 || !isPunctuation(sample, delimiter);
}

/** Whether a delimiter may be the punctuation of prose: a comma or semicolon before a space. */
function isPunctuation(sample: string, delimiter: string): boolean {
  return /[,;]/.test(delimiter) && sample.replace(/"[^"]*"/g, '').includes(`${delimiter} `);
}

function recordsOf(sample: string, delimiter: string): number[] {
  const records: number[] = [];
  let fields = 1;
  let isQuoted = false;
  let isBlank = true;
  const end = () => {
    if (!isBlank) records.push(fields);
    fields = 1;
    isBlank = true;
  };
  for (const character of sample) {
    if (records.length === MAX_RECORDS) return records;
    if (character === '"') isQuoted = !isQuoted;
    if (character === '\n' && !isQuoted) end();
    else if (character === delimiter && !isQuoted) fields++;
    if (isBlank && !/\s/.test(character)) isBlank = false;
  }
  end();
  return records;
}

/** Minimum share of diff lines among the lines from the first file on; lower if the text begins with a commit. */
const SHARE_OF_DIFF = 0.8;
const SHARE_WITH_MESSAGES = 0.4;
/** Minimum share of all lines that follow the start of the first file; not required if a text begins with a commit. */
const SHARE_OF_FILES = 0.25;
const DIFF_LINE =
  /^(?:[ +\-\\@!*<>\d]|$|diff |index |Index: |={3}|(?:new|deleted|old) (?:file )?mode|(?:dis)?similarity |rename |copy |Only in |Binary files |commit |Author: |Date: )/;
const FENCE_LINE = /^ {0,3}(?:```|~~~)/m;

/** Whether a text is a diff, possibly after a commit message or mail, and not prose that quotes a diff. */
export function isDiff(sample: string): boolean {
  const { files, commits } = findDiffParts(sample);
  const [first] = files;
  if (first === undefined) return false;
  const before = sample.slice(0, first.start);
  const lines = sample.slice(first.start).split(/\r?\n/);
  const share = lines.filter((line) => DIFF_LINE.test(line)).length / lines.length;
  if (commits[0] === sample.search(/\S/)) return share >= SHARE_WITH_MESSAGES;
  const ofFiles = lines.length / (lines.length + before.split('\n').length);
  return share >= SHARE_OF_DIFF && ofFiles >= SHARE_OF_FILES && !FENCE_LINE.test(before);
}

const MIN_ENTRIES = 3;
/** Minimum share of log entries among the lines that are neither indented nor part of a stack trace. */
const SHARE_OF_ENTRIES = 0.5;
const MAX_READ = 300;
const LEVEL = '(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERR|FATAL|CRIT|SEVERE)';
/** Entries are a chat, not a log, if at least this share of them are messages of people. */
const SHARE_OF_SPEAKERS = 0.8;

const SECONDS = /\d[:.]\d\d[:.]\d\d|\d{6}|\.\d{3}/;
/** Lines that are not log entries: Markdown, or a number that only looks like seconds since 1970. */
const OTHER = /^(?:[-*+](?! \d{10} ) |[|>#]|\[?(?:\d{1,7} )?1\d{9})/;
const HAS_LEVEL = new RegExp(`\\b${LEVEL}`);
/** What follows the time of a log entry. In a table, a delimiter follows; in a list of times, nothing does. */
const AFTER_TIME = new RegExp(`^[\\])"'>]{0,3}(?:[ :-]|(?:, +|\\t)${LEVEL})[^\\S\\n]*\\S`, 'i');
/** A chat message such as `2026-11-27 22:50:39 Ada: ` matches both; `Nov 27 22:50:39 host program: ` does not. */
const NUMERIC = /^\W?\d/;
const SPEAKER = new RegExp(
  `^[\\])"'>\\s:-]*(?:<[^<>\\s]{1,40}> |(?!${LEVEL})\\p{Lu}[\\p{L}\\d_'.-]+(?: [\\p{L}\\d_'.-]+){0,3}: )`,
  'u',
);
const TRACE_LINE =
  /^(?:[\s#)}\]"]|\[[a-z]|at |Caused by: |Stack trace:|Traceback |During handling |goroutine |[\w.$/]+(?:Error|Exception|\(.*\)$))/;

export function isLog(sample: string): boolean {
  const lineAt = (start: number) => sample.slice(start, start + MAX_READ).split('\n', 1)[0] as string;
  const isEntry = ({ start, timeEnd, isDated }: LogEntry) =>
    AFTER_TIME.test(lineAt(timeEnd)) &&
    (isDated ? SECONDS.test(sample.slice(start, timeEnd)) : HAS_LEVEL.test(lineAt(start))) &&
    !OTHER.test(lineAt(start));
  const entries = findLogEntries(sample).filter(isEntry);
  if (entries.length < MIN_ENTRIES) return false;
  const speakers = entries.filter(
    ({ start, timeEnd }) => NUMERIC.test(lineAt(start)) && SPEAKER.test(lineAt(timeEnd)),
  );
  if (speakers.length >= SHARE_OF_SPEAKERS * entries.length) return false;
  const lines = sample.split('\n').filter((line) => line !== '' && !TRACE_LINE.test(line));
  return entries.length >= SHARE_OF_ENTRIES * lines.length;
}

const MAX_LINES = 500;
const SHARE_OF_CODE = 0.4;
const MIN_LINES = 3;
const SHARE_OF_MARKS = 0.04;

/**
 * Whether a text is source code or a settings file: it begins with a shebang or `<?php`, or has enough lines of code.
 *
 * @param lines the lines that `codeLines` returned
 */
export function isSourceCode(sample: string, lines: readonly string[]): boolean {
  if (/^\uFEFF?(#!|<\?php\b)/.test(sample)) return true;
  const first = lines.slice(0, MAX_LINES).map((line) => line.replace(TRAILING, '').trimEnd());
  if (first.length < MIN_LINES) return isTerse(first);
  return first.filter(isCodeLine).length >= SHARE_OF_CODE * first.length;
}

function isTerse(lines: readonly string[]): boolean {
  const code = lines.join('');
  const marks = code.match(/[{};=]|\w\(/g)?.length ?? 0;
  return marks > 0 && (marks >= SHARE_OF_MARKS * code.length || lines.every((line) => line.endsWith(';')));
}

const ENDING = /([;{}]|\w\)|\(\)|[=-]>|[([=+&\\]|[\])"'`]:|[\])}"'`\d],)$/;
const KEYWORD =
  /^(import|from|export|package|using|namespace|require|include|use|module|def|class|interface|struct|enum|fn|func|function|fun|const|let|var|val|local|my|our|public|private|protected|static|declare|return|raise|throw|if|elif|else|for|while|try|end|type|select|insert|create|update)\b.*([(){}[\];=<>"'*/:]|\w\.\w)/i;
/** A literal, an assignment, a call, an annotation, a directive, a tag, or the end of a block. */
const STATEMENT =
  /^((['"])\S*\2,?$|[$@%]?[\w.$[\]'"-]+\s*(:=|[-+*/|&%.]?=)|[\w.$>:-]+\(|@\w+|#(include|define|ifn?def|endif|pragma)\b|<\/?\w+[^>]*>$|(end|fi|done|else|try|pass|continue|break)[:;)]?$|[\])}]+[;,]?$)/;
const SETTING = /^(- )?["']?[\w./@-]+["']?:(\s+[^\s.]+(\s+\S+){0,3})?$/;

const LINK = /\]\(\S|^!?\[[^\]]*\]:/;

function isCodeLine(line: string): boolean {
  if (LINK.test(line)) return false;
  return [ENDING, KEYWORD, STATEMENT, SETTING].some((pattern) => pattern.test(line));
}

const COMMENTS: readonly (readonly [opening: RegExp, closing: RegExp])[] = [
  [/^\/\*/, /\*\//],
  [/^[a-z]{0,2}"""/i, /"""/],
  [/^[a-z]{0,2}'''/i, /'''/],
  [/^<!--/, /-->/],
  [/^=[a-z]\w+/, /^=cut\b/],
];
const OPENING = /^(?:\/\*|[a-zA-Z]{0,2}(?:"""|''')|<!--|=[a-z]\w)/;
const FENCE = /^(?:```|~~~)/;
/** A one-line comment in most languages. In Markdown, such a line may be a heading or a list item. */
const COMMENT = /^(\/\/|\*|#(?!\w)|--|;;|%%|\.\\")/;
const TRAILING = /\s(#|\/\/|--|\/\*)\s.*$/;

/** The trimmed lines before the first fence, without blank lines and comments. A fence is a sign of Markdown. */
export function codeLines(sample: string): { readonly lines: readonly string[]; readonly hasFence: boolean } {
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

function commentFrom(line: string): RegExp | undefined {
  for (const [opening, closing] of COMMENTS) {
    const [start] = opening.exec(line) ?? [];
    if (start !== undefined) return closing.test(line.slice(start.length)) ? undefined : closing;
  }
  return undefined;
}
