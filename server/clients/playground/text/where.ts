import type { Place } from '../data/model.ts';
import type { State } from '../data/state.ts';

/**
 * The places of the selected chunk in its file. Chunking the file may give other chunks than chunking its text, if
 * `auto` chooses another chunker. In that case, returns the places of all chunks that overlap the selected chunk.
 */
export function placesOf({
  selection,
  runs,
  located,
}: Pick<State, 'selection' | 'runs' | 'located'>): readonly Place[] {
  const of = runs.get(selection?.setting ?? '')?.chunks;
  const index = selection?.chunk ?? -1;
  const chunk = of?.[index];
  if (chunk === undefined || located?.chunks === undefined || located.of !== of) return [];
  const same = located.chunks[index];
  const { start_index: start, end_index: end } = chunk;
  const isSame = same?.start_index === start && same.end_index === end;
  const overlapping = () => located.chunks?.filter((one) => one.start_index < end && one.end_index > start);
  const chunks = isSame ? [same] : (overlapping() ?? []);
  return chunks.flatMap(({ places }) => (places ?? []) as readonly Place[]);
}

export function wordsOf(places: readonly Place[]): string {
  const members = ['page', 'cell', 'image'] as const;
  const counted = members.flatMap((member) => rangesOf(member, places) ?? []);
  const others = places.map(({ start_time, end_time, speaker, sheet, cells }) => {
    const times = start_time === undefined ? [] : [start_time, end_time ?? start_time];
    const names = [times.map(clock).join(' – '), speaker, [sheet, cells].filter(Boolean).join(' ')];
    return names.filter(Boolean).join(' · ');
  });
  return [...counted, ...new Set(others.filter(Boolean))].join('; ');
}

function rangesOf(member: 'page' | 'cell' | 'image', places: readonly Place[]): string | undefined {
  const numbers = new Set(places.flatMap((place) => place[member] ?? []));
  const ranges: [first: number, last: number][] = [];
  for (const number of [...numbers].sort((a, b) => a - b)) {
    const last = ranges.at(-1);
    if (last?.[1] === number - 1) last[1] = number;
    else ranges.push([number, number]);
  }
  if (ranges.length === 0) return undefined;
  return `${member} ${ranges.map(([first, last]) => (first === last ? first : `${first}–${last}`)).join(', ')}`;
}

function clock(time: number): string {
  const tenths = Math.round(time * 10);
  const hours = tenths / 36_000;
  const minutes = (tenths / 600) % 60;
  const seconds = (tenths % 600) / 10;
  const parts = [...(hours < 1 ? [] : [Math.floor(hours)]), Math.floor(minutes), seconds];
  const padded = parts.slice(1).map((part) => String(part).padStart(Number.isInteger(part) ? 2 : 4, '0'));
  return [parts[0], ...padded].join(':');
}
