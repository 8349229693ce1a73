import { ResourceTemplate, type McpServer, type ReadResourceResult } from '@modelcontextprotocol/server';
import type { Agent } from './agent.js';
import { showJob } from './jobs-of-agents.js';
import { OwnRefusal, refusalOf, type Json } from './own-api.js';
import { dataFollows, untrusted } from './results.js';

/** Names and descriptions in lists are constant or ids: titles that people wrote come only with the data. */
export function addResources(server: McpServer, agent: Agent): void {
  addGuides(server, agent);
  addCatalogue(server, agent);
  addJobs(server, agent);
  addPictures(server, agent);
}

const one = (value: string | string[] | undefined): string => String(Array.isArray(value) ? value[0] : value);

function addGuides(server: McpServer, { api }: Agent): void {
  const mimeType = 'text/markdown';
  const list = async () => {
    const { bytes } = await api.send('GET', '/llms.txt');
    const names = [...bytes.toString().matchAll(/\]\(\/docs\/guides\/([\w-]+)\.md\)/g)];
    const resources = names.map(([, name = '']) => ({ uri: `atelier://guides/${name}`, name, mimeType }));
    return { resources };
  };
  const template = new ResourceTemplate('atelier://guides/{name}', { list });
  const about = { title: 'Guides', description: 'How to order, follow and pay for pictures.', mimeType };
  server.registerResource('guides', template, about, async (uri, { name }) => {
    const { status, body, bytes } = await api.send('GET', `/docs/guides/${encodeURIComponent(one(name))}.md`);
    if (status >= 400) throw refusalOf(status, body);
    return { contents: [{ uri: uri.href, mimeType, text: bytes.toString() }] };
  });
}

const catalogues = ['models', 'backgrounds', 'garments'];

function addCatalogue(server: McpServer, { api }: Agent): void {
  const list = () => {
    const resources = catalogues.map((name) => ({ uri: `atelier://catalogue/${name}`, name, mimeType }));
    return { resources };
  };
  const template = new ResourceTemplate('atelier://catalogue/{kind}', { list });
  const about = {
    title: 'Catalogue',
    description: 'Models, backgrounds and garments that orders can name by their ids.',
    mimeType,
  };
  server.registerResource('catalogue', template, about, async (uri, { kind }) => {
    const { items } = await api.get(`/v1/catalog/${encodeURIComponent(one(kind))}?limit=200`);
    return asJson(uri, { entries: (items as Json[]).map(showEntry) });
  });
}

function showEntry({ public_id, kind, label, width, height }: Json): object {
  return { public_id, kind, width, height, untrusted_text: { label } };
}

/** Jobs that a list shows. */
const newest = 20;

function addJobs(server: McpServer, { api }: Agent): void {
  const list = async () => {
    const { jobs } = await api.get(`/v1/jobs?limit=${newest}`);
    const resources = (jobs as Json[]).map(({ public_id: name }) => {
      return { uri: `atelier://jobs/${name}`, name: String(name), mimeType };
    });
    return { resources };
  };
  const template = new ResourceTemplate('atelier://jobs/{job_id}', { list });
  const about = { title: 'Jobs', description: 'The state of a job, with its pictures.', mimeType };
  server.registerResource('jobs', template, about, async (uri, { job_id }) =>
    asJson(uri, showJob(await api.get(`/v1/jobs/${encodeURIComponent(one(job_id))}`))),
  );
}

function addPictures(server: McpServer, { api }: Agent): void {
  const mimeType = 'image/webp';
  const template = new ResourceTemplate('atelier://pictures/{job_id}', { list: undefined });
  const about = {
    title: 'Pictures',
    description: 'The finished picture of a job, at most 512 pixels wide.',
    mimeType,
  };
  server.registerResource('pictures', template, about, async (uri, { job_id }) => {
    const { thumbnails } = await api.get(`/v1/renders/${encodeURIComponent(one(job_id))}`);
    const { pathname, search } = new URL(thumbnails['512'] as string);
    const { status, bytes } = await api.send('GET', pathname + search);
    if (status >= 400) throw new OwnRefusal(status, 'PICTURE_GONE', 'The picture is not there.', undefined);
    return { contents: [{ uri: uri.href, mimeType, blob: bytes.toString('base64') }] };
  });
}

const mimeType = 'application/json';

function asJson(uri: URL, data: object): ReadResourceResult {
  const text = JSON.stringify({ note: dataFollows, untrusted_text: untrusted, data }, null, 1);
  return { contents: [{ uri: uri.href, mimeType, text }] };
}
