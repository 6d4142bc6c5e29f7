const FOLD = /\r?\n[ \t]/g;
const LINE = /^([A-Za-z-]+)((?:;[^:"\r\n]*(?:"[^"\r\n]*"[^:"\r\n]*)*)?):(.*)$/;
const COMPONENTS = new Set(['VEVENT', 'VTODO', 'VJOURNAL']);
const LABELS: Readonly<Record<string, string>> = {
  SUMMARY: 'Summary',
  DTSTART: 'Start',
  DTEND: 'End',
  DUE: 'Due',
  LOCATION: 'Location',
  ORGANIZER: 'Organizer',
  ATTENDEE: 'Attendees',
  STATUS: 'Status',
  RRULE: 'Repeats',
  COMMENT: 'Comment',
  DESCRIPTION: 'Description',
};

/**
 * The events and tasks of a calendar (RFC 5545) as Markdown, each as a list. Descriptions in `known` are left out,
 * because mails repeat their text in them.
 */
export function calendarBlocks(source: string, known: string): string[] {
  const blocks: string[] = [];
  const stack: string[] = [];
  let facts = new Map<string, string[]>();
  const has = words(known);
  for (const line of source.replace(FOLD, '').split(/\r?\n/)) {
    const [, name = '', parameters = '', value = ''] = LINE.exec(line.trimEnd()) ?? [];
    const property = name.toUpperCase();
    if (property === 'BEGIN') stack.push(value.toUpperCase());
    if (property === 'BEGIN' && COMPONENTS.has(value.toUpperCase())) facts = new Map();
    const current = stack.at(-1) ?? '';
    if (property === 'END') {
      if (COMPONENTS.has(current)) blocks.push(...eventBlock(facts, has));
      stack.pop();
    } else if (COMPONENTS.has(current) && property in LABELS) {
      const values = facts.get(property) ?? [];
      values.push(textOf(property, parameters, value));
      facts.set(property, values);
    }
  }
  return blocks;
}

function eventBlock(facts: ReadonlyMap<string, readonly string[]>, known: string): string[] {
  const lines: string[] = [];
  for (const [property, label] of Object.entries(LABELS)) {
    const written = (facts.get(property) ?? []).filter((value) => value !== '').join(', ');
    if (written === '' || (property === 'DESCRIPTION' && known.includes(words(written)))) continue;
    lines.push(`- ${label}: ${written.replace(/\s*\n\s*/g, '\n  ')}`);
  }
  return lines.length === 0 ? [] : [lines.join('\n')];
}

const words = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();

const TIME = /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)(\d\d)(Z)?)?$/;

function textOf(property: string, parameters: string, value: string): string {
  const text = value.replace(/\\([\\;,nN])/g, (_, sign: string) => (/n/i.test(sign) ? '\n' : sign)).trim();
  const name = parameterOf(parameters, 'CN');
  const address = text.replace(/^mailto:/i, '');
  if (property === 'ORGANIZER' || property === 'ATTENDEE')
    return name === undefined || name === address ? address : `${name} <${address}>`;
  const [, year, month, day, hours, minutes, , zone] = TIME.exec(text) ?? [];
  if (year === undefined) return text;
  const place = parameterOf(parameters, 'TZID');
  const suffix = zone === undefined ? (place === undefined ? '' : ` (${place})`) : ' UTC';
  return `${year}-${month}-${day}${hours === undefined ? '' : ` ${hours}:${minutes}${suffix}`}`;
}

function parameterOf(parameters: string, name: string): string | undefined {
  const value = new RegExp(`;${name}=("[^"]*"|[^;:]*)`, 'i').exec(parameters)?.[1];
  return value?.replaceAll('"', '').trim();
}
