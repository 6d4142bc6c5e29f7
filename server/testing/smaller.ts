/** An input that breaks something, and the error. */
interface Found<Case, Broken> {
  readonly value: Case;
  readonly error: Broken;
}

const MOST_TRIES = 300;

/**
 * Leaves out whatever the text of an input can be without and still break the same: fast-check makes lists of pieces
 * shorter, and no piece. An input without a text stays as it is.
 *
 * @param attempt tries an input, and gives the error if it breaks the same
 */
export async function withSmallestText<Case, Broken>(
  found: Found<Case, Broken>,
  attempt: (value: Case) => Promise<Broken | undefined>,
): Promise<Found<Case, Broken>> {
  if (!hasText(found.value)) return found;
  let best = found;
  let points = Array.from(found.value.text);
  let tries = 0;
  for (let size = points.length; size >= 1; size = Math.floor(size / 2)) {
    for (let at = 0; at < points.length && tries < MOST_TRIES; tries++) {
      const shorter = points.toSpliced(at, size);
      const value = { ...best.value, text: shorter.join('') };
      const error = await attempt(value);
      if (error === undefined) at += size;
      else [best, points] = [{ value, error }, shorter];
    }
  }
  return best;
}

function hasText(value: unknown): value is { readonly text: string } {
  return typeof value === 'object' && value !== null && 'text' in value && typeof value.text === 'string';
}
