import type { Span } from '../../contracts/chunk.ts';

/**
 * A span with these further fields instead of its own. All spans created here have one shape, which V8 keeps with
 * this literal; the shape of a copy with an added field is lost at each full garbage collection (see
 * `keep-optimised.ts`).
 */
export function withFields(
  { start, end, token_count, context, located }: Span,
  extra: Span['extra'],
  lists: Span['located'] = located,
): Span {
  return { start, end, token_count, context, extra, located: lists };
}
