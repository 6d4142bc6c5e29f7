import { ServiceError } from '../../../../core/errors.ts';

/** A bucket of Amazon S3, or of a compatible service. */
export interface BucketConnection {
  /** Its name in `s3://<name>/…` and in messages. */
  readonly name: string;
  /** URL of the service, optionally with a path, but without user, query or fragment. Default: AWS in this region. */
  readonly endpoint?: URL;
  readonly bucket: string;
  /** Default: the environment or the AWS profile. */
  readonly region?: string;
  /** The folder of the bucket that it is confined to, without `/` at its ends; `''` is the whole bucket. */
  readonly prefix: string;
  /** Whether the bucket is in the path of a URL or in its host name. */
  readonly style: 'path' | 'host';
  /** Default: the machine's own: variables, a profile, a role of the machine or of the pod, SSO. */
  readonly credentials?: {
    readonly accessKeyId: string;
    readonly secretAccessKey: string;
    readonly sessionToken?: string;
  };
  /** A profile of the AWS files, instead of the default one. */
  readonly profile?: string;
}

export type Keys = ReturnType<typeof createKeys>;

/** The keys of a bucket for the names of a storage, which is confined to a prefix. */
export function createKeys({ prefix }: Pick<BucketConnection, 'prefix'>, label: string) {
  const base = prefix === '' ? '' : `${prefix}/`;
  /** @throws ServiceError `path_outside` if the name has `..`, `path_unusable` if it has empty parts or cannot be sent */
  const keyOf = (name: string) => {
    if (name.split('/').includes('..'))
      throw new ServiceError('path_outside', { path: name, storage: label });
    if (!isSound(name))
      throw new ServiceError('path_unusable', { path: `${label}/${name}`, reason: NOT_SENT });
    return base + name;
  };
  return {
    keyOf,
    /** The prefix of the keys of all files below a folder. @throws as `keyOf` does */
    prefixOf: (folder: string) => (folder === '' ? base : `${keyOf(folder)}/`),
    nameOf: (key: string) => key.slice(base.length),
  };
}

const NOT_SENT =
  'a key with an empty part, a single dot, or half of a surrogate pair cannot be sent in a URL';

/** Whether a name can be part of a URL unchanged: URLs resolve `.` and `..`. */
export function isSound(name: string): boolean {
  return name.isWellFormed() && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
