/** Whether a text is a JSON object or array, or JSON Lines of these. Linear. */
export function isJson(text: string): boolean {
  const [first] = /\S/.exec(text) ?? [];
  if (first !== '{' && first !== '[') return false;
  return parses(text) || isJsonLines(text);
}

function isJsonLines(text: string): boolean {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return lines.length > 1 && lines.every((line) => /^\s*[{[]/.test(line) && parses(line));
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
