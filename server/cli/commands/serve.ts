import { Command, Option } from 'commander';
import type { Environment, Flags } from '../../config/config.ts';
import { flagName } from '../../config/option.ts';
import { describeOptions, type OptionRow, RETIRED_OPTIONS, withoutLinks } from '../../config/options.ts';
import { VERSION } from '../../config/version.ts';
import { commandName } from '../command-name.ts';
import { withSmallYoungGeneration } from '../v8-switches.ts';

/**
 * The commands `chunksmith serve` and `chunksmith check`.
 *
 * @param onEnd called with the exit status, once the server listens or the check is done
 */
export function serverCommands(env: Environment, onEnd: (status: number) => void): readonly Command[] {
  const serve = withServerFlags(new Command('serve'))
    .description('Run the service (in a checkout also: npm start -- [options]).')
    .action(async (flags: Flags) => onEnd(await run(flags, env)));
  const check = withServerFlags(new Command('check'), 'as in serve')
    .description(CHECK)
    .action(async (flags: Flags) => onEnd(await run({ ...flags, check: true }, env)));
  return [serve, check];
}

const CHECK = `Print what a service with the flags of serve would have and lack, without starting it: plugins, models,
limits, access, jobs, the store of pipelines and the address. Each plugin that can run is run on its example.

Exits with 0 if the service would work, 1 if a plugin is broken, and 2 if a flag, the store or the address cannot be used.`;

function run(flags: Flags, env: Environment): Promise<number> {
  return withSmallYoungGeneration(async () => {
    const { runServer } = await import('../run-server.ts');
    return runServer(flags, env);
  });
}

/**
 * Adds the flags of all server options to a command, whose action then gets `Flags`.
 *
 * @param help whether the command's help lists the flags, or refers to the help of `serve`
 */
export function withServerFlags(command: Command, help: 'listed' | 'as in serve' = 'listed'): Command {
  const isListed = help === 'listed';
  for (const flag of describeOptions().flatMap(flagsOf)) command.addOption(isListed ? flag : flag.hideHelp());
  for (const name of RETIRED_OPTIONS) command.addOption(new Option(`${flagName(name)} <value>`).hideHelp());
  return command
    .version(VERSION)
    .configureOutput({ outputError: (text, write) => write(withoutValue(text)) })
    .addHelpText('after', (context) => (isListed ? helpOnVariables(context) : helpElsewhere()));
}

function helpElsewhere(): string {
  return `\nThe flags and the variables: ${commandName()} serve --help`;
}

/** The flags of an option. Their values stay texts, which `readConfig` parses like those of variables. */
function flagsOf(row: OptionRow): Option[] {
  const { flag, type } = row;
  if (flag === '') return [];
  const text = inWords(row);
  if (type === 'boolean' || type === 'proxies') {
    return [new Option(`${flag} [${type}]`, text), new Option(flag.replace('--', '--no-')).hideHelp()];
  }
  const one = new Option(`${flag} <${type}>`, text);
  return [type === 'list' ? one.argParser(withItems) : one];
}

function inWords({ description, shown }: OptionRow): string {
  const text = withoutLinks(description);
  return shown === '' ? text : `${text} (default: ${shown})`;
}

function withItems(text: string, before: string | undefined): string {
  return before === undefined ? text : `${before},${text}`;
}

/** Removes the value of an unknown flag from a message, because the value may be a secret. */
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
    'Every flag can also be set by an environment variable, its name in capitals: --log-level is LOG_LEVEL.',
    'A switch is turned off with --no-, as in --no-playground.',
    '',
    ...help.formatItemList('Variables without a flag:', rows, help),
  ].join('\n');
}
