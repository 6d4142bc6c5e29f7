import { ServiceError } from '../../core/errors.ts';
import type { PipelineStep } from '../store/contract.ts';

/**
 * Refuses steps that cannot be executed in this order.
 *
 * @throws ServiceError `invalid_parameters` with all problems
 */
export function checkOrder(steps: readonly PipelineStep[]): void {
  const problems: string[] = [];
  if (steps.length === 0) problems.push('steps: the pipeline has none; add at least one chunk step with PUT');
  steps.forEach(({ type, chunker, refinery }, index) => {
    if (type === 'chunk' && !chunker)
      problems.push(`steps[${index}].chunker: missing, expected the name of a chunker`);
    if (type === 'refine' && !refinery)
      problems.push(`steps[${index}].refinery: missing, expected the name of a refinery`);
  });
  const firstChunk = steps.findIndex(({ type }) => type === 'chunk');
  const firstRefine = steps.findIndex(({ type }) => type === 'refine');
  if (firstRefine !== -1 && (firstChunk === -1 || firstRefine < firstChunk)) {
    problems.push(`steps[${firstRefine}]: a refine step needs chunks; put a chunk step before it`);
  }
  if (problems.length > 0) throw new ServiceError('invalid_parameters', { problems });
}

/** The plugin of a step. */
export function pluginOf({ type, chunker, refinery }: PipelineStep) {
  return type === 'chunk'
    ? { kind: 'chunker' as const, name: chunker ?? '' }
    : { kind: 'refinery' as const, name: refinery ?? '' };
}
