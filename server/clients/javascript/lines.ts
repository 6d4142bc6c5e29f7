import { ChunksmithError, parsed } from './errors.ts';
import type { IdleTimeout } from './watch.ts';

/**
 * The lines of JSON of an answer, read no faster than they are taken. The request ends with the loop.
 *
 * @throws ChunksmithError `cut_off` if the last line is incomplete
 */
export async function* linesIn<T>(answer: Response, watch: IdleTimeout): AsyncGenerator<T, void, undefined> {
  const { url } = answer;
  const decoder = new TextDecoder();
  // A long line comes in many pieces, which are searched and joined once.
  let pieces: string[] = [];
  for await (const part of partsOf(answer, watch)) {
    const [end = '', ...begun] = decoder.decode(part, { stream: true }).split('\n');
    pieces.push(end);
    for (const next of begun) {
      const line = pieces.join('');
      pieces = [next];
      if (line !== '') yield parsed<T>(line, url);
    }
  }
  if (pieces.join('') !== '') {
    throw new ChunksmithError({ code: 'cut_off', detail: `The answer of ${url} was cut off within a line.` });
  }
}

/** The bytes of an answer, read no faster than they are taken. The request ends with the loop. */
export async function* partsOf(
  { body, url }: Response,
  watch: IdleTimeout,
): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = body?.getReader();
  try {
    while (reader !== undefined) {
      watch.touch();
      const { done, value } = await reader.read().catch((error) => {
        throw watch.errorFor(error, 'cut_off', url);
      });
      watch.pause();
      if (done) return;
      yield value;
    }
  } finally {
    watch.end();
  }
}
