import { expect } from 'vitest';

/**
 * The text of a PDF in the fonts that every reader has, whose letters are Latin 1; one line for each line of the page.
 * It also checks the file's frame: the table of its objects is where its end says.
 */
export function textOfPdf(pdf: Buffer): { readonly pages: number; readonly text: string } {
  const file = pdf.toString('latin1');
  expect(file).toMatch(/^%PDF-1\.\d\n/);
  const [, table = ''] = /startxref\n(\d+)\n%%EOF\n?$/.exec(file) ?? [];
  expect(file.slice(Number(table), Number(table) + 4)).toBe('xref');
  const pages = file.match(/\/Type \/Page\b(?!s)/g)?.length ?? 0;
  const lines = [...file.matchAll(/<([0-9a-f]*)> Tj/g)].map(([, hex = '']) => Buffer.from(hex, 'hex'));
  return { pages, text: lines.map((line) => line.toString('latin1')).join('\n') };
}
