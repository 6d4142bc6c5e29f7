/** Bytes of a unit by its first letter: of `kB`, and of `KiB`. */
const POWERS = ['', 'k', 'm', 'g', 't'];
const SIZE = /^(\d{1,16}(?:\.\d{1,3})?) ?(?:([kmgt])(i?))?b?$/i;

/**
 * Reads a size in bytes: `1048576`, `10MB`, `1.5GB`, `512KiB`. As in other programs, kB is 1000 bytes and KiB is
 * 1024; the B may be left out. `undefined` if the text is none.
 */
export function readSize(text: string): number | undefined {
  const [, count, letter = '', binary = ''] = SIZE.exec(text) ?? [];
  if (count === undefined || (letter === '' && count.includes('.'))) return undefined;
  const bytes = Number(count) * (binary === '' ? 1000 : 1024) ** POWERS.indexOf(letter.toLowerCase());
  return bytes <= Number.MAX_SAFE_INTEGER ? Math.floor(bytes) : undefined;
}

/** A number of bytes in the largest unit that writes it whole: `100MiB`. */
export function writeSize(bytes: number): string {
  let [value, power] = [bytes, 0];
  while (value >= 1024 && value % 1024 === 0 && power < POWERS.length - 1) {
    value /= 1024;
    power++;
  }
  return power === 0 ? `${value}` : `${value}${(POWERS[power] as string).toUpperCase()}iB`;
}
