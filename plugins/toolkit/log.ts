export interface LogEntry {
  readonly start: number;
  readonly timeEnd: number;
  readonly isDated: boolean;
}

/**
 * Finds the entries of a log. An entry begins at a line that starts with a time; stack traces and other lines belong
 * to the entry above. Before the time, a line may have a bracket, a level and up to four words, such as the address
 * in access logs. A time has a date, has the form of klog or dmesg, or counts seconds since 1970. If few lines have
 * such a time, entries begin at times of day instead. Without these, entries begin at levels (`INFO:root:`). Takes
 * linear time.
 */
export function findLogEntries(text: string): readonly LogEntry[] {
  const entries = STARTS.map((): LogEntry[] => []);
  for (let start = 0; start < text.length; ) {
    const kind = STARTS.findIndex((pattern) => endsMatch(pattern, text, start));
    const isDated = kind === 0;
    if (kind !== -1) entries[kind]?.push({ start, timeEnd: (STARTS[kind] as RegExp).lastIndex, isDated });
    const feed = text.indexOf('\n', start);
    start = feed === -1 ? text.length : feed + 1;
  }
  // Uses the first kind of start that is frequent. Other kinds may occur in the lines of a message.
  const most = Math.max(...entries.map(({ length }) => length));
  return entries.find(({ length }) => length > 0 && length >= most / 2) ?? [];
}

function endsMatch(pattern: RegExp, text: string, at: number): boolean {
  pattern.lastIndex = at;
  return pattern.test(text);
}

const LEVEL =
  '(?:TRACE|DEBUG|INFO|NOTICE|WARN(?:ING)?|ERR(?:OR)?|FATAL|CRIT(?:ICAL)?|SEVERE|trace|debug|info|notice|warn(?:ing)?|err(?:or)?|fatal|crit(?:ical)?)';
const DAY = '(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]{0,6},? {1,2})?';
const MONTH = '(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}';

const DATED = [
  // 2026-11-27T22:50, 2026/11/27 22:50, 2026-11-27-22.50
  '\\d{4}[-/.]\\d{1,2}[-/.]\\d{1,2}(?:[T:_-]|[ \\t]{1,3})\\d{1,2}[:.]\\d{2}',
  // 20261127T225039, 20261127-22:50:39
  '(?:19|20)\\d{6}[-T _]?(?:\\d{6}|\\d{1,2}:\\d{1,2}:\\d{1,2})',
  // 27.11.2026 22:50, 11/27/26 10:50
  '\\d{1,2}[-/.]\\d{1,2}[-/.]\\d{2,4},?[ \\tT]{1,2}\\d{1,2}:\\d{2}',
  // 11-27 22:50:39
  '\\d{2}[-/.]\\d{2} \\d{2}:\\d{2}:\\d{2}',
  // 261127 22:50:39, 261127 225039
  '\\d{6} {1,2}\\d{1,2}:?\\d{2}:?\\d{2}',
  // Nov 27 22:50:39, Fri Nov 27 22:50:39 2026, Nov 27, 2026 10:50:39
  `${DAY}${MONTH} {1,2}\\d{1,2}(?:,? \\d{4})?,? {1,2}\\d{1,2}:\\d{2}`,
  // 27/Nov/2026:22:50:39, Fri, 27 Nov 2026 22:50:39
  `${DAY}\\d{1,2}[-/ ]${MONTH}[-/ ]\\d{2,4}[ :]{1,2}\\d{2}:\\d{2}`,
].join('|');
const REST =
  '(?:[:.]\\d{2}\\b)?(?:[.,:]\\d{1,9})?(?: \\d{4}\\b)?(?: ?(?:[AP]M|Z|UTC|GMT|[-+]\\d{2}:?\\d{2}))*';
/** Words before a time. Except for levels, they do not end with a colon: after a label, any time may follow. */
const WORDS = `(?:(?:${LEVEL}:?|\\S{0,47}[^\\s:])[ \\t]{1,20}){0,4}`;
const OPENING = '(?:[^ -~]\\[[\\d;]*m|\\w{1,20}=|<\\d{1,3}>\\d? ?|[[("\'<{|]){0,3}';
const CLOCK = '\\d{2}:\\d{2}:\\d{2}(?:[.,]\\d{1,9})?(?=[\\])"\' \\t|]|\\r?$)';

const STARTS: readonly RegExp[] = [
  new RegExp(
    [
      `(?:# Time: )?${WORDS}${OPENING}(?:${DATED})${REST}`,
      '[IWEF]\\d{4} \\d{2}:\\d{2}:\\d{2}\\.\\d{1,9}',
      '\\[ {0,8}\\d{1,9}\\.\\d{3,9}s?\\]',
      '\\[?(?:\\d{1,7} )?1\\d{9}(?:\\.\\d{1,9}|\\d{3})?\\]?(?=[ \\t])',
    ].join('|'),
    'y',
  ),
  new RegExp(`(?:${LEVEL}:? {1,8})?(?:\\[[A-Z] )?${OPENING}${CLOCK}`, 'my'),
  new RegExp(
    `\\[?${LEVEL}\\b|[VDIWEFA]/[\\w.-]{1,60} *[(:]|\\d{1,7} (?:silly|verbose|http|timing|${LEVEL}) (?!stack +at )|\\{"`,
    'y',
  ),
];
