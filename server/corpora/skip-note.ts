import type { SkipReason } from '../store/jobs/contract.ts';

/** The description of a skipped file. */
export interface SkipNote {
  readonly skipped: SkipReason;
  /** Why, and what to change, in a sentence. */
  readonly detail: string;
  /** The same for several files, in a few words: `need DOCLING_URL or TIKA_URL`. */
  readonly brief: string;
}

const unreadable = (detail: string, brief: string): SkipNote => ({ skipped: 'unreadable', detail, brief });

/** Why an entry of a folder, or an object of a bucket, is not read. */
export const UNREAD = {
  hidden: {
    skipped: 'ignored',
    detail: 'Its name begins with a dot: name it to include it.',
    brief: 'have a name that begins with a dot',
  },
  linkedFolder: {
    skipped: 'ignored',
    detail: 'It is a link to a folder: name the folder to include it.',
    brief: 'link to a folder',
  },
  encoding: unreadable('Its name is not UTF-8: rename it.', 'have a name that is not UTF-8'),
  outside: unreadable('It is a link that leads outside: put a copy in its place.', 'lead outside'),
  dangling: unreadable('It is a link to nothing: correct or remove it.', 'link to nothing'),
  special: unreadable(
    'It is neither a file nor a folder, but a pipe, a socket or a device.',
    'are neither file nor folder',
  ),
  forbidden: unreadable('There is no permission to read it: grant it.', 'lack permission'),
  key: unreadable(
    'Its key has an empty part, "." or "..", which no path can name: copy it to another key.',
    'have a key that no path can name',
  ),
} as const satisfies Readonly<Record<string, SkipNote>>;
