export { HOSTILE_DECKS as HOSTILE_FILES } from '../../toolkit/office/office-files.ts';
