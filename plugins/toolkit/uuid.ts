/** The text of a UUID; its digits are written between its dashes. */
const text = Buffer.alloc(36, '-');
const GROUPS = [0, 8, 12, 16, 20, 32];
const VERSION_AT = 14;
const VARIANT_AT = 19;
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
  for (let group = 1; group < GROUPS.length; group++) {
    const end = GROUPS[group] as number;
    for (let digit = GROUPS[group - 1] as number; digit < end; digit++)
      text[digit + group - 1] = digits.charCodeAt(at + digit);
  }
  text[VERSION_AT] = 0x38;
  text[VARIANT_AT] = VARIANTS.charCodeAt(Number.parseInt(digits.charAt(at + 16), 16) & 3);
  return text.toString('latin1');
}
