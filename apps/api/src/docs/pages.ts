/** A page for integrators: its file below docs/, its name, and what it is about. */
export type Guide = readonly [file: string, title: string, about: string];

/** The pages for integrators, in the order of the menu. */
export const guides: Readonly<Record<string, Guide>> = {
  'quick-start': [
    'guides/quick-start.md',
    'Quick start',
    'curl, TypeScript and Python, from a key to a picture',
  ],
  jobs: ['guides/jobs.md', 'The life of a job', 'events, following, cancelling, how long URLs live'],
  money: ['guides/money.md', 'Credits and refunds', 'what is charged when, and what comes back'],
  retries: ['guides/retries.md', 'Retries and idempotency', 'what to send again, and how it is charged once'],
  'test-mode': ['guides/test-mode.md', 'Test mode', 'test keys, outcomes on demand, the sandbox'],
  errors: ['guides/errors.md', 'Errors', 'every code, and what to do about it'],
  vocabulary: ['guides/vocabulary.md', 'Words in answers', 'every stage, kind of picture and key of `meta`'],
  webhooks: [
    'webhooks.md',
    'Webhooks',
    'calls to your server when a job has ended, and proof that they are ours',
  ],
  buckets: ['buckets.md', 'A bucket of your own', 'pictures that the service writes into your S3 bucket'],
  mcp: ['guides/mcp.md', 'Agents (MCP)', 'agents that order with consent, and what that costs at most'],
  privacy: [
    'guides/privacy.md',
    'Consent and erasing',
    'what people allow, and pictures that are deleted for good',
  ],
  limits: ['keys-and-limits.md', 'Keys and limits', 'capabilities, rotation, rates and sizes'],
  'generated-clients': [
    'guides/generated-clients.md',
    'Generated clients',
    'from openapi.json, with two tested generators',
  ],
  'signed-requests': [
    'signed-requests.md',
    'Signed requests',
    'what a signature protects against, and how to make one',
  ],
};

/** The sign of Atelier, as the console shows it. */
export const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f4b7c"/><path
d="M9 24 16 7l7 17M11.6 18.5h8.8" fill="none" stroke="#fff" stroke-width="2.6" stroke-linecap="round" stroke-linejoin="round"/></svg>`;

const brand = `<a class="brand" href="/"><img src="/docs/icon.svg" alt="">Atelier</a>`;

const places = [
  ['/docs/guides/quick-start', 'Guides'],
  ['/docs', 'Reference'],
  ['/console', 'Console'],
] as const;

const inCode = (text: string) => text.replace(/`([^`]+)`/g, '<code>$1</code>');

function page(title: string, here: string | undefined, body: string): string {
  const links = places.map(
    ([path, name]) => `<a href="${path}"${name === here ? ' aria-current="true"' : ''}>${name}</a>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title} · Atelier</title><link rel="icon" href="/docs/icon.svg"><link rel="stylesheet" href="/docs/sheet.css"></head>
<body class="pages"><header class="top">${brand}<nav aria-label="Atelier">${links.join('')}</nav></header>${body}</body></html>`;
}

function cards(): string {
  const list = Object.entries(guides).map(
    ([slug, [, title, about]]) =>
      `<li><a href="/docs/guides/${slug}"><strong>${title}</strong><span>${inCode(about)}</span></a></li>`,
  );
  return `<ul class="cards">${list.join('')}</ul>`;
}

const firstOrder = `curl -s "$ATELIER_URL/v1/model-generator" \\
  -H "Authorization: Bearer $ATELIER_KEY" \\
  -H 'Content-Type: application/json' -H 'Prefer: wait=30' \\
  -d '{"gender": "FEMALE", "age_range": "26-30"}'`;

export function homePage(): string {
  return page(
    'Fashion imagery on order',
    undefined,
    `<main class="wide"><section class="hero"><div><h1>Fashion imagery on order</h1>
<p>Post a workflow, follow the job, fetch the picture. Every credit can be explained, and a job that fails is refunded automatically.</p>
<div class="ways"><a href="/docs/guides/quick-start">Quick start</a><a href="/console">Try it here</a><a href="/docs">Reference</a></div></div>
<figure><img src="/docs/picture.jpg" width="1016" height="640" alt="A garment photograph on the left, the picture that Atelier made of it on the right">
<figcaption>The upload, and the picture that came back.</figcaption></figure></section>
<section class="steps"><h2>One POST orders a picture</h2><pre tabindex="0"><code>${firstOrder}</code></pre>
<p class="soft">The answer names the job, what it cost, and the address of the picture.
<a href="/openapi.json">openapi.json</a> describes all of it to a generator.</p></section>
<section><h2>Guides</h2>${cards()}</section></main>`,
  );
}

/** A guide with the list of guides beside it, or below it on narrow screens. */
export function guidePage(here: string, title: string, html: string): string {
  const list = Object.entries(guides).map(
    ([slug, [, name]]) =>
      `<li><a href="/docs/guides/${slug}"${slug === here ? ' aria-current="page"' : ''}>${name}</a></li>`,
  );
  // Makes it possible to scroll a block that is wider than the page with the keyboard.
  const text = html
    .replaceAll('<pre>', '<pre tabindex="0">')
    .replaceAll('<table>', '<div class="table" role="region" aria-label="Table" tabindex="0"><table>')
    .replaceAll('</table>', '</table></div>');
  return page(
    title,
    'Guides',
    `<div class="leaves"><main><article>${text}</article></main>
<nav class="guides" aria-label="Guides"><h2>Guides</h2><ul>${list.join('')}</ul></nav></div>`,
  );
}

export function missingPage(): string {
  return page(
    'No such guide',
    undefined,
    `<main class="wide"><section><h1>There is no such guide</h1><p class="soft">The address may be mistyped. These are all the guides:</p>${cards()}</section></main>`,
  );
}
