import { findDiffParts } from '../../../toolkit/diff.ts';
import { findLogEntries, type LogEntry } from '../../../toolkit/log.ts';

/** Minimum share of the lines from the first file on that look like those of a diff; less, if messages are among them. */
const SHARE_OF_DIFF = 0.8;
const SHARE_WITH_MESSAGES = 0.4;
/** Minimum share of the lines that the files have, if the text before them is not the message of a commit. */
const SHARE_OF_FILES = 0.25;
const DIFF_LINE =
  /^(?:[ +\-\\@!*<>\d]|$|diff |index |Index: |={3}|(?:new|deleted|old) (?:file )?mode|(?:dis)?similarity |rename |copy |Only in |Binary files |commit |Author: |Date: )/;
const FENCE = /^ {0,3}(?:```|~~~)/m;

/** Whether a text is a diff, also after the message of a commit or a mail, and not one that only shows a diff. */
export function isDiff(sample: string): boolean {
  const { files, commits } = findDiffParts(sample);
  const [first] = files;
  if (first === undefined) return false;
  const before = sample.slice(0, first.start);
  const lines = sample.slice(first.start).split(/\r?\n/);
  const share = lines.filter((line) => DIFF_LINE.test(line)).length / lines.length;
  if (commits[0] === sample.search(/\S/)) return share >= SHARE_WITH_MESSAGES;
  const ofFiles = lines.length / (lines.length + before.split('\n').length);
  return share >= SHARE_OF_DIFF && ofFiles >= SHARE_OF_FILES && !FENCE.test(before);
}

/** Minimum entries of a log, and their minimum share of the lines that are neither indented nor part of a trace. */
const MIN_ENTRIES = 3;
const SHARE_OF_ENTRIES = 0.5;
/** Characters of a line that are read. */
const MAX_READ = 300;
const LEVEL = '(?:TRACE|DEBUG|INFO|NOTICE|WARN|ERR|FATAL|CRIT|SEVERE)';
/** Minimum share of the entries that look like messages of people. */
const SHARE_OF_SPEAKERS = 0.8;

const SECONDS = /\d[:.]\d\d[:.]\d\d|\d{6}|\.\d{3}/;
/** An item, a row, a quote or a heading of Markdown; or a number that may be another one than seconds since 1970. */
const OTHER = /^(?:[-*+](?! \d{10} ) |[|>#]|\[?(?:\d{1,7} )?1\d{9})/;
const HAS_LEVEL = new RegExp(`\\b${LEVEL}`);
/** What follows a time in a log. In a table it is a delimiter, and in a list of times nothing. */
const AFTER_TIME = new RegExp(`^[\\])"'>]{0,3}(?:[ :-]|(?:, +|\\t)${LEVEL})[^\\S\\n]*\\S`, 'i');
/** `2026-11-27 22:50:39 Ada: ` or `<ada> `, and not `Nov 27 22:50:39 host program: `. */
const NUMERIC = /^\W?\d/;
const SPEAKER = new RegExp(
  `^[\\])"'>\\s:-]*(?:<[^<>\\s]{1,40}> |(?!${LEVEL})\\p{Lu}[\\p{L}\\d_'.-]+(?: [\\p{L}\\d_'.-]+){0,3}: )`,
  'u',
);
const TRACE_LINE =
  /^(?:[\s#)}\]"]|\[[a-z]|at |Caused by: |Stack trace:|Traceback |During handling |goroutine |[\w.$/]+(?:Error|Exception|\(.*\)$))/;

/** Whether a text is a log: most of its lines, except those of stack traces, begin with a date and time, or with a time and a level. */
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
