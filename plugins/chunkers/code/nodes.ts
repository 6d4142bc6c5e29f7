import type { Located, Span } from '../../../core/contracts/chunk.ts';
import type { FoundNode } from './cutter.ts';
import type { Syntax } from './syntax.ts';

/** Gives each span the list `nodes` of what it holds; a node that was cut at lines is in several spans. */
export function placeNodes(
  spans: readonly Span[],
  found: readonly FoundNode[],
  text: string,
  syntax: Syntax,
): Span[] {
  let first = 0;
  return spans.map((span) => {
    const nodes: Located[] = [];
    while (first < found.length && (found[first] as FoundNode).end <= span.start) first++;
    for (let index = first; index < found.length; index++) {
      const node = found[index] as FoundNode;
      if (node.start >= span.end) break;
      const start = Math.max(node.start, span.start);
      const end = Math.min(node.end, span.end);
      if (start < end) nodes.push({ start, end, fields: fieldsOf(node, start, end, text, syntax) });
    }
    return { ...span, located: { nodes } };
  });
}

function fieldsOf(
  { node, scope, ...whole }: FoundNode,
  start: number,
  end: number,
  text: string,
  syntax: Syntax,
) {
  const unit = syntax.unitOf(node) ?? node;
  const name = syntax.nameOf(node);
  const first = node.startPosition.row + 1 + lineBreaks(text, whole.start, start);
  return {
    type: unit.type,
    ...(name === undefined ? {} : { name }),
    start_line: first,
    end_line: first + lineBreaks(text, start, endOfText(text, start, end)),
    ...(scope.length === 0 ? {} : { scope }),
  };
}

/** The end without line breaks; in some grammars a node includes the one behind it. */
function endOfText(text: string, start: number, end: number): number {
  let at = end;
  while (at > start && (text[at - 1] === '\n' || text[at - 1] === '\r')) at--;
  return at;
}

function lineBreaks(text: string, start: number, end: number): number {
  let count = 0;
  for (let at = text.indexOf('\n', start); at !== -1 && at < end; at = text.indexOf('\n', at + 1)) count++;
  return count;
}
