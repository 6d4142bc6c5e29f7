import type { Registry } from '../../core/hosting/registry.ts';
import { ConfigError, type Environment } from '../config/config.ts';
import { readServiceUrl } from '../config/urls.ts';

/**
 * Checks the addresses that the plugins' manifests name among their variables.
 *
 * @throws ConfigError with a line for each that is not a URL
 */
export function checkPluginUrls({ all }: Registry, env: Environment): void {
  const names = new Set(all.flatMap(({ manifest }) => manifest.urls ?? []));
  const problems = [...names].flatMap((name) => {
    const text = env[name] ?? '';
    const read = text === '' ? { value: text } : readServiceUrl(text);
    return 'expected' in read ? [`${name}: expected ${read.expected}, got ${JSON.stringify(text)}`] : [];
  });
  if (problems.length > 0) throw new ConfigError(problems.join('\n'));
}
