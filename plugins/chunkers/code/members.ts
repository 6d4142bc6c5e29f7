import { nameOf } from './naming.ts';
import { holdsMembers, type Syntax, type SyntaxNode, unitOf } from './syntax.ts';

/** Nodes between a class and its members. */
const BODY = /body|block|_list$|declarations$|members|^preproc_/;
const OTHER = /param|argument|base|heritage|super|inherit/;
/** Bodies and classes within each other that are read. */
const MAX_DEPTH = 16;

/** The names of the functions and classes in a class, each once; not of those within functions. */
export function membersOf(syntax: Syntax, node: SyntaxNode): string[] {
  const unit = unitOf(syntax, node);
  if (unit === undefined || !holdsMembers(syntax, unit)) return [];
  const names = new Set<string>();
  addMembers(syntax, unit, names, 0);
  names.delete(nameOf(syntax, node) ?? '');
  return [...names];
}

function addMembers(syntax: Syntax, node: SyntaxNode, names: Set<string>, depth: number): void {
  if (depth > MAX_DEPTH) return;
  for (const child of node.namedChildren) {
    if (child === null) continue;
    const unit = unitOf(syntax, child);
    if (unit !== undefined) {
      const name = nameOf(syntax, child);
      if (name !== undefined) names.add(name);
      if (holdsMembers(syntax, unit)) addMembers(syntax, unit, names, depth + 1);
    } else if (BODY.test(child.type) && !OTHER.test(child.type)) addMembers(syntax, child, names, depth + 1);
  }
}
