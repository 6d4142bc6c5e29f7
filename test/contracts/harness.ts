import { join } from 'node:path';
import { type Harness, openHarness as open } from 'chunksmith/testing';
import type { Config } from '../../server/config/config.ts';
import { withStandIns } from '../support/server.ts';

/** What sinks of this checkout are tested against stands with their tests. */
const STAND_INS_OF_SINKS = join(import.meta.dirname, '../plugins/sinks');

/** A harness with the plugins that shared tests name, and with the stand-ins of the sinks of this checkout. */
export function openHarness(config: Partial<Config> = {}): Promise<Harness> {
  return open(withStandIns(config), { standIns: STAND_INS_OF_SINKS });
}
