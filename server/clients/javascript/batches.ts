import type { Source } from './source.ts';

const MAX_BYTES = 262_144;
const MAX_LINES = 1000;
/** Milliseconds that available lines wait for more. */
const MAX_WAIT = 50;

/** Lines, joined if they are available at once and not too many, so that nothing waits for a slow source. */
export async function* batchesOf<T>(source: Source<T>): AsyncGenerator<string[], void, undefined> {
  let next = begun(source);
  for (;;) {
    const batch: string[] = [];
    let length = 0;
    let line: string | typeof LATE | undefined = await next;
    while (line !== undefined && line !== LATE) {
      batch.push(line);
      length += line.length;
      next = begun(source);
      if (length > MAX_BYTES || batch.length === MAX_LINES) break;
      line = await soon(next);
    }
    if (batch.length > 0) yield batch;
    if (line === undefined) return;
  }
}

/** The next line. Its errors are thrown where it is awaited. */
function begun<T>(source: Source<T>): Promise<string | undefined> {
  const line = source.line();
  line.catch(() => undefined);
  return line;
}

const LATE = Symbol('late');

async function soon<T>(promise: Promise<T>): Promise<T | typeof LATE> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<typeof LATE>((resolve) => {
    timer = setTimeout(() => resolve(LATE), MAX_WAIT);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}
