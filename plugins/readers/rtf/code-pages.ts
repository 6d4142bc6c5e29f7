import { encodingOfCodePage } from '../../toolkit/encodings/index.ts';

/** Characters 128 to 255 of code pages that the Encoding Standard does not have. */
const HIGH: Readonly<Record<number, string>> = {
  437: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσµτΦΘΩδ∞φε∩≡±≥≤⌠⌡÷≈°∙·√ⁿ²■\u00a0',
  850: 'ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜø£Ø×ƒáíóúñÑªº¿®¬½¼¡«»░▒▓│┤ÁÂÀ©╣║╗╝¢¥┐└┴┬├─┼ãÃ╚╔╩╦╠═╬¤ðÐÊËÈıÍÎÏ┘┌█▄¦Ì▀ÓßÔÒõÕµþÞÚÛÙýÝ¯´\u00ad±‗¾¶§÷¸°¨·¹³²■\u00a0',
};
const FALLBACK = 1252;
const ASCII_END = 0x80;

/** Code pages of the character sets of fonts (`\fcharset`). The others use the code page of the document. */
export const CODE_PAGES_OF_FONTS: Readonly<Record<number, number>> = {
  77: 10000,
  128: 932,
  129: 949,
  134: 936,
  136: 950,
  161: 1253,
  162: 1254,
  163: 1258,
  177: 1255,
  178: 1256,
  186: 1257,
  204: 1251,
  222: 874,
  238: 1250,
  254: 437,
  255: 850,
};

type Decoder = InstanceType<typeof TextDecoder>;
const decoders = new Map<number, Decoder | undefined>();

function decoderOf(codePage: number): Decoder | undefined {
  if (!decoders.has(codePage)) {
    const label = encodingOfCodePage(codePage);
    decoders.set(codePage, label === undefined ? undefined : new TextDecoder(label, { fatal: true }));
  }
  return decoders.get(codePage);
}

/** Decodes bytes. `isSure` is false if they are invalid in their code page, and read as windows-1252. */
export function decodeCodePage(
  bytes: Uint8Array,
  codePage: number,
): { readonly text: string; readonly isSure: boolean } {
  const latin = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (bytes.every((byte) => byte < ASCII_END)) return { text: latin, isSure: true };
  const high = HIGH[codePage];
  if (high !== undefined) {
    const text = latin.replace(/[\u0080-\u00ff]/g, (sign) => high[sign.charCodeAt(0) - ASCII_END] as string);
    return { text, isSure: true };
  }
  try {
    const decoder = decoderOf(codePage);
    if (decoder !== undefined) return { text: decoder.decode(bytes), isSure: true };
  } catch {
    // The bytes are invalid in this code page.
  }
  return { text: decoderOf(FALLBACK)?.decode(bytes) ?? '', isSure: false };
}
