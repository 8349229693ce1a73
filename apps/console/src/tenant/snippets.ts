/** The same order as a program. It takes the key from the environment, so the text does not contain the key. */
export const snippets: Readonly<
  Record<'curl' | 'TypeScript' | 'Python', (origin: string, workflow: string, body: object) => string>
> = {
  curl: (origin, workflow, body) => `curl -sS --fail-with-body ${origin}/v1/${workflow} \\
  -H "Authorization: Bearer $ATELIER_KEY" -H 'Content-Type: application/json' \\
  -H "Idempotency-Key: $(uuidgen 2>/dev/null || date +%s%N)" \\
  -d ${quoted(JSON.stringify(body, null, 2))}`,

  TypeScript: (origin, workflow, body) => `import { Atelier } from '@atelier/client';

const atelier = new Atelier({ baseUrl: '${origin}', apiKey: process.env.ATELIER_KEY! });
const run = atelier.run('${workflow}', ${JSON.stringify(body, null, 2)});
for await (const { stage, message } of run) console.log(stage, message);
const { pictures } = await run.result();
console.log(pictures[0]?.image_url);`,

  Python: (origin, workflow, body) => `import json, os, urllib.request, uuid

request = urllib.request.Request(
    "${origin}/v1/${workflow}",
    data=json.dumps(${inPython(body)}).encode(),
    headers={
        "Authorization": "Bearer " + os.environ["ATELIER_KEY"],
        "Content-Type": "application/json",
        "Idempotency-Key": str(uuid.uuid4()),
    },
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)["job_id"])`,
};

/** For a shell, which does not change text between single quotes. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

const constants = new Map<unknown, string>([
  [true, 'True'],
  [false, 'False'],
  [null, 'None'],
]);

/** Text and numbers of JSON are the same in Python; the other values differ. */
function inPython(value: unknown, indent = '    '): string {
  const inner = `${indent}    `;
  if (Array.isArray(value)) {
    const items = value.map((each) => `${inner}${inPython(each, inner)},\n`);
    return items.length === 0 ? '[]' : `[\n${items.join('')}${indent}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const items = Object.entries(value).map(
      ([name, each]) => `${inner}${JSON.stringify(name)}: ${inPython(each, inner)},\n`,
    );
    return items.length === 0 ? '{}' : `{\n${items.join('')}${indent}}`;
  }
  return constants.get(value) ?? JSON.stringify(value);
}
