/**
 * The first hexadecimal digit of the byte that begins with the variant of a UUID, by the last two bits of that digit.
 */
const VARIANTS = '89ab';

/**
 * A UUID of version 8 (RFC 9562) from 16 bytes, with the version and variant bits set.
 *
 * @param digits hexadecimal; those from `at` on count
 */
export function toUuid(digits: string, at = 0): string {
  const part = (from: number, to: number) => digits.slice(at + from, at + to);
  const variant = VARIANTS.charAt(Number.parseInt(part(16, 17), 16) & 3);
  return `${part(0, 8)}-${part(8, 12)}-8${part(13, 16)}-${variant}${part(17, 20)}-${part(20, 32)}`;
}
