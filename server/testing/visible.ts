const MAX_SHOWN = 600;
/** Invisible characters: white space except the blank, marks without a glyph, joiners, lone surrogates. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Cs}]|(?! )\p{Zs}|\ufe0f/gu;

/** A value as JSON that can be read and pasted: invisible characters are escaped, and long values are truncated. */
export function shown(value: unknown, most = MAX_SHOWN): string {
  const json = JSON.stringify(value, (_key, inner) => (inner instanceof Uint8Array ? [...inner] : inner));
  const text = (json ?? String(value)).replace(UNSEEN, escaped);
  return text.length <= most ? text : `${text.slice(0, most)}… (${text.length} characters)`;
}

function escaped(character: string): string {
  const units = character.split('');
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
}
