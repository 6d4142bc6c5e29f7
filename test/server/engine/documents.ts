import type { OffsetUnit } from '../../../core/contracts/chunk.ts';

/** Texts in which offsets and escapes go wrong easily. */
export const TEXTS: Readonly<Record<string, string>> = {
  plain: 'The quick brown fox. It jumps over the lazy dog! Does it? Yes.',
  accents: 'Déjà vu à l’orée du bois. Ça alors, où est-il passé ? L’œuvre naïve.',
  decomposed: 'Cafe\u0301 au lait. Re\u0301sume\u0301 of nai\u0308ve cafe\u0301s, again and again.',
  cjk: '今日はいい天気ですね。散歩に行きましょう！どこへ行きますか？公園です。',
  emoji: 'Family 👩‍👩‍👧‍👦 and flags 🇩🇪🇯🇵. Thumbs 👍🏽 up! 🎉🎉🎉 Done 😀. Next one: 𝒳.',
  arabic: 'مرحبا بالعالم. كيف حالك اليوم؟ أنا بخير، شكرا لك.',
  escapes: 'A "quoted" word, a \\ backslash,\ta tab,\r\na line and \u0000 NUL \u001f \u007f \u2028 \ufeff.',
  loneSurrogates: 'High \ud800 alone, low \udc00 alone, and \udc00\ud800 turned around. Then 😀.',
  lines: Array.from({ length: 40 }, (_, line) => `Line ${line} of a longer list.`).join('\n'),
};

/** Cuts a text by offsets as a client would that counts in the unit. */
export function sliceIn(unit: OffsetUnit, text: string, start: number, end: number): string {
  if (unit === 'utf16') return text.slice(start, end);
  if (unit === 'code_point') return [...text].slice(start, end).join('');
  return Buffer.from(text).subarray(start, end).toString();
}

/** A document of about so many bytes, in several scripts, with paragraphs, headings and code. */
export function longDocument(bytes: number): string {
  const block = Object.values(TEXTS)
    .filter((text) => text.isWellFormed())
    .join('\n\n');
  const size = Buffer.byteLength(block) + 20;
  const count = Math.ceil(bytes / size);
  return Array.from({ length: count }, (_, index) => `# Part ${index}\n\n${block}\n\n`).join('');
}

/** How long a text is in a unit. */
export function lengthIn(unit: OffsetUnit, text: string): number {
  if (unit === 'utf16') return text.length;
  return unit === 'byte' ? Buffer.byteLength(text) : Array.from(text).length;
}
