/** The member of a body that stores steps whose plugins are not there. */
export const allowMissing = {
  type: 'boolean',
  default: false,
  description:
    'Whether a step may name a plugin that is not loaded here, for a server that loads it later. Until then the pipeline cannot be executed.',
} as const;
