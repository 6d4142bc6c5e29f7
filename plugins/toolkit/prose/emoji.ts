import { isWhiteSpace } from '../../../core/engine/cuts/cuts.ts';
import { matchEnd } from '../../../core/engine/search.ts';

/**
 * One emoji with what belongs to it. Pictures that are shown as text by default, such as `©` or the bullet `▪`, count
 * only with the sign that asks for an emoji, and keycaps do not, because they number items. Bounded, so that no
 * expression overflows its stack.
 */
const EMOJI =
  /(?:\p{Regional_Indicator}{2}|(?:\p{Emoji_Presentation}|\p{Extended_Pictographic}\ufe0f|[\u{1f000}-\u{1faff}\u2639\u263a\u2661\u2665\u2763\u2764])(?:\p{Emoji_Modifier}|\p{Variation_Selector}|[\u{e0020}-\u{e007f}]){0,16}\u200d?)/uy;

/** The first unit that an emoji begins with. */
const FIRST_EMOJI = 0x203c;

/** Where emoji after an offset end, on the same line and with or without spaces; the offset itself if there are none. */
export function emojiEnd(text: string, from: number, end: number): number {
  let last = from;
  for (;;) {
    let at = last;
    while (at < end && isSpace(text.charCodeAt(at))) at++;
    // Most sentences are followed by a letter.
    const found = text.charCodeAt(at) >= FIRST_EMOJI ? matchEnd(EMOJI, text, at) : -1;
    if (found === -1 || found > end) return last;
    last = found;
  }
}

/** Whether a stretch has emoji, and nothing else but white space. */
export function isOnlyEmoji(text: string, start: number, end: number): boolean {
  const last = emojiEnd(text, start, end);
  if (last === start) return false;
  let at = last;
  while (at < end && isWhiteSpace(text.charCodeAt(at))) at++;
  return at === end;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x09 || unit === 0xa0 || unit === 0x3000;
}
