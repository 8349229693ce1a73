import { pageOfText, type Paragraph } from './page-of-text.js';
import type { PassportResponse, TimeStampResponse } from './provenance.dto.js';

/** In points. The first with which everything fits on one page is taken. */
const sizes = [9.5, 8.5, 7.5, 6.5, 5.5, 4.5, 3.5] as const;

/** As many fit beside the inputs of any workflow. */
const mostPictures = 20;

type Line = readonly [style: 'title' | 'head' | 'text' | 'code', text: string];

/**
 * A passport as one page of A4, to print and to file.
 * @param at when the passport was read
 * A page holds 30 to 80 files. If there are more pictures, it names the first and says how many are left.
 */
export function passportPage(passport: PassportResponse, at: Date): Buffer {
  const title = `Passport of job ${passport.public_id}`;
  for (const most of [Infinity, mostPictures])
    for (const size of sizes) {
      const paragraphs = linesOf(passport, at, most).map((line) => paragraphOf(line, size));
      const page = pageOfText(title, paragraphs);
      if (page) return page;
    }
  throw new Error(`the passport of job ${passport.public_id} has too many inputs for a page`);
}

function paragraphOf([style, text]: Line, size: number): Paragraph {
  switch (style) {
    case 'title':
      return { font: 'bold', size: size * 1.8, text };
    case 'head':
      return { font: 'bold', size: size * 1.15, text, space: size };
    case 'text':
      return { font: 'regular', size, text, space: size * 0.15 };
    case 'code':
      return { font: 'code', size: size * 0.92, text, indent: 12 };
  }
}

function linesOf(passport: PassportResponse, at: Date, most: number): Line[] {
  const { public_id: job, environment, workflow, engine, model, order, inputs, pictures } = passport;
  const { seal } = order;
  return [
    ['title', 'Where this picture comes from'],
    ['text', `Job ${job}, ${workflow}, ${environment}. As Atelier knew it on ${at.toISOString()}.`],
    ['head', '1. The inputs'],
    ...(inputs.length === 0 ? [['text', 'None: it was made from words alone.'] as const] : []),
    ...inputs.flatMap((input) => fileLines(input.name.replaceAll('_', ' '), input)),
    ['head', '2. The order'],
    ['text', `Ordered on ${passport.ordered_at}: event ${order.position} of the log`],
    ['code', `${order.stream}, revision ${order.revision}`],
    ['code', `id ${order.event_id}`],
    ...(seal
      ? ([
          ['text', `Covered by seal ${seal.number} of ${seal.sealed_at}, with this root and public key:`],
          ['code', `root ${seal.root}`],
          ['code', `key  ${seal.key}`],
        ] as const)
      : [['text', 'No seal covered the order yet when this page was made.'] as const]),
    ['head', '3. The making'],
    ['text', `Made by the image model ${model} of ${engine}. Finished on ${passport.finished_at}.`],
    ['head', pictures.length === 1 ? '4. The picture' : '4. The pictures'],
    ...pictures
      .slice(0, most)
      .flatMap((picture) =>
        fileLines(`${picture.kind.replaceAll('_', ' ')}, ${picture.content_type}`, picture),
      ),
    ...(pictures.length > most
      ? [['text', `And ${pictures.length - most} more, which the passport as JSON lists.`] as const]
      : []),
    ['head', 'Check it yourself'],
    ['text', 'This page is not signed. The picture is: these commands need no service and no network.'],
    ['text', 'The SHA-256 of the file must be the one above:'],
    ['code', 'sha256sum FILE'],
    ['text', 'The file must be what was signed. Any other program for C2PA can check that, too:'],
    ['code', 'atelier provenance verify FILE'],
    ...(seal
      ? ([
          [
            'text',
            'The order must be in the sealed log. The operator makes the proof, and publishes the public key:',
          ],
          ['code', `atelier ledger prove-order --job ${job} > proof.json`],
          ['code', `atelier provenance verify FILE --seal-key ${seal.key} --proof proof.json`],
        ] as const)
      : []),
  ];
}

type ProvenFile = PassportResponse['inputs'][number] | PassportResponse['pictures'][number];

function fileLines(name: string, file: ProvenFile): Line[] {
  const { sha256, available, erased_at: erasedAt, credentials } = file;
  const missing = available ? '' : '. Its bytes are not in the storage';
  const state = erasedAt === null ? missing : `. Erased on ${erasedAt}: its bytes are gone for good`;
  const signer = credentials?.signed_by;
  const held = credentials?.valid
    ? 'Its Content Credentials hold'
    : `Its Content Credentials do not hold: ${credentials?.problems.join(', ')}`;
  return [
    ['text', `${name}${state}`],
    ['code', sha256 === null ? 'SHA-256 erased with the words of the job' : `SHA-256 ${sha256}`],
    ...(credentials
      ? [['text', signer ? `${held}. Signed by ${signer.subject.slice(0, 200)}` : held] as const]
      : []),
    ...(signer ? [['code', `certificate ${signer.fingerprint}`] as const] : []),
    ...(credentials?.time_stamp ? [['text', stampLine(credentials.time_stamp)] as const] : []),
  ];
}

function stampLine({ status, time, authority }: TimeStampResponse): string {
  const named = `Time-stamp ${time}, ${authority?.slice(0, 200)}`;
  if (status === 'timeStamp.trusted') return `${named}: trusted`;
  if (status === 'timeStamp.untrusted') return `${named}: its authority is not trusted here`;
  return `Its time-stamp confirms nothing: ${status}`;
}
