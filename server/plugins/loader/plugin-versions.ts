import { type Manifest, PLUGIN_CONTRACT_VERSION } from '../../../core/contracts/manifest.ts';
import { malformed } from './plugin-folders.ts';

/**
 * Checks the version of a plugin, and the range of versions of the contract that it is written for.
 *
 * @returns that the contract of this server is none of them, as one clause; `undefined` if it is
 * @throws ServiceError `malformed_plugin` if one of the two is not written by semantic versioning
 */
export async function checkVersions(
  file: string,
  { version, engine }: Manifest,
): Promise<string | undefined> {
  if (version === undefined && engine === undefined) return undefined;
  // Most plugins say nothing of versions, and every start and thread would wait for the package.
  const { default: semver } = await import('semver');
  const refuse = (field: string, expected: string, got: string) =>
    malformed(file, `manifest.${field}: expected ${expected}, got ${JSON.stringify(got)}`);
  if (version !== undefined && semver.valid(version) === null)
    throw refuse('version', 'a semantic version such as "1.2.0"', version);
  if (engine === undefined) return undefined;
  if (semver.validRange(engine) === null)
    throw refuse('engine', 'a range of semantic versions such as "^1.0.0"', engine);
  if (semver.satisfies(PLUGIN_CONTRACT_VERSION, engine)) return undefined;
  return `it is written for version ${engine} of the plugin contract, and this server has ${PLUGIN_CONTRACT_VERSION}: it may not work; take a version of the plugin, or of the server, that fits`;
}
