/** A bucket of a service that speaks the API of Amazon S3, with the key for it. */
export interface BucketConnection {
  /** What `s3://<name>/…` and messages call it. */
  readonly name: string;
  /** Address of the service; may have a path, but no user, query or fragment. */
  readonly endpoint: URL;
  readonly bucket: string;
  readonly region: string;
  /** The folder of the bucket that it is confined to, without `/` at its ends; `''` is the whole bucket. */
  readonly prefix: string;
  /** Whether the bucket stands in the path of an address or in front of its host. */
  readonly style: 'path' | 'host';
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}
