/**
 * A step of a pipeline. Its configuration has the fields of the plugin's own endpoint. A stored step may name a
 * plugin that no longer exists: it can be read, but not run.
 */
export interface PipelineStep {
  readonly type: 'chunk' | 'refine';
  readonly chunker: string | null;
  readonly refinery: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}
