import type { Test } from 'tap';
import type { Config } from '../../../server/config/config.ts';
import { openService } from '../../support/service.ts';

/** Checks that a chunker refuses requests with 400 and a detail that has a stretch or is like a pattern. */
export async function checkRefusals(
  t: Test,
  chunker: string,
  refusals: readonly (readonly [request: object, detail: string | RegExp])[],
  config: Partial<Config> = {},
): Promise<void> {
  const { post } = await openService(t, config);
  for (const [request, detail] of refusals) {
    const { status, json } = await post(`/v1/chunk/${chunker}`, { text: 'a', ...request });
    t.match({ status, ...json<object>() }, { status: 400, detail }, JSON.stringify(request).slice(0, 80));
  }
}
