/** Code pages of Windows (MS-UCODEREF 2.2.1) whose labels in the Encoding Standard have another number. */
const LABELS: Readonly<Record<number, string>> = {
  0: 'windows-1252',
  866: 'ibm866',
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  1200: 'utf-16le',
  10000: 'macintosh',
  10001: 'shift_jis',
  10002: 'big5',
  10003: 'euc-kr',
  10007: 'x-mac-cyrillic',
  10008: 'gbk',
  20127: 'windows-1252',
  20866: 'koi8-r',
  20932: 'euc-jp',
  21866: 'koi8-u',
  28591: 'iso-8859-1',
  38598: 'iso-8859-8',
  50220: 'iso-2022-jp',
  50221: 'iso-2022-jp',
  50222: 'iso-2022-jp',
  51932: 'euc-jp',
  51949: 'euc-kr',
  54936: 'gb18030',
  65000: 'utf-7',
  65001: 'utf-8',
};

/** The label of a Windows code page. Undefined if the Encoding Standard lacks the code page. */
export function encodingOfCodePage(page: number): string | undefined {
  if (page >= 1250 && page <= 1258) return `windows-${page}`;
  if (page > 28591 && page <= 28606) return `iso-8859-${page - 28590}`;
  return LABELS[page];
}
