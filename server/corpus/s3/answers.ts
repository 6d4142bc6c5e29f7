import { XMLParser } from 'fast-xml-parser';
import { ConnectionFailure } from './failures.ts';

/** An object as a list has it. */
export interface ListedObject {
  readonly key: string;
  /** Bytes. */
  readonly size: number;
  readonly version: string;
}

export interface ObjectPage {
  readonly objects: readonly ListedObject[];
  /** Asks for the next page; undefined on the last one. */
  readonly next: string | undefined;
}

const parser = new XMLParser({
  ignoreAttributes: true,
  ignoreDeclaration: true,
  parseTagValue: false,
  trimValues: false,
  // For character references too: MinIO and others in Go write the quotation marks of ETags as `&#34;`.
  htmlEntities: true,
  isArray: (name) => name === 'Contents',
});

/** Reads a page of ListObjectsV2. @throws ConnectionFailure if it is none */
export function readPage(xml: string): ObjectPage {
  const page = childOf(readXml(xml), 'ListBucketResult');
  const isEncoded = textOf(page, 'EncodingType') === 'url';
  const objects = listOf(page, 'Contents').map((one) => readObject(one, isEncoded));
  const isTruncated = textOf(page, 'IsTruncated');
  if (isTruncated === 'false') return { objects, next: undefined };
  const next = isTruncated === 'true' ? textOf(page, 'NextContinuationToken') : undefined;
  if (next === undefined || next === '') throw unreadable();
  return { objects, next };
}

function readObject(one: unknown, isEncoded: boolean): ListedObject {
  const [key, size, etag] = ['Key', 'Size', 'ETag'].map((name) => textOf(one, name));
  if (key === undefined || etag === undefined || !/^\d{1,15}$/.test(size ?? '')) throw unreadable();
  return { key: isEncoded ? decodeKey(key) : key, size: Number(size), version: versionOf(etag) };
}

/** As in forms, a space is a plus sign. */
function decodeKey(key: string): string {
  try {
    return decodeURIComponent(key.replaceAll('+', ' '));
  } catch {
    throw unreadable();
  }
}

/** The ETag of lists and of headers alike: some services leave out its quotation marks in one of them. */
export const versionOf = (etag: string): string => etag.replace(/^"(.*)"$/s, '$1');

/** The id of a multipart upload that has begun. @throws ConnectionFailure if there is none */
export function readUploadId(xml: string): string {
  const id = textOf(childOf(readXml(xml), 'InitiateMultipartUploadResult'), 'UploadId');
  if (id === undefined || id === '') throw unreadable();
  return id;
}

/** What an answer says of an error, which can come with status 200 too; undefined if it is about none. */
export function readError(xml: string): { readonly code: string; readonly message: string } | undefined {
  if (!/<Error[\s>]/.test(xml)) return undefined;
  try {
    const error = childOf(parser.parse(xml), 'Error');
    if (error === undefined) return undefined;
    return { code: textOf(error, 'Code') ?? '', message: textOf(error, 'Message') ?? '' };
  } catch {
    return undefined;
  }
}

function readXml(xml: string): unknown {
  try {
    return parser.parse(xml.trim(), true);
  } catch (cause) {
    throw new ConnectionFailure(UNREADABLE, { cause });
  }
}

function childOf(parent: unknown, name: string): unknown {
  if (typeof parent !== 'object' || parent === null) return undefined;
  return Object.entries(parent).find(([own]) => own === name)?.[1];
}

function textOf(parent: unknown, name: string): string | undefined {
  const child = childOf(parent, name);
  return typeof child === 'string' ? child : undefined;
}

function listOf(parent: unknown, name: string): readonly unknown[] {
  const child = childOf(parent, name);
  return Array.isArray(child) ? child : [];
}

const UNREADABLE = 'its answer is none of S3; check the endpoint';
const unreadable = (): ConnectionFailure => new ConnectionFailure(UNREADABLE);
