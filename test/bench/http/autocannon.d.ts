/** The part of autocannon that is used here; the package brings no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    method: 'POST';
    headers: Record<string, string>;
    body: Buffer;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Seconds that an answer may take. */
    timeout: number;
  }

  interface Result {
    '2xx': number;
    non2xx: number;
    errors: number;
    /** Seconds. */
    duration: number;
    /** Milliseconds. */
    latency: { p50: number };
  }

  export default function autocannon(options: Options): Promise<Result>;
}
