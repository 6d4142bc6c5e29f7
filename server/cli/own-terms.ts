import { flagName, variableName } from '../config/option.ts';
import { OPTION_ENTRIES } from '../config/options.ts';
import { commandName } from './command-name.ts';

const SHARED: ReadonlySet<string> = new Set(['--workers']);

const VARIABLES: ReadonlyMap<string, string> = new Map(
  OPTION_ENTRIES.map(([name]) => [flagName(name), variableName(name)] as const).filter(
    ([flag]) => !SHARED.has(flag),
  ),
);

const SWITCHES: ReadonlySet<string> = new Set(
  OPTION_ENTRIES.filter(([, { type }]) => type === 'boolean').map(([name]) => flagName(name)),
);

const TERMS: readonly (readonly [service: RegExp, own: string])[] = [
  [/The request (took|needed)/, 'The document $1'],
  [/send less text per request/, 'split the document'],
  [/start the server with (?:a longer|more) (?=--)/, 'raise '],
  [/start the server with (?=--)/, 'set '],
  [/the operator can raise it with/, 'raise it with'],
  [/,? and restart the server/, ''],
  [/Internal error\..*$/, 'Internal error: report it with the document.'],
  [/an unexpected error; see the server's log/, 'an unexpected error'],
  [/The server's log and --check say where/, '{check} says where'],
  [/see the server's log or --check/, 'see {check}'],
  [/than the job allows \(max_errors is 0\)/, 'than --fail-fast allows'],
  [/GET \/v1\/jobs\/ID\/errors lists/, 'the files errors-*.jsonl in the folder of --out list'],
  [/GET \/v1\/pipelines lists all pipelines/, '{pipelines} lists those of a service'],
  [/This server reads/, 'This installation reads'],
  [/ Send its name \(filename\) or its media type\./, ' Give the file a name with an extension.'],
  [/the server has (no permission|too many files open)/, 'this process has $1'],
  [/source\.fields\.(id|text|title|metadata)\b/, '--$1-field'],
];

/**
 * Rewords a message of the service for the command line. Flags of the server become environment variables,
 * because these commands do not have the server's flags.
 */
export function inOwnTerms(message: string): string {
  const worded = TERMS.reduce((text, [service, own]) => text.replace(service, own), message)
    .replace('{check}', `${commandName()} check`)
    .replace('{pipelines}', `${commandName()} pipelines list`);
  return worded.replace(/--[a-z][a-z-]*/g, (flag) => {
    const variable = VARIABLES.get(flag);
    if (variable === undefined) return flag;
    return SWITCHES.has(flag) ? `${variable}=true` : variable;
  });
}
