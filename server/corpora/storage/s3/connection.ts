import { ServiceError } from '../../../../core/errors.ts';

/** A bucket of Amazon S3, or of a service that speaks its API. */
export interface BucketConnection {
  /** What `s3://<name>/…` and messages call it. */
  readonly name: string;
  /** Address of the service; may have a path, but no user, query or fragment. By default that of AWS in this region. */
  readonly endpoint?: URL;
  readonly bucket: string;
  /** By default what the environment or the profile of AWS says. */
  readonly region?: string;
  /** The folder of the bucket that it is confined to, without `/` at its ends; `''` is the whole bucket. */
  readonly prefix: string;
  /** Whether the bucket stands in the path of an address or in front of its host. */
  readonly style: 'path' | 'host';
  /** By default what the machine has: variables, a profile, a role of the machine or of the pod, SSO. */
  readonly credentials?: Credentials;
  /** A profile of the files of AWS, instead of the default one. */
  readonly profile?: string;
}

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The keys of a bucket for the names of a storage, which is confined to a prefix. */
export interface Keys {
  /** @throws ServiceError `path_outside` if the name has empty segments, `.` or `..`, or cannot be sent */
  keyOf(name: string): string;
  /** What the keys of all files below a folder begin with. @throws as `keyOf` does */
  prefixOf(folder: string): string;
  nameOf(key: string): string;
}

export function createKeys({ prefix }: Pick<BucketConnection, 'prefix'>, label: string): Keys {
  const base = prefix === '' ? '' : `${prefix}/`;
  const keyOf = (name: string) => {
    if (!isSound(name)) throw new ServiceError('path_outside', { path: name, storage: label });
    return base + name;
  };
  return {
    keyOf,
    prefixOf: (folder) => (folder === '' ? base : `${keyOf(folder)}/`),
    nameOf: (key) => key.slice(base.length),
  };
}

/** Whether a name can be part of an address and leads nowhere else: URLs resolve `.` and `..`. */
export function isSound(name: string): boolean {
  return name.isWellFormed() && name.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
}
