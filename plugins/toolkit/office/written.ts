const ESCAPE = /_x([\da-f]{4})_/gi;

/** Resolves the escapes of characters that XML cannot contain: `_x000B_` is a line break within a paragraph. */
export function decodeEscapes(text: string): string {
  if (!text.includes('_x') && !text.includes('_X')) return text;
  return text.replace(ESCAPE, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}

const FILE_NAME =
  /^(?:file:\/|[a-z]:[\\/]|\\\\)|^[^\s<>]+\.(?:png|jpe?g|gif|bmp|tiff?|svg|webp|emf|wmf|heic|pdf)$/i;

/** Whether the description of a picture is only the name or path of its file, as some programs write it. */
export function isFileName(description: string): boolean {
  return FILE_NAME.test(description.trim());
}
