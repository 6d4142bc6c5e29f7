import type { Collaborators } from '../../../core/contracts/plugin.ts';
import type { Refinery } from '../../../core/contracts/refinery.ts';
import { fillerOf } from './fill.ts';
import type { ContextOptions } from './manifest.ts';
import { readTemplate } from './template.ts';

export default function createContextRefinery({ kit }: Collaborators): Refinery<ContextOptions> {
  return {
    refine(chunks, { template, separator, max_length }, { document, join, signal }) {
      const read = readTemplate(template);
      if ('problem' in read) {
        throw kit.refusedError(`template: ${read.problem}.`);
      }
      const fill = fillerOf(read, { document, separator, join }, max_length);
      return chunks.map((chunk, index) => {
        signal.throwIfAborted();
        const context = fill({ chunk, previous: chunks[index - 1], next: chunks[index + 1] });
        return { ...chunk, context: context === '' ? null : context };
      });
    },
  };
}
