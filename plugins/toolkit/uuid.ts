const text = Buffer.alloc(36, '-');
const GROUPS = [0, 8, 12, 16, 20, 32];
const VERSION_AT = 14;
const VARIANT_AT = 19;
/** The UUID's variant digit, by the last two bits of the digit that it replaces. */
const VARIANTS = '89ab';

/**
 * Formats 32 hexadecimal digits, the first at index `at`, as a UUID of version 8 (RFC 9562). Sets the version and
 * variant.
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
