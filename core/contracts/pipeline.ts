/**
 * A step of a pipeline. Its configuration has the fields of the plugin's own endpoint. A stored step may name a
 * plugin that no longer exists; only its execution is refused.
 */
export interface PipelineStep {
  readonly type: 'chunk' | 'refine';
  readonly chunker: string | null;
  readonly refinery: string | null;
  readonly config: Readonly<Record<string, unknown>>;
}
