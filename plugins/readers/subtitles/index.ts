import { type Factory, refusedError, type SourcePlace } from '../../../core/kit.ts';
import { type Counts, type Cue, count, parseCues } from './cues.ts';
import type manifest from './manifest.ts';

const SENTENCE_END = /[.!?\u2026\u3002\uff1f\uff01]["')\u201d\u2019]?$/;
/** Maximum seconds between a cue and the next cue that repeats its lines. */
const MAX_GAP = 0.1;

/**
 * Writes cues as running text, with a line break after each sentence. Where the speaker changes, a new
 * paragraph begins with the speaker's name. If a cue repeats lines of the previous cue, the lines are written
 * once, with the times of both cues.
 *
 * @param leftOut receives the count of repeated lines
 */
function writeCues(cues: readonly Cue[], leftOut: Counts): { text: string; places: SourcePlace[] } {
  const parts: string[] = [];
  const places: SourcePlace[] = [];
  let length = 0;
  const put = (part: string): void => {
    parts.push(part);
    length += part.length;
  };
  let before: Cue | undefined;
  for (const cue of cues) {
    const { start_time, end_time, speaker } = cue;
    const repeated = repeatedLines(cue, before);
    const fresh = cue.lines.slice(repeated).join(' ');
    count(leftOut, 'repeated_line', repeated);
    before = cue;
    const last = places.at(-1);
    if (fresh === '') {
      places[places.length - 1] = {
        ...(last as SourcePlace),
        end_time: Math.max(last?.end_time ?? 0, end_time),
      };
      continue;
    }
    const hasChanged = speaker !== last?.speaker;
    if (length > 0) put(hasChanged ? '\n\n' : SENTENCE_END.test(parts.at(-1) ?? '') ? '\n' : ' ');
    if (hasChanged && speaker !== undefined) put(`${speaker}: `);
    const start = length;
    put(fresh);
    places.push({ start, end: length, start_time, end_time, ...(speaker !== undefined && { speaker }) });
  }
  return { text: parts.join(''), places };
}

/** Counts the first lines of a cue that repeat the last lines of the previous cue; 0 after a longer gap. */
function repeatedLines({ lines, start_time }: Cue, before: Cue | undefined): number {
  if (before === undefined || start_time > before.end_time + MAX_GAP) return 0;
  for (let count = Math.min(lines.length, before.lines.length); count > 0; count--) {
    const ending = before.lines.slice(-count);
    if (ending.every((line, at) => line === lines[at])) return count;
  }
  return 0;
}

const createSubtitlesReader: Factory<typeof manifest> = ({ 'reader/text': decoder }) => ({
  async read(file, context) {
    const { text: source, encoding } = await decoder.read(file, context);
    const leftOut: Counts = new Map();
    const cues = parseCues(source, leftOut);
    if ('problem' in cues) throw refusedError(`The subtitles cannot be read: ${cues.problem}.`);
    const { text, places } = writeCues(cues, leftOut);
    return { text, places, mediaType: 'text/plain', encoding, leftOut: Object.fromEntries(leftOut) };
  },
});

export default createSubtitlesReader;
