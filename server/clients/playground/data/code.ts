import { BASE } from './api.ts';
import type { Setting, Step } from './model.ts';
import { pathOf, pipelineSteps } from './settings.ts';

export const CODES = ['curl', 'Python', 'JavaScript', 'Pipeline'] as const;
export type Code = (typeof CODES)[number];

export function codeOf({ steps }: Setting, code: Code): string {
  if (code === 'Pipeline')
    return JSON.stringify({ name: 'my-pipeline', steps: pipelineSteps(steps) }, null, 2);
  const calls = steps.map(requestOf);
  if (code === 'curl') return inShell(calls);
  return code === 'Python' ? inPython(calls) : inJavaScript(calls);
}

interface Request {
  readonly url: string;
  readonly isRefining: boolean;
  readonly options: object;
}

function requestOf(step: Step): Request {
  const url = new URL(pathOf(step), BASE).href;
  return { url, isRefining: step.kind === 'refinery', options: step.options };
}

function inShell(calls: readonly Request[]): string {
  const quoted = (options: object) => JSON.stringify(options).replaceAll("'", "'\\''");
  const lines = calls.map(({ url, options, isRefining }) => {
    const filter = `${isRefining ? 'jq -c' : 'jq -Rs'} --argjson options '${quoted(options)}'`;
    const input = isRefining ? `'{chunks: .} + $options'` : `'{text: .} + $options' input.txt`;
    return `${filter} ${input} | curl -s ${url} --json @-`;
  });
  return lines.join(' | ');
}

function inPython(calls: readonly Request[]): string {
  const body = calls.map(({ url, options, isRefining }) => {
    const member = isRefining ? '"chunks": chunks' : '"text": text';
    return `chunks = post(${JSON.stringify(url)}, {${member}, **json.loads(${JSON.stringify(JSON.stringify(options))})})`;
  });
  return `import json
import urllib.request


def post(url, body):
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


text = open("input.txt", encoding="utf-8", newline="").read()
${body.join('\n')}
for chunk in chunks:
    print(chunk["start_index"], chunk["end_index"], chunk["token_count"])
`;
}

function inJavaScript(calls: readonly Request[]): string {
  const body = calls.map(({ url, options, isRefining }, index) => {
    const members = JSON.stringify({ ...options, ...(isRefining ? {} : { offset_unit: 'utf16' }) });
    const given = `{ ${isRefining ? 'chunks' : 'text'}, ...${members} }`;
    return `${index === 0 ? 'let ' : ''}chunks = await post(${JSON.stringify(url)}, ${given});`;
  });
  return `import { readFile } from 'node:fs/promises';

async function post(url, body) {
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error((await answer.json()).detail);
  return answer.json();
}

const text = await readFile('input.txt', 'utf8');
${body.join('\n')}
for (const { start_index, end_index, token_count } of chunks) console.log(start_index, end_index, token_count);
`;
}
