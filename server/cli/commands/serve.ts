import { Command, Option } from 'commander';
import type { Environment, Flags } from '../../config/config.ts';
import { describeOption, describeOptions, type OptionRow } from '../../config/help.ts';
import type { Option as ServerOption } from '../../config/option.ts';
import { OPTION_ENTRIES, type OptionName } from '../../config/options.ts';
import { VERSION } from '../../config/version.ts';
import { withSmallYoungGeneration } from '../v8-switches.ts';

/**
 * `chunksmith serve` and `check`.
 *
 * @param onEnd called with the exit status once the server listens, or is checked
 */
export function serverCommands(env: Environment, onEnd: (status: number) => void): readonly Command[] {
  const serve = withServerFlags(new Command('serve'))
    .description('Run the service; in a checkout, npm start -- [options] does so, too.')
    .action(async (flags: Flags) => onEnd(await run(flags, env)));
  const check = withServerFlags(new Command('check'))
    .description('Say what a service with these flags has and lacks, and do not start it.')
    .action(async (flags: Flags) => onEnd(await run({ ...flags, check: true }, env)));
  return [serve, check];
}

function run(flags: Flags, env: Environment): Promise<number> {
  return withSmallYoungGeneration(async () => {
    const { runServer } = await import('../run-server.ts');
    return runServer(flags, env);
  });
}

/** Adds the flags of the table of options to a command, whose `opts` are then `Flags`. */
export function withServerFlags(command: Command): Command {
  for (const [name, option] of OPTION_ENTRIES) {
    for (const flag of flagsOf(name, option)) command.addOption(flag);
  }
  return command
    .version(VERSION)
    .configureOutput({ outputError: (text, write) => write(withoutValue(text)) })
    .addHelpText('after', helpOnVariables);
}

/** A value is kept as it was written: it is read as the text of a variable is. */
function flagsOf(name: OptionName, option: ServerOption): Option[] {
  const row = describeOption(name, option);
  const { flag } = row;
  if (flag === '') return [];
  const text = inWords(row);
  if (option.type === 'boolean') {
    return [new Option(`${flag} [boolean]`, text), new Option(flag.replace('--', '--no-')).hideHelp()];
  }
  const one = new Option(`${flag} <${option.type}>`, text);
  return [option.type === 'list' ? one.argParser(withItems) : one];
}

function inWords({ description, shown }: OptionRow): string {
  return shown === '' ? description : `${description} (default: ${shown})`;
}

function withItems(text: string, before: string | undefined): string {
  return before === undefined ? text : `${before},${text}`;
}

/** A flag that there is not may have been meant for a secret. */
function withoutValue(error: string): string {
  return error.replace(/^(error: unknown option '[^=]*)=.*'/s, "$1'");
}

function helpOnVariables({ command }: { readonly command: Command }): string {
  const help = command.createHelp();
  const width = help.padWidth(command, help);
  const rows = describeOptions()
    .filter(({ flag }) => flag === '')
    .map((row) => help.formatItem(row.variable, width, inWords(row), help));
  return [
    '',
    'Every flag can be set by the environment variable of its name in capitals: --log-level is LOG_LEVEL.',
    'A switch is turned off by --no-, as in --no-playground.',
    '',
    ...help.formatItemList('Variables without a flag:', rows, help),
  ].join('\n');
}
