import { CHARACTERS, CharacterReader } from './characters.ts';
import { readRtfTokens } from './tokens.ts';

const HEAD = 1024;
const SKIPPED: ReadonlySet<string> = new Set([
  ...['fonttbl', 'colortbl', 'stylesheet', 'info', 'pict', 'generator', 'object', 'objdata', 'mhtmltag'],
  ...['listtable', 'listoverridetable', 'rsidtbl', 'revtbl', 'themedata', 'datastore', 'latentstyles'],
]);

interface Group {
  readonly isSkipped: boolean;
  readonly isStarred: boolean;
  readonly isTag: boolean;
  /** Whether its text replaces HTML for programs that read RTF alone. */
  readonly isReplacement: boolean;
  readonly uc: number;
  readonly font: number;
}

/** The HTML that a mail program put into RTF (MS-OXRTFEX); undefined if the file has none. */
export function htmlInRtf(bytes: Uint8Array): string | undefined {
  if (!/\\fromhtml1?(?!\d)/.test(Buffer.from(bytes.subarray(0, HEAD)).toString('latin1'))) return undefined;
  const parts: string[] = [];
  const groups: Group[] = [];
  let group: Group = {
    isSkipped: false,
    isStarred: false,
    isTag: false,
    isReplacement: false,
    uc: 1,
    font: -1,
  };
  let fontNumber = 0;
  const characters = new CharacterReader((text) => {
    if (!group.isSkipped && (group.isTag || !group.isReplacement)) parts.push(text);
  });
  readRtfTokens(bytes, {
    open() {
      characters.flush();
      characters.endReplacement();
      groups.push(group);
    },
    close() {
      characters.flush();
      characters.endReplacement();
      group = groups.pop() as Group;
      if (group.font >= 0) characters.select(group.font);
    },
    byte(byte) {
      characters.byte(byte);
    },
    control(name, parameter) {
      const character = name === 'par' ? '\n' : CHARACTERS[name];
      if (character !== undefined) characters.character(character);
      else if (name === 'u') characters.unicode(parameter ?? 0, group.uc);
      else {
        characters.flush();
        if (name === '*') group = { ...group, isStarred: true };
        else if (name === 'htmltag') group = { ...group, isTag: true, isStarred: false };
        else if (name === 'htmlrtf') group = { ...group, isReplacement: parameter !== 0 };
        else if (SKIPPED.has(name) || group.isStarred)
          group = { ...group, isSkipped: true, isStarred: false };
        else if (name === 'uc') group = { ...group, uc: parameter ?? 1 };
        else if (name === 'ansicpg') characters.documentCodePage = parameter ?? 1252;
        if (name === 'f') {
          fontNumber = parameter ?? 0;
          group = { ...group, font: fontNumber };
          characters.select(fontNumber);
        } else if (name === 'fcharset') characters.setFont(fontNumber, parameter, undefined);
      }
    },
  });
  characters.flush();
  return parts.join('').toWellFormed();
}
