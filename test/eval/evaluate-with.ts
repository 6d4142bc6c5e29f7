import type { Service } from '../../server/service/service.ts';
import type { Evaluation } from '../support/evaluation.ts';
import { runTask } from '../support/service.ts';

/** Answers a request to evaluate; stored pipelines are not known. */
export async function evaluateWith(service: Service, request: object): Promise<Evaluation> {
  const { bytes } = await runTask(service, { run: 'evaluate', pipelines: new Map() }, request);
  return JSON.parse(Buffer.from(bytes).toString());
}
