/** Byte order marks, with the names of their encodings in the WHATWG Encoding Standard. */
const MARKS: readonly (readonly [mark: readonly number[], encoding: string])[] = [
  [[0xef, 0xbb, 0xbf], 'utf-8'],
  [[0xff, 0xfe], 'utf-16le'],
  [[0xfe, 0xff], 'utf-16be'],
];

export function encodingOfMark(bytes: Uint8Array): string | undefined {
  return MARKS.find(([mark]) => mark.every((byte, index) => bytes[index] === byte))?.[1];
}
