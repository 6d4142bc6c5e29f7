/** What docling-serve made of a file, or why it made nothing. */
export type Converted = { readonly markdown: string } | { readonly problem: string };

/** Characters of its own errors that are shown. */
const LONGEST_PROBLEM = 300;

interface Answer {
  readonly document?: { readonly md_content?: unknown } | null;
  readonly status?: unknown;
  readonly errors?: readonly { readonly error_message?: unknown }[] | null;
}

/**
 * Reads an answer of `/v1/convert/file`. A part of a file is not the file: pages that failed make it a problem.
 *
 * @throws Error if the answer is of another kind
 */
export function readAnswer(answer: unknown): Converted {
  const { document, status, errors } = (answer ?? {}) as Answer;
  if (typeof status !== 'string') throw new Error('it has no status');
  const markdown = document?.md_content;
  if (status !== 'success') return { problem: problemOf(status, errors ?? []) };
  if (typeof markdown !== 'string') throw new Error('it has no Markdown');
  // Half a surrogate pair is no character, and has no bytes.
  return { markdown: markdown.toWellFormed() };
}

function problemOf(status: string, errors: NonNullable<Answer['errors']>): string {
  const messages = errors.flatMap(({ error_message }) =>
    typeof error_message === 'string' && error_message !== '' ? [error_message] : [],
  );
  return [status.replaceAll('_', ' '), ...messages].join('; ').slice(0, LONGEST_PROBLEM);
}
