import type { PipelineStep } from '../../../core/contracts/pipeline.ts';
import { invalid, ServiceError } from '../../../core/errors.ts';
import type { StageRequest } from '../stages/stages.ts';
import type { NamedOptions, Unlooked } from '../stages/unknown-names.ts';

/**
 * Checks all steps.
 *
 * @throws ServiceError `invalid_parameters` with the problems of all of them; any other error at once
 */
export function allStages(
  steps: readonly PipelineStep[],
  check: (step: PipelineStep, index: number) => StageRequest,
): StageRequest[] {
  const problems: string[] = [];
  const named: NamedOptions[] = [];
  const stages: StageRequest[] = [];
  for (const [index, step] of steps.entries()) {
    try {
      const stage = check(step, index);
      stages.push(stage);
      named.push({ ...stage, place: `steps[${index}].config.` });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== 'invalid_parameters') throw error;
      problems.push(...error.problems);
      named.push(...((error as Unlooked).named ?? []));
    }
  }
  if (problems.length === 0) return stages;
  throw Object.assign(invalid(problems), { named } satisfies Pick<Unlooked, 'named'>);
}
