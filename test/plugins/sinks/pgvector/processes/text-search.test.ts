import t from 'tap';
import startPglite from '../stand-in.ts';
import { testTextSearch } from '../text-search.ts';

const database = await startPglite();
t.teardown(database.stop);
testTextSearch(t, database);
