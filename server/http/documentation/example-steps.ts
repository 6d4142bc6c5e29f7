import { needsKey } from '../../../core/hosting/capability.ts';
import type { PluginEntry, Registry } from '../../../core/hosting/registry.ts';
import type { PipelineStep } from '../../store/contract.ts';

/** Steps of a pipeline for examples: of a chunker and a refinery that are here and need little. */
export function exampleSteps(registry: Registry): PipelineStep[] {
  const chunker = lightest(registry.ofKind('chunker'));
  const refinery = lightest(registry.ofKind('refinery'));
  const steps: PipelineStep[] = [];
  if (chunker !== undefined) {
    const { text: _, ...config } = chunker.manifest.example ?? {};
    steps.push({ type: 'chunk', chunker: chunker.manifest.name, refinery: null, config });
  }
  if (refinery !== undefined) {
    const { chunks: _, ...config } = refinery.manifest.example ?? {};
    steps.push({ type: 'refine', chunker: null, refinery: refinery.manifest.name, config });
  }
  return steps;
}

function lightest(entries: readonly PluginEntry[]): PluginEntry | undefined {
  const ready = entries.filter(
    ({ missing, manifest }) => missing.length === 0 && manifest.example && !needsKey(manifest),
  );
  const isLight = ({ manifest }: PluginEntry) =>
    manifest.light === true && !manifest.uses?.includes('embedding');
  return ready.find(isLight) ?? ready[0];
}
