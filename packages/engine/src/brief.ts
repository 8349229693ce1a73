import type { ArtifactKind, PartFailureCode, PictureMeta, StageName, StepName } from './vocabulary.js';

/**
 * What is wanted, in words that every model understands: an order that knows no vendor. A workflow makes its brief from
 * the body of a request; an engine that is not the sandbox sees the brief and never the body.
 */
export interface Brief {
  /** One after the other: a step may start from what an earlier one made. */
  readonly steps: readonly BriefStep[];
}

export type BriefStep = PictureOrder | ReadingOrder | KeptPicture | MissingPart;

export const briefRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9'] as const;

/** Width to height. */
export type BriefRatio = (typeof briefRatios)[number];

/** What a step does, for models that do one thing only, and for graphs that an operator maps. */
export type BriefTask =
  | 'try_on'
  | 'product_to_model'
  | 'model_swap'
  | 'background_swap'
  | 'model_portrait'
  | 'model_full_body'
  | 'background'
  | 'garment'
  | 'garment_cutout'
  | 'catalog_shot'
  | 'empty_plate';

/** The part that an input plays, for models with a place of its own for each. */
export type BriefRole = 'person' | 'garment' | 'scene' | 'shot' | 'photograph' | 'subject';

/** A picture of the job by its name, or what an earlier step made by that step's name. */
export type BriefSource = { readonly input: string } | { readonly step: string };

export interface BriefInput {
  readonly source: BriefSource;
  readonly role: BriefRole;
  /** What it is, and what of it counts: one or two sentences without the number of the image. */
  readonly part: string;
}

interface StepFacts {
  /** Unique in the brief: it names the call in the log, and the arm where the step gives nothing. */
  readonly name: StepName;
  /** In the order in which the words count them: the first is image 1. */
  readonly inputs: readonly BriefInput[];
  /** The job goes on without what an optional step could not give, and says so in its failures. */
  readonly optional: boolean;
}

/** What a picture is to the job that ordered it. An intermediate one is a stage on the way. */
export type BriefArtifact = {
  readonly kind: ArtifactKind;
  readonly label: string;
  readonly meta: PictureMeta;
} & ({ readonly role: 'final' } | { readonly role: 'intermediate'; readonly stage: StageName });

export interface PictureOrder extends StepFacts {
  readonly kind: 'picture';
  readonly task: BriefTask;
  /** What to make, in plain English: whole sentences that name the inputs as `image 1`, `image 2`, … */
  readonly instruction: string;
  /** What must be the same afterwards, each a noun phrase. */
  readonly keep: readonly string[];
  /** What must not appear or happen, each a phrase that reads after `Do not`. */
  readonly avoid: readonly string[];
  /** `input`: that of image 1. */
  readonly ratio: BriefRatio | 'input';
  /** Pixels of the longer side. */
  readonly longSide: number;
  /** A cut-out: nothing but the subject, on transparent ground. */
  readonly transparent: boolean;
  readonly count: number;
  /** For models that know it, and dropped for others. */
  readonly quality?: 'medium' | 'high' | undefined;
  readonly gives: BriefArtifact;
}

/** A question about pictures, with an answer in a given form: for a vision model. What it is good for follows from it. */
export interface ReadingOrder extends StepFacts {
  readonly kind: 'reading';
  readonly question: string;
  /** JSON schema of the answer: an object whose members are all required, as vendors' strict modes demand. */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The steps that follow from an answer that fits the schema. Pure. */
  then(answer: unknown): readonly BriefStep[];
  /** The steps that are taken where no vision model can be asked. */
  readonly otherwise: readonly BriefStep[];
}

/** A picture that is a result as it is: only what is known of it is new. */
export interface KeptPicture {
  readonly kind: 'kept';
  readonly name: StepName;
  readonly source: BriefSource;
  readonly gives: BriefArtifact;
}

/** A part that gives nothing, and why. */
export interface MissingPart {
  readonly kind: 'missing';
  readonly name: StepName;
  readonly code: PartFailureCode;
  readonly message: string;
}

/** An order in words, for a model that is steered by language: the inputs are sent beside it, in its order. */
export function wordsOf(order: PictureOrder): string {
  const { instruction, inputs, keep, avoid } = order;
  const paragraphs = [
    instruction,
    list(
      'Input images, in this order:',
      inputs.map(({ part }, index) => `Image ${index + 1}: ${part}`),
    ),
    list('Keep exactly as it is:', keep),
    list('Do not:', avoid),
    outputWords(order),
  ];
  return paragraphs.filter((text) => text !== '').join('\n\n');
}

function outputWords({ ratio, transparent, count }: PictureOrder): string {
  const format = ratio === 'input' ? 'in the aspect ratio of image 1' : `in the aspect ratio ${ratio}`;
  const ground = transparent ? ', with a fully transparent background around the subject' : '';
  return `Output: ${count === 1 ? 'one picture' : `${count} pictures`} ${format}${ground}.`;
}

const list = (title: string, items: readonly string[]): string =>
  items.length === 0 ? '' : [title, ...items.map((item) => `- ${item}`)].join('\n');
