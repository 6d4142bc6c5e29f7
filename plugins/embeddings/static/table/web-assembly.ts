/** The part of WebAssembly that is used here; the types of Node.js lack it. */
interface WebAssemblyNamespace {
  readonly Memory: new (descriptor: {
    readonly initial: number;
    readonly maximum?: number;
    readonly shared?: boolean;
  }) => { readonly buffer: ArrayBuffer | SharedArrayBuffer };
  readonly Module: new (code: Uint8Array) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
}

/** `undefined` if the process was started without WebAssembly. */
export const webAssembly = (globalThis as { WebAssembly?: WebAssemblyNamespace }).WebAssembly;

export const PAGE_BYTES = 65536;
