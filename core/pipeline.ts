/**
 * A step of a stored pipeline. The configuration takes the fields of the plugin's own endpoint. What is
 * missing or unknown here is refused when the pipeline is executed, not when it is stored.
 */
export interface PipelineStep {
  readonly type: 'chunk' | 'refine';
  /** Name of the chunker of a chunk step. */
  readonly chunker: string | null;
  /** Name of the refinery of a refine step. */
  readonly refinery: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}
