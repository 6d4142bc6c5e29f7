/** The part of autocannon that the benchmarks use; the package has no types. */
declare module 'autocannon' {
  interface Options {
    url: string;
    method: 'POST';
    headers: Record<string, string>;
    body: Buffer;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Seconds after which a request fails. */
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
