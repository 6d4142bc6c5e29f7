export { HOSTILE_FILES } from './odf-files.ts';
