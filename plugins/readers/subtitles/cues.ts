export type Counts = Map<string, number>;

export function count(counts: Counts, name: string, times = 1): void {
  if (times > 0) counts.set(name, (counts.get(name) ?? 0) + times);
}

/** A cue, or the part of a cue that one speaker says. Times are in seconds. */
export interface Cue extends Speech {
  readonly start_time: number;
  readonly end_time: number;
}

interface Speech {
  readonly speaker: string | undefined;
  /** The text without markup; at least one line. */
  readonly lines: readonly string[];
}

/** The reason why a file has no cues, written as a clause for the caller. */
export interface CueProblem {
  readonly problem: string;
}

const ARROW = '-->';
/** Matches a time with hours or a fraction: a plain `12:30` may be other text. */
const TIME = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,9})$|^(\d{1,4}):(\d{1,2}):(\d{1,2})$/;
const WEBVTT = /^WEBVTT(?:\s|$)/;
/** The first line of a WebVTT block that is not a cue. The block ends at the next empty line. */
const BLOCK = /^(?:(WEBVTT|NOTE)(?:\s|$)|(STYLE|REGION)$)/;
const MAX_SHOWN = 60;

interface Timing {
  readonly start_time: number;
  readonly end_time: number;
  /** Text after the times on the same line. */
  readonly rest: string;
}

interface OpenCue {
  readonly timing: Timing;
  readonly number: number | undefined;
  readonly lines: string[];
}

/**
 * Parses WebVTT or SubRip. Numbers, hours and empty lines between cues are optional. The fraction follows a
 * comma or a point. A cue may contain blank lines: it ends at the next line with times.
 *
 * @param leftOut receives counts of what is left out of the cues
 * @returns the cues in file order; empty for a file that is empty, or has only a header or notes
 */
export function parseCues(source: string, leftOut: Counts): Cue[] | CueProblem {
  const lines = source.split(/\r\n|\r|\n/).map((line) => line.trim());
  const isWebVtt = WEBVTT.test(lines.find((line) => line !== '') ?? '');
  const cues: Cue[] = [];
  let open: OpenCue = { timing: NEVER, number: undefined, lines: [] };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] as string;
    const isAfterBlank = at === 0 || lines[at - 1] === '';
    const block = isWebVtt && isAfterBlank ? BLOCK.exec(line) : null;
    const timing = timingOf(line, leftOut);
    if (block !== null) at = endOfBlock(lines, at, (block[1] ?? block[2]) as string, leftOut) - 1;
    else if (timing === undefined) open.lines.push(line);
    else {
      const number = takeNumber(open, leftOut);
      if (isWebVtt && number === undefined) takeIdentifier(open.lines, leftOut);
      close(open, cues, leftOut);
      open = { timing, number, lines: timing.rest === '' ? [] : [timing.rest] };
    }
  }
  if (open.timing === NEVER && open.lines.some((line) => line !== '')) return { problem: problemIn(lines) };
  close(open, cues, leftOut);
  return cues;
}

const NEVER: Timing = { start_time: 0, end_time: 0, rest: '' };

function problemIn(lines: readonly string[]): string {
  const times = `times such as 00:01:02.500 ${ARROW} 00:01:04.000`;
  const at = lines.findIndex((line) => line.includes(ARROW));
  if (at === -1) return `it has no ${times}`;
  return `line ${at + 1} gives no ${times}: ${JSON.stringify(lines[at]?.slice(0, MAX_SHOWN))}`;
}

function endOfBlock(lines: readonly string[], start: number, name: string, leftOut: Counts): number {
  let end = start + 1;
  while (end < lines.length && lines[end] !== '' && timingOf(lines[end] as string) === undefined) end++;
  if (name !== 'WEBVTT') count(leftOut, name.toLowerCase());
  else count(leftOut, 'header_line', end - start - (lines[start] === name ? 1 : 0));
  return end;
}

/**
 * Removes the number of the next cue, if any, from the end of the open cue. Directly above the times, a
 * number is recognised after a blank line, or if the open cue has a number. If blank lines follow the number,
 * it must continue the numbering.
 */
function takeNumber({ timing, number: before, lines }: OpenCue, leftOut: Counts): number | undefined {
  const at = lines.findLastIndex((line) => line !== '');
  const line = lines[at];
  if (line === undefined || !/^\d{1,9}$/.test(line)) return undefined;
  const number = Number(line);
  const isAlone = at === 0 ? timing === NEVER : lines[at - 1] === '';
  const isNext = before === undefined ? timing === NEVER : number === before + 1;
  const isNumber = at === lines.length - 1 ? isAlone || before !== undefined : isNext;
  if (!isNumber) return undefined;
  lines.splice(at);
  if (!isNext) count(leftOut, 'identifier');
  return number;
}

