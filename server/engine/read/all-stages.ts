import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import type { StageRequest } from '../stages/stages.ts';
import { Refusals } from '../validation/refusals.ts';

/**
 * Checks all steps.
 *
 * @throws ServiceError `invalid_parameters` with the problems of all of them; another error, unless one of these goes before it
 */
export function allStages(
  steps: readonly PipelineStep[],
  check: (step: PipelineStep, index: number) => StageRequest,
): StageRequest[] {
  const refusals = new Refusals();
  const stages = steps.map((step, index) => {
    const stage = refusals.collect(() => check(step, index));
    if (stage !== undefined) refusals.note({ ...stage, place: stage.place ?? `steps[${index}].config.` });
    return stage;
  });
  if (refusals.problems.length > 0) throw refusals.error();
  return stages as StageRequest[];
}
