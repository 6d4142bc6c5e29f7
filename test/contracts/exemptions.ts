import type { Exemptions } from 'chunksmith/testing';
import type { PluginId } from '../../core/contracts/manifest.ts';

/** What single plugins need not keep. */
export const EXEMPTIONS: Readonly<Partial<Record<PluginId, Exemptions>>> = {
  'chunker/token': {
    "token_count is the count of the chunk's own text":
      'A window holds tokens of the whole text; its text alone may be read as other tokens.',
  },
};
