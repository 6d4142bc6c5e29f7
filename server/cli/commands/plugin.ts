import { Command } from 'commander';
import { pluginNewCommand } from './plugin-new.ts';

/** `chunksmith plugin new` */
export function pluginCommand(): Command {
  return new Command('plugin').description('Plugins of your own').addCommand(pluginNewCommand());
}
