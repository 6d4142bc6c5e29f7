import { Command } from 'commander';
import type { Environment } from '../../config/config.ts';
import { pluginCheckCommand } from '../plugin/check-command.ts';
import { pluginNewCommand } from './plugin-new.ts';

/** `chunksmith plugin new|check` */
export function pluginCommand(env: Environment): Command {
  const plugin = new Command('plugin').description('Plugins of your own');
  const commands = [pluginNewCommand(), pluginCheckCommand(env)];
  for (const command of commands) plugin.addCommand(command);
  return plugin;
}
