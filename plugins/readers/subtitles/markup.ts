import { type Counts, count } from './counts.ts';

/** What one speaker says in a cue. */
export interface Said {
  readonly speaker: string | undefined;
  /** Without markup, as shown; at least one. */
  readonly lines: readonly string[];
}

/** A voice of WebVTT, with its speaker. */
const VOICE = /<v(?:\.[^\s<>]*)?\s+([^\s<>][^<>]*)>/gi;
/** Tags of both formats, times within a cue, and positions as SubStation Alpha writes them. */
const MARKUP = /<\/?(?:c|i|b|u|v|s|ruby|rt|lang|font)(?:[.\s][^<>]*)?>|<\d[\d:.]*>|\{\\an?\d+\}/gi;
const ENTITY = /&(amp|lt|gt|nbsp|lrm|rlm|quot|apos);/g;
const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" },
  ...{ nbsp: '\u00a0', lrm: '\u200e', rlm: '\u200f' },
};

/**
 * What is said in the lines of a cue, by speaker. Empty if nothing is.
 *
 * @param leftOut gets the number of tags
 */
export function saidIn(lines: readonly string[], leftOut: Counts): Said[] {
  const written = lines.join('\n');
  const voices = [...written.matchAll(VOICE)];
  const starts = voices.map(({ index }) => index);
  const said = [0, ...starts].map((start, at): Said => {
    const speaker = voices[at - 1]?.[1]?.trim();
    return {
      speaker: speaker === undefined ? undefined : decoded(speaker),
      lines: shownLines(written.slice(start, starts[at]), leftOut),
    };
  });
  return joined(said.filter(({ lines }) => lines.length > 0));
}

/** Joins neighbours with the same speaker. */
function joined(all: readonly Said[]): Said[] {
  const said: Said[] = [];
  for (const one of all) {
    const last = said.at(-1);
    if (last === undefined || last.speaker !== one.speaker) said.push(one);
    else said.splice(-1, 1, { ...last, lines: [...last.lines, ...one.lines] });
  }
  return said;
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
