import { Command, InvalidArgumentError } from 'commander';
import { type Environment, readConfig } from '../../config/config.ts';
import { CommandError } from '../errors.ts';
import { failedIn, inLines } from './check-report.ts';
import { pluginFolder } from './plugin-folder.ts';
import { runChecks } from './run-checks.ts';

interface CheckFlags {
  readonly json?: true;
  readonly runs?: number;
  readonly seed?: number;
  readonly limit: number;
}

/** Seconds that a check may take. */
const LIMIT = 120;

/** `chunksmith plugin check my-plugins/section` */
export function pluginCheckCommand(env: Environment): Command {
  return new Command('check')
    .description(
      'Check a plugin: manifest, options, README, example, the contract of its kind on generated texts, and growth',
    )
    .argument('<folder>', 'the folder of the plugin, which has its manifest and its index')
    .option('--json', 'print the results as JSON')
    .option('--runs <number>', 'inputs that are generated; some hundreds unless given', countOf)
    .option('--seed <number>', 'the same seed makes the same inputs', integerOf)
    .option('--limit <seconds>', 'most that one check may take', countOf, LIMIT)
    .addHelpText(
      'after',
      '\nExits with 0 if all promises are kept, 1 if one is broken, 2 if there is no plugin.',
    )
    .action(async (given: string, { json, limit, ...suite }: CheckFlags) => {
      // What is wrong with the variables of the server is no fault of the plugin.
      readConfig({}, env);
      const folder = pluginFolder(given);
      const results = await runChecks(folder, { ...suite, limit });
      const failed = failedIn(results);
      console.log(
        json === true ? JSON.stringify({ folder, ...results }, undefined, 2) : inLines(given, results),
      );
      if (failed > 0) throw new CommandError(`${failed} of ${results.checks.length} checks failed`);
    });
}

function integerOf(text: string): number {
  if (!/^-?\d{1,15}$/.test(text)) throw new InvalidArgumentError('expected a whole number');
  return Number(text);
}

function countOf(text: string): number {
  const count = integerOf(text);
  if (count < 1) throw new InvalidArgumentError('expected 1 or more');
  return count;
}
