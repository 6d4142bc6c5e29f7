export { HOSTILE_WORKBOOKS as HOSTILE_FILES } from '../../../core/engine/office-files.ts';
