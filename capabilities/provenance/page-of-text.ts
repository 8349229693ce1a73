/**
 * The smallest PDF (ISO 32000-1) for a page of text: A4, in fonts that every reader has, so that it contains none. The text
 * can be selected and searched. Libraries that do this take 25 MB.
 */

/** In points, of 1/72 inch. */
const [pageWidth, pageHeight, margin] = [595, 842, 48];
const lineHeight = 1.32;

export interface Paragraph {
  readonly font: 'regular' | 'bold' | 'code';
  /** In points. */
  readonly size: number;
  readonly text: string;
  /** From the left, in points. */
  readonly indent?: number;
  /** Above it, in points. */
  readonly space?: number;
}

interface Line extends Omit<Paragraph, 'indent' | 'space'> {
  readonly x: number;
  readonly y: number;
}

const fonts = {
  regular: ['F1', 'Helvetica'],
  bold: ['F2', 'Helvetica-Bold'],
  code: ['F3', 'Courier'],
} as const;

/** The widths of the letters of Helvetica from the space to `~`, in thousandths of the size (Adobe's Core 14 metrics). */
const widths = (
  '278 278 355 556 556 889 667 191 333 333 389 584 278 333 278 278 556 556 556 556 556 556 556 556 556 556 278 278 ' +
  '584 584 584 556 1015 667 667 722 722 667 611 778 722 278 500 667 556 833 722 778 667 778 722 667 611 722 667 944 ' +
  '667 667 611 278 278 278 469 556 333 556 556 500 556 556 278 556 556 222 222 500 222 833 556 556 556 556 333 500 ' +
  '278 556 500 722 500 500 500 334 260 334 584'
)
  .split(' ')
  .map(Number);

/** @returns undefined if the paragraphs are higher than the page */
export function pageOfText(title: string, paragraphs: readonly Paragraph[]): Buffer | undefined {
  const lines: Line[] = [];
  let y = pageHeight - margin;
  for (const { font, size, text, indent = 0, space = 0 } of paragraphs) {
    y -= space;
    const widest = pageWidth - 2 * margin - indent;
    for (const part of wrapped(printable(text), (each) => widthOf(each, font) * size <= widest)) {
      y -= size * lineHeight;
      lines.push({ font, size, text: part, x: margin + indent, y });
    }
  }
  return y < margin ? undefined : fileOf(title, lines);
}

/** These fonts have Latin letters only. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e\xa0-\xff]/gu, '?');

/** As a multiple of the size. Bold text and letters beyond ASCII count as wide as the widest. */
function widthOf(text: string, font: Paragraph['font']): number {
  if (font === 'code') return text.length * 0.6;
  const ofLetter = (letter: string) =>
    (font === 'regular' ? widths[letter.charCodeAt(0) - 32] : undefined) ?? 1_000;
  return [...text].reduce((sum, letter) => sum + ofLetter(letter), 0) / 1_000;
}

/** Breaks between words, and within a word that is wider than the page. */
function wrapped(text: string, fits: (line: string) => boolean): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (fits(longer)) {
      line = longer;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const letter of word) {
      if (!fits(line + letter)) {
        lines.push(line);
        line = '';
      }
      line += letter;
    }
  }
  return [...lines, line];
}

const hexOf = (text: string): string => `<${Buffer.from(text, 'latin1').toString('hex')}>`;

function fileOf(title: string, lines: readonly Line[]): Buffer {
  const content = lines.map(
    ({ font, size, text, x, y }) =>
      `BT /${fonts[font][0]} ${size.toFixed(2)} Tf ${x} ${y.toFixed(2)} Td ${hexOf(text)} Tj ET\n`,
  );
  const stream = content.join('');
  const named = Object.values(fonts);
  const first = 6;
  const resources = named.map(([name], index) => `/${name} ${first + index} 0 R`).join(' ');
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R /Lang (en) /ViewerPreferences << /DisplayDocTitle true >> >>',
    '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
    `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${pageWidth} ${pageHeight}] /Contents 4 0 R ` +
      `/Resources << /Font << ${resources} >> >> >>`,
    `<< /Length ${stream.length} >>\nstream\n${stream}endstream`,
    `<< /Title ${hexOf(printable(title))} /Creator (Atelier) >>`,
    ...named.map(
      ([, base]) => `<< /Type /Font /Subtype /Type1 /BaseFont /${base} /Encoding /WinAnsiEncoding >>`,
    ),
  ];
  let file = '%PDF-1.7\n';
  const places = objects.map((object, index) => {
    const place = file.length;
    file += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(place).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R /Info 5 0 R >>\nstartxref\n${file.length}\n%%EOF\n`;
  return Buffer.from(file + table + trailer, 'latin1');
}
