import { createHash, createHmac } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may use a bucket, and how its requests are signed. */
export interface S3Account {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
  readonly region: string;
}

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;

/**
 * Computes Signature Version 4 of a request from what has arrived, and compares.
 *
 * @returns the code of S3's error; undefined if the signature is right
 * @see https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signatureProblem(
  { method = '', url = '', headers }: IncomingMessage,
  body: Buffer,
  account: S3Account,
  isTls: boolean,
): string | undefined {
  const [, id, day = '', region = '', names = '', signature] =
    AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  const date = headerOf(headers, 'x-amz-date');
  const content = headerOf(headers, 'x-amz-content-sha256');
  if (id !== account.accessKeyId) return 'InvalidAccessKeyId';
  if (region !== account.region) return 'AuthorizationHeaderMalformed';
  if (headers['x-amz-security-token'] !== account.sessionToken) return 'InvalidToken';
  if (!date.startsWith(day) || Math.abs(timeOf(date) - Date.now()) > 900_000) return 'RequestTimeTooSkewed';
  if (!isHashOf(body, content, isTls)) return 'XAmzContentSHA256Mismatch';
  const signed = names.split(';');
  const needed = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (!needed.every((name) => signed.includes(name))) return 'AccessDenied';
  const [path = '', query = ''] = url.split('?');
  const canonical = [
    method,
    canonicalOf(path),
    query.split('&').filter(Boolean).map(canonicalPair).sort().join('&'),
    ...signed.map((name) => `${name}:${headerOf(headers, name)}`),
    '',
    names,
    content,
  ].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${account.secretAccessKey}`,
  );
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

const headerOf = (headers: IncomingMessage['headers'], name: string): string => String(headers[name] ?? '');

/** Over plain HTTP nothing but a signature keeps a body from being changed. */
function isHashOf(body: Buffer, content: string, isTls: boolean): boolean {
  return content === 'UNSIGNED-PAYLOAD' ? isTls : content === sha256(body);
}

/** `20260102T030405Z` */
function timeOf(date: string): number {
  return Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
}

/** Encoded once, with capital digits; only the slashes of a path stay. */
const canonicalOf = (path: string): string => path.split('/').map(encodedAnew).join('/');
const canonicalPair = (pair: string): string => {
  const [name = '', value = ''] = pair.split('=');
  return `${encodedAnew(name)}=${encodedAnew(value)}`;
};

function encodedAnew(text: string): string {
  return [...Buffer.from(decodeURIComponent(text))]
    .map((byte) => {
      const sign = String.fromCharCode(byte);
      return /[A-Za-z0-9._~-]/.test(sign) ? sign : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
    })
    .join('');
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
