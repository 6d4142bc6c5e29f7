import { factsOf } from './facts.ts';
import { type Markdown, writeMarkdown } from './markdown.ts';

/** What Tika says of a file, or of one within it, by its names. Tika 3 has `X-TIKA:` where Tika 4 has `tk:`. */
export type Entry = Readonly<Record<string, unknown>>;

/** What Tika made of a file. */
export interface Parsed extends Markdown {
  readonly title: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Files within the file that it could not read. */
  readonly unread: number;
}

/** Characters of its own errors that are shown. */
const LONGEST_PROBLEM = 300;
const CONTENT = ['X-TIKA:content', 'tk:content'];
/** Why a file, the first, or one within it was not read to its end. */
const CONTAINER_PROBLEMS = ['X-TIKA:EXCEPTION:container_exception', 'tk:exception:container-exception'];
const ATTACHMENT_PROBLEMS = ['X-TIKA:EXCEPTION:embedded_exception', 'tk:exception:embedded-exception'];
/** That a limit which its operator has set was reached, so that text is missing. */
const LIMITS = [
  'X-TIKA:EXCEPTION:write_limit_reached',
  'tk:exception:write-limit-reached',
  'X-TIKA:EXCEPTION:embedded_resource_limit_reached',
  'tk:exception:embedded-resource-limit-reached',
  'tk:exception:task-deadline-reached',
];

/** Reads an answer of `/rmeta/xml`: the file, and the files within it behind it. @throws Error if it is another one */
export function readAnswer(answer: unknown): Parsed | { readonly problem: string } {
  if (!Array.isArray(answer)) throw new Error('it is no list');
  const [file, ...attachments] = answer as readonly Entry[];
  if (typeof file !== 'object' || file === null) throw new Error('it is empty');
  const problem = firstOf(file, CONTAINER_PROBLEMS);
  if (problem !== undefined) return { problem: shorten(problem) };
  if (firstOf(file, LIMITS) === 'true')
    return { problem: 'a limit of the server was reached, so that text is missing' };
  const parts = [file, ...attachments].map((entry) => firstOf(entry, CONTENT) ?? '');
  const { text, pages } = writeMarkdown(parts.join(''));
  const unread = attachments.filter((entry) => firstOf(entry, ATTACHMENT_PROBLEMS) !== undefined).length;
  // Half a surrogate pair is no character, and has no bytes.
  return { text: text.toWellFormed(), pages, unread, ...factsOf(file) };
}

function firstOf(entry: Entry, names: readonly string[]): string | undefined {
  const value = [names.map((name) => entry?.[name]).find((one) => one !== undefined)].flat()[0];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The class and the message of a Java exception, without where it was thrown. */
function shorten(exception: string): string {
  const [first = ''] = exception.split('\n', 1);
  return first
    .trim()
    .replace(/\b(?:[a-z]\w*\.)+(?=[A-Z])/g, '')
    .slice(0, LONGEST_PROBLEM);
}
