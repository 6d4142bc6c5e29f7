const SHIFTED = /\+([A-Za-z\d+/]*)-?/g;

/** Decodes UTF-7 (RFC 2152), which the Encoding Standard does not have. Undefined if the bytes are invalid. */
export function utf7Text(bytes: Uint8Array): string | undefined {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('latin1');
  if (/[\u0080-\u00ff]/.test(source)) return undefined;
  const text = source.replace(SHIFTED, (written, encoded: string) => {
    if (encoded === '') return written === '+-' ? '+' : written;
    const wide = Buffer.from(encoded, 'base64');
    return wide
      .subarray(0, wide.length - (wide.length % 2))
      .swap16()
      .toString('utf16le');
  });
  return text.isWellFormed() ? text : undefined;
}
