import { join } from 'node:path';
import type { HubSettings } from '../hub/settings.ts';
import type { Config } from './config.ts';

/**
 * The part of the configuration that is about models on disk and on the hub.
 *
 * @param home folder of the user
 */
export function hubSettingsOf(config: Config, home: string): HubSettings {
  const hubHome = config.hfHome || join(home, '.cache', 'huggingface');
  return {
    modelsDir: config.modelsDir || join(config.dataDir, 'models'),
    hubCacheDir: config.hfHubCache || join(hubHome, 'hub'),
    allowDownloads: config.allowDownloads,
    hubEndpoint: config.hfEndpoint.replace(/\/+$/, ''),
    hubToken: config.hfToken,
    hubRevision: config.hfRevision,
  };
}
