const rtf = (body: string): Buffer => Buffer.from(`{\\rtf1\\ansi ${body}}`, 'latin1');
const BYTES = 3_000_000;
const repeated = (text: string): string => text.repeat(BYTES / text.length);

/** Files that would take too long or too much memory, were they read without care. */
export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  'groups in groups': () => rtf(repeated('{')),
  'groups not closed': () => rtf(repeated('{\\b a}{\\b ')),
  'empty groups': () => rtf(repeated('{}')),
  'one paragraph': () => rtf(repeated('\\b a\\b0 b')),
  'many paragraphs': () => rtf(repeated('a\\par ')),
  'notes in notes': () => rtf(repeated(`${'a{\\footnote b'.repeat(200)}${'}'.repeat(200)}\\par `)),
  'cells without a row': () => rtf(repeated('\\intbl a\\cell ')),
  'definitions of cells': () => rtf(`\\trowd${repeated('\\cellx1')}a\\cell\\row `),
  'edges of cells': () =>
    rtf(Array.from({ length: 50_000 }, (_, at) => `\\trowd\\cellx${at * 100}\\intbl a\\cell\\row `).join('')),
  'merged cells': () =>
    rtf(repeated('\\trowd\\clvmrg\\cellx100\\clmrg\\cellx200\\intbl a\\cell b\\cell\\row ')),
  spaces: () => rtf(repeated(' ')),
  'line breaks': () => rtf(repeated('\\line ')),
  'equations not closed': () => rtf(`${'{\\mnum '.repeat(900)}${repeated('a')}`),
  'control characters': () => rtf(repeated("\\'")),
  'a picture that is longer than the file': () => rtf('a{\\pict\\bin999999999 x}'),
  replacements: () => rtf(repeated('\\uc100000\\u65 a')),
  fonts: () =>
    rtf(
      `{\\fonttbl${Array.from({ length: 200_000 }, (_, at) => `{\\f${at}\\fcharset128 a;}`).join('')}}\\f1 a`,
    ),
  'HTML of mail': () => Buffer.from(`{\\rtf1\\ansi\\fromhtml1 ${repeated('{\\*\\htmltag <div>}')}}`),
};
