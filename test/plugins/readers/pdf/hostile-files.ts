import {
  billionPages,
  deepArray,
  endlessText,
  flateOfGigabyte,
  flateTwice,
  formsInForms,
  manyBookmarks,
  manyFields,
  manyRuns,
  pagesInCircle,
  samePage,
} from './support/hostile.ts';

export const HOSTILE_FILES: Readonly<Record<string, () => Buffer>> = {
  'a gigabyte of spaces in a megabyte': flateOfGigabyte,
  'a gigabyte packed twice': flateTwice,
  'a hundred megabytes of text': endlessText,
  'forms in forms': formsInForms,
  'one page 300,000 times': () => samePage(),
  'a billion pages': billionPages,
  'pages in a circle': pagesInCircle,
  'two million brackets': deepArray,
  '100,000 bookmarks': () => manyBookmarks(),
  '100,000 fields of a form': () => manyFields(),
  '200,000 runs on a page': () => manyRuns(200_000),
};
