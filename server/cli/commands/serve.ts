import { Command } from 'commander';
import { describeOptions } from '../../config/help.ts';

/**
 * `chunksmith serve` and `check` as the help and the completion of shells know them; their arguments are read by the
 * entry of the server.
 */
export function serverCommands(): readonly Command[] {
  const serve = new Command('serve').description('Run the service; serve --help explains its flags');
  const check = new Command('check').description(
    'Say what a service with these flags has and lacks, and do not start it; takes the flags of serve',
  );
  for (const command of [serve, check]) {
    for (const { flag, description } of describeOptions()) {
      if (flag !== '') command.option(flag, description);
    }
  }
  return [serve, check];
}