/** Removes the identifier of the next cue: a line between a blank line and the times. */
function takeIdentifier(lines: string[], leftOut: Counts): void {
  if ((lines.at(-1) ?? '') === '' || (lines.at(-2) ?? '') !== '') return;
  lines.pop();
  count(leftOut, 'identifier');
}

function close({ timing, lines }: OpenCue, cues: Cue[], leftOut: Counts): void {
  const written = lines.filter((line) => line !== '');
  if (timing === NEVER) {
    count(leftOut, 'line_before_the_first_cue', written.length);
    return;
  }
  const { start_time, end_time } = timing;
  const speeches = speechesIn(written, leftOut);
  if (speeches.length === 0) count(leftOut, 'cue_without_text');
  for (const { speaker, lines } of speeches) cues.push({ start_time, end_time, speaker, lines });
}

/** Matches a setting after the times: from WebVTT and its drafts, or a coordinate from SubRip. */
const SETTING = /^(?:align|position|size|line|vertical|region|[ADLST]|[XY][12]):\S+$/i;

/** The times of a line; undefined without times. @param leftOut receives the count of dropped settings */
function timingOf(line: string, leftOut?: Counts): Timing | undefined {
  const arrow = line.indexOf(ARROW);
  const start_time = arrow === -1 ? undefined : secondsOf(line.slice(0, arrow).trim());
  if (start_time === undefined) return undefined;
  const [end = '', ...others] = line
    .slice(arrow + ARROW.length)
    .trim()
    .split(/\s+/);
  const end_time = secondsOf(end);
  if (end_time === undefined) return undefined;
  const hasSettings = others.every((other) => SETTING.test(other));
  if (hasSettings && leftOut !== undefined) count(leftOut, 'setting', others.length);
  return { start_time, end_time: Math.max(start_time, end_time), rest: hasSettings ? '' : others.join(' ') };
}

function secondsOf(written: string): number | undefined {
  const match = TIME.exec(written);
  if (match === null) return undefined;
  const [, hours = match[5] ?? '0', minutes = match[6], seconds = match[7], fraction = ''] = match;
  const milliseconds = Number(`${fraction.padEnd(3, '0').slice(0, 3)}.${fraction.slice(3)}`);
  return (((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + milliseconds) / 1000;
}

const VOICE = /<v(?:\.[^\s<>]*)?\s+([^\s<>][^<>]*)>/gi;
/** Matches tags of both formats, times within a cue, and positions from SubStation Alpha. */
const MARKUP = /<\/?(?:c|i|b|u|v|s|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<\d[\d:.]*>|\{\\an?\d+\}/gi;
const ENTITY = /&(amp|lt|gt|nbsp|lrm|rlm|quot|apos);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  lrm: '\u200e',
  rlm: '\u200f',
};

/** Splits the lines of a cue by speaker. @param leftOut receives the count of removed tags */
function speechesIn(lines: readonly string[], leftOut: Counts): Speech[] {
  const written = lines.join('\n');
  const voices = [...written.matchAll(VOICE)];
  const starts = voices.map(({ index }) => index);
  const speeches = [0, ...starts].map((start, at): Speech => {
    const speaker = voices[at - 1]?.[1]?.trim();
    return {
      speaker: speaker === undefined ? undefined : decoded(speaker),
      lines: shownLines(written.slice(start, starts[at]), leftOut),
    };
  });
  return joined(speeches.filter(({ lines }) => lines.length > 0));
}

function joined(all: readonly Speech[]): Speech[] {
  const speeches: Speech[] = [];
  for (const one of all) {
    const last = speeches.at(-1);
    if (last === undefined || last.speaker !== one.speaker) speeches.push(one);
    else speeches.splice(-1, 1, { ...last, lines: [...last.lines, ...one.lines] });
  }
  return speeches;
}

function shownLines(written: string, leftOut: Counts): string[] {
  const plain = written.replace(MARKUP, () => {
    count(leftOut, 'tag');
    return '';
  });
  const lines = decoded(plain).split('\n');
  return lines.map((line) => line.replace(/[ \t]+/g, ' ').trim()).filter((line) => line !== '');
}

const decoded = (text: string): string => text.replace(ENTITY, (_, name: string) => ENTITIES[name] as string);
