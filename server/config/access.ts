import { readFileSync } from 'node:fs';
import { type Config, ConfigError } from './config.ts';
import { splitList } from './values.ts';

export type AccessConfig = Pick<
  Config,
  'apiKeys' | 'apiKeysFile' | 'docsNeedKey' | 'corsOrigins' | 'rateLimit' | 'failedKeyLimit' | 'trustProxy'
>;

export function asksForKeys({ apiKeys, apiKeysFile }: AccessConfig): boolean {
  return apiKeys !== '' || apiKeysFile !== '';
}

/** Maximum wrong keys per minute from one address; 0 if unlimited. */
export function failedKeyLimitOf(config: AccessConfig): number {
  const { failedKeyLimit, rateLimit } = config;
  if (!asksForKeys(config)) return 0;
  return failedKeyLimit === 0 ? rateLimit : failedKeyLimit;
}

/**
 * The accepted API keys; empty if the service requires none. Error messages never contain a key.
 *
 * @throws ConfigError if keys are configured but none is found, or if a key cannot be sent in a header
 */
export function readKeys(config: AccessConfig): string[] {
  if (!asksForKeys(config)) return [];
  const { apiKeys, apiKeysFile } = config;
  if (apiKeys !== '' && apiKeysFile !== '') {
    throw new ConfigError(
      'API_KEYS and --api-keys-file (API_KEYS_FILE) are both set: put all keys in one of them',
    );
  }
  const place = apiKeys === '' ? `--api-keys-file ${apiKeysFile}` : 'API_KEYS';
  const keys = splitList(apiKeys === '' ? readLines(apiKeysFile).join(',') : apiKeys);
  if (keys.length === 0) {
    throw new ConfigError(`${place}: it contains no key; add one, or unset it to require none`);
  }
  const bad = keys.findIndex((key) => !/^[\x21-\x7e]+$/.test(key));
  if (bad === -1) return keys;
  throw new ConfigError(`${place}: key ${bad + 1} must consist of ASCII letters, digits and punctuation`);
}

function readLines(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').split(/\r?\n/);
  } catch (error) {
    const code = String((error as NodeJS.ErrnoException).code);
    throw new ConfigError(`--api-keys-file ${file}: the file cannot be read (${code})`);
  }
}

/**
 * Describes who may call the service, as a list of sentences for the log and for `check`.
 *
 * @throws ConfigError as `readKeys` does
 */
export function describeAccess(config: AccessConfig): string[] {
  const { docsNeedKey, corsOrigins, rateLimit, trustProxy } = config;
  const keys = readKeys(config).length;
  const documentation = docsNeedKey ? 'so does the documentation' : 'the documentation is open';
  return [
    keys === 0
      ? 'Keys: none; anyone who can reach this address may use the service'
      : `Keys: ${keys}; requests must carry one, ${documentation}`,
    `CORS: ${corsOrigins.length === 0 ? 'off' : `web pages of ${corsOrigins.join(', ')} may call the service`}`,
    `Rate limit: ${rateLimit === 0 ? 'off' : `${rateLimit} requests per minute and address, in each server`}`,
    ...(keys === 0 ? [] : [`Wrong keys: ${wrongKeys(failedKeyLimitOf(config))}`]),
    `Address of a client: ${addressOf(trustProxy)}`,
  ];
}

function wrongKeys(limit: number): string {
  return limit === 0 ? 'not limited' : `at most ${limit} per minute and address`;
}

function addressOf(trustProxy: Config['trustProxy']): string {
  if (trustProxy === 0) return 'that of its connection';
  const of = typeof trustProxy === 'number' ? `${trustProxy} in front` : trustProxy.join(', ');
  return `from X-Forwarded-For, by the trusted proxies (${of})`;
}
