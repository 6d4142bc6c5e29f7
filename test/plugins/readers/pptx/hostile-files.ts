export { HOSTILE_DECKS as HOSTILE_FILES } from '../../../core/engine/office-files.ts';
