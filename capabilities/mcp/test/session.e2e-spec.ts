import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { startService } from '../../../test/journeys/service.js';
import { eventually } from '../../../test/support/eventually.js';
import { untilEnd } from '../../../test/support/until-end.js';
import { agrees, connectAgent } from './support/agent-client.js';

const service = untilEnd(await startService(0));

/** The session of the guide, between its fences. */
function recorded(): string {
  const [, session = ''] =
    /```text session\n(.+?)```/s.exec(readFileSync('docs/guides/mcp.md', 'utf8')) ?? [];
  return session;
}

/** Replaces what differs between two runs: ids by their order, times, addresses. */
function stripped(session: string): string {
  const ids = new Map<string, string>();
  return session
    .replaceAll(/https?:\/\/[^"]+/g, 'https://…')
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '2026-…Z')
    .replaceAll(/\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b/g, (id) => {
      if (!ids.has(id)) ids.set(id, `01…${ids.size + 1}`);
      return ids.get(id)!;
    });
}

it('orders a picture with consent and explains its charge, as the guide shows', async () => {
  const lines: string[] = [];
  const agent = await connectAgent({
    url: service.baseUrl,
    key: await service.testKey(100),
    person: (message) => {
      lines.push(`  the person is asked: ${message}`, '  the person answers: {"agree":true}');
      return agrees(message);
    },
  });
  const call = async (name: string, given: object): Promise<Record<string, unknown>> => {
    lines.push(`agent: ${name} ${JSON.stringify(given)}`);
    const { structuredContent, isError } = await agent.callTool({ name, arguments: { ...given } });
    expect(isError).toBeFalsy();
    lines.push(`Atelier: ${JSON.stringify(structuredContent)}`);
    return structuredContent as Record<string, unknown>;
  };
  const body = { gender: 'FEMALE', age_range: '26-30', seed: 7, display_name: 'Amara' };
  const { offer_id } = await call('quote', { workflow: 'model-generator', body });
  const { job_id } = await call('order', { offer_id });
  await call('order', { offer_id });
  await call('wait', { job_id });
  const uri = `atelier://pictures/${String(job_id)}`;
  const { content } = await agent.callTool({ name: 'job', arguments: { job_id } });
  expect(content).toContainEqual(expect.objectContaining({ type: 'resource_link', uri }));
  const { contents } = await agent.readResource({ uri });
  const [picture] = contents;
  expect(picture && 'blob' in picture && Buffer.from(picture.blob, 'base64').subarray(8, 12).toString()).toBe(
    'WEBP',
  );
  lines.push(`agent: reads ${uri}`, `Atelier: a picture, ${String(picture?.mimeType)}, 512 pixels wide`);
  // The charge is settled a moment after the job has ended.
  await eventually(async () => {
    const { structuredContent } = await agent.callTool({ name: 'explain_charge', arguments: { job_id } });
    return (structuredContent as { ledger: { status: string } | null }).ledger?.status === 'SUCCESS';
  });
  await call('explain_charge', { job_id });
  await agent.close();
  expect(stripped(`${lines.join('\n')}\n`)).toBe(recorded());
}, 300_000);
