/**
 * A step of a pipeline. The configuration takes the fields of the plugin's own endpoint. The plugin may
 * have gone since the pipeline was stored: then it is refused when it is executed, not when it is read.
 */
export interface PipelineStep {
  readonly type: 'chunk' | 'refine';
  readonly chunker: string | null;
  readonly refinery: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}
