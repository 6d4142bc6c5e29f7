import { createHash } from 'node:crypto';

/** A request of which the signature is right. */
export interface S3Request {
  readonly method: string;
  /** `''` if it is about the bucket itself. */
  readonly key: string;
  readonly query: ReadonlyMap<string, string>;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Buffer;
}

export interface S3Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Buffer | string;
}

interface StoredObject {
  readonly content: Buffer;
  /** With its quotation marks. */
  readonly etag: string;
}

export interface S3Limits {
  /** Objects on a page of a list. */
  readonly pageSize: number;
  /** Least bytes of a part that is not the last one. */
  readonly leastPart: number;
}

/** Answers as S3 does about one bucket that is in memory. What it does not know it refuses. */
export class S3Objects {
  readonly objects = new Map<string, StoredObject>();
  /** Unfinished uploads by their ids, with their parts by number. */
  readonly uploads = new Map<string, { readonly key: string; readonly parts: Map<number, StoredObject> }>();
  readonly #limits: S3Limits;
  #begun = 0;

  constructor(limits: S3Limits) {
    this.#limits = limits;
  }

  put(key: string, content: Buffer | string): void {
    this.objects.set(key, storedOf(Buffer.from(content)));
  }

  answer(request: S3Request): S3Reply {
    const { method, key, query } = request;
    const what = `${method} ${key === '' ? 'bucket' : 'object'} ${[...query.keys()].sort().join(' ')}`.trim();
    if (method === 'GET' && query.get('list-type') === '2' && key === '') return this.#list(query);
    switch (what) {
      case 'HEAD object':
      case 'GET object':
        return this.#get(request);
      case 'PUT object':
        this.put(key, request.body);
        return { status: 200, headers: { etag: this.objects.get(key)?.etag ?? '' } };
      case 'DELETE object':
        this.objects.delete(key);
        return { status: 204 };
      case 'POST object uploads':
        return this.#begin(key);
      case 'PUT object partNumber uploadId':
        return this.#addPart(request);
      case 'POST object uploadId':
        return this.#complete(request);
      case 'DELETE object uploadId':
        return this.uploads.delete(query.get('uploadId') ?? '')
          ? { status: 204 }
          : failure(404, 'NoSuchUpload');
      default:
        return failure(501, 'NotImplemented');
    }
  }

  #list(query: ReadonlyMap<string, string>): S3Reply {
    const after = Buffer.from(query.get('continuation-token') ?? '', 'base64url');
    const keys = [...this.objects.keys()]
      .filter(
        (key) => key.startsWith(query.get('prefix') ?? '') && Buffer.compare(Buffer.from(key), after) > 0,
      )
      .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    const page = keys.slice(0, this.#limits.pageSize);
    const isEncoded = query.get('encoding-type') === 'url';
    const written = (key: string) => (isEncoded ? formEncoded(key) : xmlEscaped(key));
    const contents = page.map((key) => {
      const { content, etag } = this.objects.get(key) as StoredObject;
      return `<Contents><Key>${written(key)}</Key><LastModified>2026-01-02T03:04:05.000Z</LastModified><ETag>${xmlEscaped(etag)}</ETag><Size>${content.length}</Size></Contents>`;
    });
    const next = Buffer.from(page.at(-1) ?? '').toString('base64url');
    const isTruncated = keys.length > page.length;
    return xml(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>b</Name><IsTruncated>${isTruncated}</IsTruncated>${isEncoded ? '<EncodingType>url</EncodingType>' : ''}${contents.join('\n')}${isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ''}</ListBucketResult>`,
    );
  }

  #get({ method, key, headers }: S3Request): S3Reply {
    const stored = this.objects.get(key);
    if (stored === undefined) return failure(404, 'NoSuchKey');
    const { content, etag } = stored;
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag)
      return failure(412, 'PreconditionFailed');
    // An encoding that was stored is sent along, and changes nothing of the bytes.
    const about = { etag, 'content-encoding': key.endsWith('.gz') ? 'gzip' : 'identity' };
    if (method === 'HEAD') return { status: 200, headers: { ...about, 'content-length': content.length } };
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(String(headers.range)) ?? [];
    if (from === undefined) return { status: 200, headers: about, body: content };
    if (Number(from) >= content.length) return failure(416, 'InvalidRange');
    const body = content.subarray(Number(from), Number(to) + 1);
    const range = `bytes ${from}-${Number(from) + body.length - 1}/${content.length}`;
    return { status: 206, headers: { ...about, 'content-range': range }, body };
  }

  #begin(key: string): S3Reply {
    const id = `upload+${++this.#begun}/é=`;
    this.uploads.set(id, { key, parts: new Map() });
    return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
  }

  #addPart({ key, query, body }: S3Request): S3Reply {
    const upload = this.uploads.get(query.get('uploadId') ?? '');
    if (upload?.key !== key) return failure(404, 'NoSuchUpload');
    const part = storedOf(body);
    upload.parts.set(Number(query.get('partNumber')), part);
    return { status: 200, headers: { etag: part.etag } };
  }

  #complete({ key, query, body }: S3Request): S3Reply {
    const id = query.get('uploadId') ?? '';
    const upload = this.uploads.get(id);
    if (upload?.key !== key) return failure(404, 'NoSuchUpload');
    const listed = [
      ...body.toString().matchAll(/<Part><PartNumber>(\d+)<\/PartNumber><ETag>([^<]*)<\/ETag><\/Part>/g),
    ];
    const parts = listed.map(([, number, etag]) => {
      const part = upload.parts.get(Number(number));
      return part?.etag === etag ? part : undefined;
    });
    if (parts.length === 0 || parts.length !== upload.parts.size) return failure(400, 'MalformedXML');
    if (parts.includes(undefined)) return failure(400, 'InvalidPart');
    const sizes = parts.slice(0, -1).map((part) => part?.content.length ?? 0);
    if (sizes.some((size) => size < this.#limits.leastPart)) return failure(400, 'EntityTooSmall');
    const content = Buffer.concat(parts.map((part) => part?.content ?? Buffer.alloc(0)));
    this.objects.set(key, { content, etag: `"${md5(content)}-${parts.length}"` });
    this.uploads.delete(id);
    return xml('<CompleteMultipartUploadResult><Key>k</Key></CompleteMultipartUploadResult>');
  }
}

export const failure = (status: number, code: string): S3Reply => ({
  ...xml(`<Error><Code>${code}</Code><Message>Words of the service.</Message></Error>`),
  status,
});

const xml = (body: string): S3Reply => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${body}`,
});

const storedOf = (content: Buffer): StoredObject => ({ content, etag: `"${md5(content)}"` });
const md5 = (content: Buffer): string => createHash('md5').update(content).digest('hex');
const formEncoded = (key: string): string =>
  encodeURIComponent(key).replaceAll('%20', '+').replaceAll('%2F', '/');
const xmlEscaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
