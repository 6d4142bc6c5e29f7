import { exhaustingDocx, HOSTILE_DOCX } from './support/docx.ts';

export const HOSTILE_FILES = { ...HOSTILE_DOCX, '2,000,000 paragraphs': exhaustingDocx };
