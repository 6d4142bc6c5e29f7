import type { Carried } from '../../contracts/structure.ts';

/** What a chunk carries, as it is written. */
export interface Context {
  readonly text: string | undefined;
  /** Tokens of the text and of a line feed behind it. */
  readonly tokens: number;
  /** Whether some of it was left out. */
  readonly isShortened: boolean;
}

const NOTHING: Context = { text: undefined, tokens: 0, isShortened: false };
const NO_PATH: readonly string[] = [];

/**
 * Writes what chunks carry: the path in a line, joined by ` > `, then the opening. Above `most` tokens the path loses its
 * highest headings one by one, and then the opening is left out. The line break that ends the opening is none of it.
 *
 * @param count counts the tokens of a text
 */
export function carriedContext(
  count: (text: string) => number,
  most: number,
): (carried: Carried | undefined) => Context {
  const known = new Map<readonly string[], Map<string, Context>>();
  return (carried) => {
    if (carried === undefined) return NOTHING;
    const { path = NO_PATH, opening = '' } = carried;
    const ofPath = known.get(path) ?? new Map<string, Context>();
    known.set(path, ofPath);
    const context = ofPath.get(opening) ?? write(path, opening, count, most);
    ofPath.set(opening, context);
    return context;
  };
}

function write(
  path: readonly string[],
  opening: string,
  count: (text: string) => number,
  most: number,
): Context {
  const begin = opening.replace(/(?:\r\n|\r|\n)$/, '');
  for (let first = 0; first <= path.length; first++) {
    const names = path.slice(first).join(' > ');
    const context = names !== '' && begin !== '' ? `${names}\n${begin}` : names + begin;
    const tokens = context === '' ? 0 : count(`${context}\n`);
    if (context !== '' && tokens <= most) return { text: context, tokens, isShortened: first > 0 };
  }
  return path.length === 0 && opening === '' ? NOTHING : { ...NOTHING, isShortened: true };
}
