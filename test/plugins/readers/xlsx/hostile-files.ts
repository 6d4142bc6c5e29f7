export { HOSTILE_WORKBOOKS as HOSTILE_FILES } from '../../toolkit/office/office-files.ts';
