import type { Located } from '../../core/contracts/chunk.ts';
import type { CountedSpan } from '../../core/engine/chunking.ts';

/**
 * A part of a chunk that a further chunk stage has made, as a stretch of the document. It keeps what was said of the
 * whole: its own fields come above those, its own context behind that, and of located stretches it has its share.
 *
 * @param part with offsets in the text of the chunk
 */
export function partOf(whole: CountedSpan, part: CountedSpan): CountedSpan {
  const [start, end] = [part.start + whole.start, part.end + whole.start];
  const { token_count } = part;
  const context = [whole.context, part.context].filter((one) => one !== undefined && one !== '').join('\n');
  const lists = { ...clipped(whole.located, start, end), ...moved(part.located, whole.start) };
  return {
    start,
    end,
    token_count,
    ...(context === '' ? {} : { context }),
    ...(whole.extra === undefined && part.extra === undefined
      ? {}
      : { extra: { ...whole.extra, ...part.extra } }),
    ...(Object.keys(lists).length === 0 ? {} : { located: lists }),
  };
}

type Lists = CountedSpan['located'];

function moved(lists: Lists, by: number): Lists {
  return mapped(lists, (list) => list.map((one) => ({ ...one, start: one.start + by, end: one.end + by })));
}

function clipped(lists: Lists, start: number, end: number): Lists {
  const share = (one: Located) => ({
    ...one,
    start: Math.max(one.start, start),
    end: Math.min(one.end, end),
  });
  return mapped(lists, (list) => list.filter((one) => one.start < end && one.end > start).map(share));
}

function mapped(lists: Lists, change: (list: readonly Located[]) => readonly Located[]): Lists {
  return lists && Object.fromEntries(Object.entries(lists).map(([field, list]) => [field, change(list)]));
}
