/** Where models are on this machine, and the hub that has others. */
export interface HubSettings {
  /** Folder of models and tokenizers: `<modelsDir>/<name>/tokenizer.json`. */
  readonly modelsDir: string;
  /** Folder of the hub's local cache, as the hub's own clients lay it out. */
  readonly hubCacheDir: string;
  /** Whether models may be fetched from the hub. */
  readonly allowDownloads: boolean;
  /** Base URL of the hub, without a slash at its end. */
  readonly hubEndpoint: string;
  /** Access token for the hub, or an empty string. Never logged, and never given to a plugin. */
  readonly hubToken: string;
  /** Branch, tag or commit of the hub's repositories, never a path; by default `main`. */
  readonly hubRevision: string;
}
