import { defineEntity, type InferEntity, p } from '@mikro-orm/core';
import type { PipelineStep } from '../../core/contracts/pipeline.ts';
import { ExactJson, MicrosecondTime } from './column-types.ts';

/** The table of pipelines; a change here needs a migration. */
export const PipelineEntity = defineEntity({
  name: 'Pipeline',
  tableName: 'pipelines',
  uniques: [{ name: 'pipelines_name_unique', properties: ['name'] }],
  indexes: [{ name: 'pipelines_created_at_id_index', properties: ['createdAt', 'id'] }],
  properties: {
    id: p.uuid().primary(),
    name: p.string(),
    description: p.text().nullable(),
    steps: p.type(ExactJson<readonly PipelineStep[]>),
    createdAt: p.type(MicrosecondTime),
    updatedAt: p.type(MicrosecondTime),
    // Not `.version()`: that needs a default in the table, and does not check deletions.
    version: p.integer(),
  },
});

export type PipelineRow = InferEntity<typeof PipelineEntity>;
