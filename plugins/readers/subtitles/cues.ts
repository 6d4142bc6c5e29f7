/** A cue of a file: what is said from one second to another. */
export interface Cue {
  readonly start_time: number;
  readonly end_time: number;
  readonly speaker: string | undefined;
  /** Without markup, as shown. */
  readonly lines: readonly string[];
}

/** Why a file has no cues, as a clause for the caller. */
export interface CueProblem {
  readonly problem: string;
}

const ARROW = '-->';
const TIME = /^(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})$/;
/** What these begin has no cues in it, up to the next empty line. */
const BLOCK = /^(?:WEBVTT|NOTE|STYLE|REGION)(?:\s|$)/;
const LONGEST_SHOWN = 60;

/**
 * Parses WebVTT or SubRip, in which the same things are written in many ways: cues without numbers, without hours,
 * without empty lines between them, with a comma or a point before the fraction.
 *
 * @returns the cues in the order of the file; none if it is empty, or has only a head or notes
 */
export function parseCues(source: string): Cue[] | CueProblem {
  const lines = source.split(/\r\n|\r|\n/);
  const cues: Cue[] = [];
  for (let at = 0; at < lines.length; at++) {
    const line = trimmed(lines, at);
    const isAfterEmpty = at === 0 || trimmed(lines, at - 1) === '';
    if (isAfterEmpty && BLOCK.test(line)) at = endOfBlock(lines, at) - 1;
    else if (line.includes(ARROW)) {
      const times = timesOf(line);
      if (times === undefined) return { problem: problemAt(at, line) };
      const end = endOfCue(lines, at + 1);
      cues.push({ ...times, ...textOf(lines.slice(at + 1, end)) });
      at = end - 1;
    }
  }
  const isWithoutCues = source.trim() === '' || BLOCK.test(trimmed(lines, 0));
  if (cues.length > 0 || isWithoutCues) return cues;
  return { problem: `it has no times such as 00:01:02.500 ${ARROW} 00:01:04.000` };
}

function trimmed(lines: readonly string[], at: number): string {
  return lines[at]?.trim() ?? '';
}

function problemAt(at: number, line: string): string {
  const shown = JSON.stringify(line.slice(0, LONGEST_SHOWN));
  return `line ${at + 1} gives no times such as 00:01:02.500 ${ARROW} 00:01:04.000: ${shown}`;
}

function endOfBlock(lines: readonly string[], start: number): number {
  let at = start + 1;
  while (at < lines.length && trimmed(lines, at) !== '' && !trimmed(lines, at).includes(ARROW)) at++;
  return at;
}

/** A cue ends before an empty line, and before the number and the times of the next one. */
function endOfCue(lines: readonly string[], start: number): number {
  let at = start;
  while (at < lines.length && trimmed(lines, at) !== '' && !beginsCue(lines, at)) at++;
  return at;
}

function beginsCue(lines: readonly string[], at: number): boolean {
  if (trimmed(lines, at).includes(ARROW)) return true;
  return /^\d+$/.test(trimmed(lines, at)) && trimmed(lines, at + 1).includes(ARROW);
}

function timesOf(line: string): Pick<Cue, 'start_time' | 'end_time'> | undefined {
  const [first = '', rest = ''] = line.split(ARROW);
  const start_time = secondsOf(first.trim());
  const end_time = secondsOf(rest.trim().split(/\s/)[0] ?? '');
  if (start_time === undefined || end_time === undefined) return undefined;
  return { start_time, end_time: Math.max(start_time, end_time) };
}

function secondsOf(written: string): number | undefined {
  const [, hours = '0', minutes, seconds, fraction] = TIME.exec(written) ?? [];
  if (minutes === undefined || seconds === undefined || fraction === undefined) return undefined;
  const milliseconds = Number(fraction.padEnd(3, '0'));
  return (((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1000 + milliseconds) / 1000;
}

const VOICE = /<v(?:\.[^\s>]*)?\s+([^>]+)>/;
/** Tags of both formats, times within a cue, and positions as SubStation Alpha writes them. */
const MARKUP = /<\/?(?:c|i|b|u|v|s|ruby|rt|lang|font)(?:[.\s][^>]*)?>|<\d[\d:.]*>|\{\\an?\d+\}/gi;
const ENTITY = /&(amp|lt|gt|nbsp|lrm|rlm|quot|apos);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' },
};

function textOf(lines: readonly string[]): Pick<Cue, 'speaker' | 'lines'> {
  const written = lines.join('\n');
  const plain = written.replace(MARKUP, '').replace(ENTITY, (_, name: string) => ENTITIES[name] as string);
  const shown = plain.split('\n').map((line) => line.replace(/[ \t]+/g, ' ').trim());
  return { speaker: VOICE.exec(written)?.[1]?.trim(), lines: shown.filter((line) => line !== '') };
}
