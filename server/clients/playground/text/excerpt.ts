/** The first characters of a text on one line; an ellipsis marks truncation. */
export function excerptOf(text: string, most: number): string {
  const line = text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim();
  const characters = Array.from(line);
  return characters.length <= most && text.length <= 4 * most
    ? line
    : `${characters.slice(0, most).join('')} …`;
}
