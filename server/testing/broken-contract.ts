export interface Broken {
  readonly promise: string;
  /** Where the promise is broken, for example a chunk with its offsets. */
  readonly where?: string | undefined;
  /** Whether the plugin gave no usable answer, so that its other promises could not be checked. */
  readonly isUnanswered?: true;
  /** Whether no further cases are tried, because they would take too long. */
  readonly isLast?: boolean;
}

/** The smallest case found that breaks a promise, or the last case if time ran out. */
export interface SmallestCase {
  readonly value: unknown;
  /** The seed of a random case; undefined for other cases. */
  readonly seed?: number | undefined;
}

export class BrokenContract extends Error {
  readonly broken: readonly Broken[];
  readonly smallest: SmallestCase | undefined;

  constructor(broken: readonly Broken[], smallest?: SmallestCase) {
    const places = broken.flatMap(({ promise, where }) =>
      where === undefined ? [] : `\n${promise}: ${where}`,
    );
    const made = smallest === undefined ? '' : `\nsmallest case: ${shown(smallest.value)}`;
    super(`broken: ${broken.map(({ promise }) => promise).join('; ')}${places.join('')}${made}`);
    this.name = 'BrokenContract';
    this.broken = broken;
    this.smallest = smallest;
  }
}

const MAX_SHOWN = 600;
/** Invisible characters: white space except U+0020, control and format characters, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}|\ufe0f/gu;

/** A value as JSON for messages. Invisible characters are escaped, and long values are truncated. */
export function shown(value: unknown, most = MAX_SHOWN): string {
  const json = JSON.stringify(value, (_key, inner) => (inner instanceof Uint8Array ? [...inner] : inner));
  const text = (json ?? String(value)).replace(UNSEEN, escaped);
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

function escaped(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
