import { reasonOf, refusedError } from '../../../core/kit.ts';
import type { Page } from './page.ts';

/** The search takes much longer than everything else. */
const MOST_SEARCHED = 50_000;

/**
 * The HTML of the main content of a page, as Firefox shows it in its reader view; `undefined` if nothing in it looks like
 * an article.
 *
 * @throws Error for callers if the page is too large
 */
export async function mainContentOf({ root, elements }: Page): Promise<string | undefined> {
  if (elements > MOST_SEARCHED) throw refusal(`it has more than ${MOST_SEARCHED} elements`);
  const [{ serialize }, { parseHTML }, { default: readability }] = await Promise.all([
    import('parse5'),
    import('linkedom'),
    import('@mozilla/readability'),
  ]);
  const { document } = parseHTML(serialize(root, { scriptingEnabled: false }));
  const options = { disableJSONLD: true, keepClasses: true };
  try {
    return new readability.Readability(document, options).parse()?.content ?? undefined;
  } catch (error) {
    throw refusal(reasonOf(error), error);
  }
}

function refusal(reason: string, cause?: unknown): Error {
  const remedy = 'read all of it, without {"content": "main"}';
  return refusedError(`The main content of the page cannot be found: ${reason}; ${remedy}.`, cause);
}
