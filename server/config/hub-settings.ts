import { join } from 'node:path';
import type { Config } from './config.ts';

/**
 * The part of the configuration that is about models on disk and on the hub.
 *
 * @param home the user's home folder
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

/** Where models are on this machine, and the hub for others. */
export interface HubSettings {
  /** Folder of models and tokenizers: `<modelsDir>/<name>/tokenizer.json`. */
  readonly modelsDir: string;
  /** Folder of the hub's local cache, in the layout of the hub's own clients. */
  readonly hubCacheDir: string;
  /** Whether models may be fetched from the hub. */
  readonly allowDownloads: boolean;
  /** Base URL of the hub, without a trailing slash. */
  readonly hubEndpoint: string;
  /** Access token for the hub, or an empty string. Never logged, and never given to a plugin. */
  readonly hubToken: string;
  /** Branch, tag or commit of the hub's repositories, never a path; by default `main`. */
  readonly hubRevision: string;
}
