/** How a command ended, as its exit status. */
export const EXIT = { done: 0, failed: 1, usage: 2, someFailed: 3, interrupted: 130 } as const;

/** A command that cannot be carried out as it was given; the message says what to change. */
export class UsageError extends Error {}

/** A command that failed for a reason which its message says. */
export class CommandError extends Error {}
