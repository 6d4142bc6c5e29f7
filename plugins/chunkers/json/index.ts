import type { Span } from '../../../core/contracts/chunk.ts';
import type { Chunker } from '../../../core/contracts/chunker.ts';
import type { Factory } from '../../../core/contracts/plugin.ts';
import { withFields } from '../../../core/engine/span-fields.ts';
import type { Kit } from '../../../core/kit.ts';
import type manifest from './manifest.ts';
import type { JsonOptions } from './manifest.ts';
import { findMembers } from './members.ts';
import { type Place, placesOf } from './pointers.ts';
import type { Problem } from './scalars.ts';
import { finderList } from './strings.ts';
import { findProblem } from './syntax.ts';

const createJsonChunker: Factory<typeof manifest> = ({ kit }): Chunker<JsonOptions> => ({
  chunk(text, options, { tokens, divide, packStructure }) {
    const problem = options.tolerant ? undefined : findProblem(text);
    if (problem !== undefined) throw refusal(text, problem, kit);
    const outline = findMembers(text);
    const finders = finderList(kit, tokens);
    const spans = packStructure(
      {
        outline,
        divide(start, end, size) {
          if (options.oversize === 'keep') return [{ start, end }];
          return divide({ start, end }, finders, { size });
        },
      },
      options,
    );
    return withPlaces(text, spans);
  },
});

export default createJsonChunker;

function withPlaces(text: string, spans: readonly Span[]): Span[] {
  const places = placesOf(text, spans);
  const isSequence = (places.at(-1)?.records[1] ?? 1) > 1;
  return spans.map((span, index) => {
    const { pointer, records } = places[index] as Place;
    return withFields(span, isSequence ? { pointer, records } : { pointer });
  });
}

/** The error of a text that is no JSON; it tells nothing of what the text says. */
function refusal(text: string, { offset, expected }: Problem, kit: Kit): Error {
  const lines = text.slice(0, offset).split(/\r\n|\r|\n/);
  const last = lines.at(-1) ?? '';
  const place = `line ${lines.length}, column ${kit.countCodePoints(last, 0, last.length) + 1}`;
  const message = `text: not valid JSON at ${place}: expected ${expected}. With tolerant it is chunked all the same.`;
  return kit.refusedError(message);
}
