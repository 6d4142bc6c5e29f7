import type { Span } from '../../../core/contracts/chunk.ts';
import type { ChunkContext, CutFinder } from '../../../core/contracts/chunker.ts';
import type { Kit } from '../../../core/kit.ts';
import { findObstacles, sparing } from './obstacles.ts';
import { within } from './stretches.ts';
import type { HtmlStructure } from './structure/find-structure.ts';

/** Cuts a stretch without places to cut at into chunks of at most `size` tokens. */
export type Divide = (start: number, end: number, size: number) => readonly Span[];

const BREAKS = ['<br>', '<br/>', '<br />', '<BR>', '\n\n', '\r\n\r\n'];
const SENTENCES = [
  ...['. ', '! ', '? ', '.\n', '!\n', '?\n', '.\r\n', '!\r\n', '?\r\n'],
  ...['。', '！', '？', '｡', '।', '؟'],
];
const CLAUSES = [', ', '; ', ': ', ' - ', ' – ', ' — ', '，', '、', '；', '：'];
const CODE = new Set(['code', 'script', 'style']);

/**
 * Makes what divides the stretches of a text: behind sentences, lines, clauses and words, between inline elements and
 * tokens; behind headings only if nothing else is left to cut, and in tags, comments and entities only if not even that is.
 */
export function prepareDivide({ cutAtDelimiters, cutAtOffsets, cutAtWhiteSpace, cutAtCodePoints }: Kit) {
  const cutAtLines = cutAtDelimiters(['\r\n', '\n', '\r']);
  const [cutAtBreaks, cutAtSentences, cutAtClauses] = [BREAKS, SENTENCES, CLAUSES].map((level) =>
    cutAtDelimiters(level),
  ) as [CutFinder, CutFinder, CutFinder];
  const prose = [cutAtBreaks, cutAtSentences, cutAtLines, cutAtClauses, cutAtWhiteSpace];
  const code = [cutAtLines, cutAtWhiteSpace];
  return (text: string, { headings, contents }: HtmlStructure, { tokens, divide }: ChunkContext): Divide => {
    const cutAtTokens: CutFinder = (...range) => cutAtOffsets(tokens.ends())(...range);
    return (start, end, size) => {
      const leads = within(headings, start, end).filter(
        (heading) => tokens.count(heading.start, heading.end) <= size / 2,
      );
      const isCode = contents.kindsIn(start, end).some((kind) => CODE.has(kind));
      const careful = (leads: readonly Span[]) => {
        const obstacles = findObstacles(text, start, end, leads);
        const finders = [
          ...(isCode ? code : prose),
          cutAtOffsets(obstacles.between),
          cutAtTokens,
          cutAtCodePoints,
        ];
        return finders.map((find) => sparing(find, obstacles));
      };
      const behindHeadings = leads.length > 0 ? careful([]) : [];
      const anywhere = [cutAtLines, cutAtWhiteSpace];
      return divide({ start, end }, [...careful(leads), ...behindHeadings, ...anywhere], { size });
    };
  };
}
