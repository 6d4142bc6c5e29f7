export { HOSTILE_FILES } from './epub-files.ts';
