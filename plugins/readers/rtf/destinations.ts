const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));

/** Groups without text of the document. */
export const SKIPPED = words(`
  colortbl filetbl listtable listoverridetable listpicture revtbl rsidtbl generator xmlnstbl themedata colorschememapping
  latentstyles datastore pgptbl template passwordhash objdata objclass objname objalias objsect nonshppict shprslt
  bkmkstart bkmkend atnref atnid atnauthor atndate atnicn atnparent atntime atrfstart atrfend
  ftnsep ftnsepc ftncn aftnsep aftnsepc aftncn pn pnseclvl xe tc rxe txe datafield ffdeftext ffentrytext ffexitmacro
  ffformat ffhelptext fflist ffname ffownhelp ffownstat ffstattext formfield nextfile docvar userprops mmathPict mmathPr blipuid
  background panose falt fname fontemb fontfile nonesttables nesttableprops htmltag mhtmltag protusertbl
  wgrffmtfilter mailmerge factoidname oleclsid hl hlsrc hlloc hlfr ebcstart ebcend private
`);
/** Groups that begin with an asterisk, which programs skip unless they know them, and whose text is shown. */
export const KNOWN = words(`
  picprop shpinst shptxt shppict do dptxbxtext ud footnote pntext listtext fldinst fldrslt annotation moMath moMathPara mmath mcGp
`);

/** Members of the group `info`, with their names in metadata. */
export const INFO: ReadonlyMap<string, string> = new Map([
  ['title', 'title'],
  ['author', 'authors'],
  ['subject', 'subject'],
  ['keywords', 'keywords'],
  ['doccomm', 'description'],
  ['creatim', 'created'],
  ['revtim', 'modified'],
]);

/** Groups that are left out and counted if they have text. */
export const COUNTED: ReadonlyMap<string, string> = new Map([
  ...['header', 'headerl', 'headerr', 'headerf'].map((name) => [name, 'header'] as const),
  ...['footer', 'footerl', 'footerr', 'footerf'].map((name) => [name, 'footer'] as const),
  ['annotation', 'comment'],
]);

/** Encloses an operand until parentheses replace it. Texts never contain these characters. */
const OPEN = '\ue000';
const CLOSE = '\ue001';

/** Groups of equations, with the signs before and after them. */
export const EQUATION: ReadonlyMap<string, readonly [before: string, after: string]> = new Map([
  ['mnum', [OPEN, CLOSE]],
  ['mden', [`/${OPEN}`, CLOSE]],
  ['msup', [`^${OPEN}`, CLOSE]],
  ['msub', [`_${OPEN}`, CLOSE]],
  ['mlim', [`_${OPEN}`, CLOSE]],
  ['mrad', [`\u221a${OPEN}`, CLOSE]],
  ['mdeg', ['', '&']],
  ['md', ['(', ')']],
]);

export function simplifiedEquation(text: string): string {
  if (!text.includes(OPEN)) return text;
  return text
    .replaceAll(`${OPEN}&`, OPEN)
    .replace(/[_^/]?\ue000\s*\ue001/g, '')
    .replace(/\ue000(.|[\p{L}\p{N}]*)\ue001/gu, '$1')
    .replaceAll(OPEN, '(')
    .replaceAll(CLOSE, ')');
}
