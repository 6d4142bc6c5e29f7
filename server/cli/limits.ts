import type { Config } from '../config/config.ts';
import { flagName } from '../config/option.ts';
import { OPTION_ENTRIES } from '../config/options.ts';
import { writeSize } from '../config/sizes.ts';

/** Every option that is a number, but the port, as `--workers: 2` and `--max-body-bytes: 100MiB`. */
export function limitsOf(config: Config): string[] {
  return OPTION_ENTRIES.flatMap(([name, { type }]) => {
    if (name === 'port' || (type !== 'integer' && type !== 'size')) return [];
    const value = config[name] as number;
    return [`${flagName(name)}: ${type === 'size' ? writeSize(value) : value}`];
  });
}
