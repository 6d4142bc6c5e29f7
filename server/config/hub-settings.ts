import { join } from 'node:path';
import type { Config } from './config.ts';

/** Settings for models on disk and on the Hugging Face hub. @param home the user's home folder */
export function hubSettingsOf(config: Config, home: string) {
  const hubHome = config.hfHome || join(home, '.cache', 'huggingface');
  return {
    /** Folder of models and tokenizers: `<modelsDir>/<name>/tokenizer.json`. */
    modelsDir: config.modelsDir || join(config.dataDir, 'models'),
    /** Folder of the local cache, which the hub's own clients share. */
    hubCacheDir: config.hfHubCache || join(hubHome, 'hub'),
    allowDownloads: config.allowDownloads,
    /** Base URL of the hub, without a trailing slash. */
    hubEndpoint: config.hfEndpoint.replace(/\/+$/, ''),
    /** Access token for the hub, or an empty string. Never logged, and never given to a plugin. */
    hubToken: config.hfToken,
    /** Branch, tag or commit of the hub's repositories, never a path; default `main`. */
    hubRevision: config.hfRevision,
  };
}

export type HubSettings = Readonly<ReturnType<typeof hubSettingsOf>>;
