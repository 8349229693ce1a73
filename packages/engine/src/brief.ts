import type {
  ArtifactKind,
  BriefTask,
  PartFailureCode,
  PictureMeta,
  StageName,
  StepName,
} from './vocabulary.js';

/**
 * An order in words that every model understands, independent of vendors. A workflow makes its brief from the
 * body of a request. Every engine but the sandbox sees only the brief, never the body.
 */
export interface Brief {
  /** The steps run one after the other, because a step may use the result of an earlier one. */
  readonly steps: readonly BriefStep[];
}

export type BriefStep = PictureOrder | ReadingOrder | KeptPicture | MissingPart;

export const briefRatios = ['1:1', '2:3', '3:2', '3:4', '4:3', '4:5', '5:4', '9:16', '16:9'] as const;

/** Ratio of width to height. */
export type BriefRatio = (typeof briefRatios)[number];

/** The role of an input, for models that have a separate field for each role. */
export type BriefRole = 'person' | 'garment' | 'scene' | 'shot' | 'photograph' | 'subject';

/** A picture of the job by its name, or an earlier step's result by that step's name. */
export type BriefSource = { readonly input: string } | { readonly step: string };

export interface BriefInput {
  readonly source: BriefSource;
  readonly role: BriefRole;
  /**
   * Describes the picture and the part of it that matters, in one or two sentences that do not give the image's
   * number.
   */
  readonly part: string;
}

interface StepFacts {
  /** Unique in the brief. It names the call in the log, and the failed arm if the step has no result. */
  readonly name: StepName;
  /** In the order of their numbers in the words: the first is image 1. */
  readonly inputs: readonly BriefInput[];
  /** If an optional step has no result, the job goes on without it and lists it among its failures. */
  readonly optional: boolean;
}

/** Whether the picture is a result of its job, or only shows a stage on the way. */
export type BriefArtifact = {
  readonly kind: ArtifactKind;
  readonly label: string;
  readonly meta: PictureMeta;
} & ({ readonly role: 'final' } | { readonly role: 'intermediate'; readonly stage: StageName });

export interface PictureOrder extends StepFacts {
  readonly kind: 'picture';
  readonly task: BriefTask;
  /** The instruction in plain English: whole sentences that name the inputs as `image 1`, `image 2`, … */
  readonly instruction: string;
  /** Things that must stay the same, each a noun phrase. */
  readonly keep: readonly string[];
  /** Things that must not appear or happen, each a phrase that can follow `Do not`. */
  readonly avoid: readonly string[];
  /** `input` means the ratio of image 1. */
  readonly ratio: BriefRatio | 'input';
  /** Pixels of the longer side. */
  readonly longSide: number;
  /** A cut-out: only the subject, on a transparent ground. */
  readonly transparent: boolean;
  readonly count: number;
  /** Only some models take it; the others do not get it. */
  readonly quality?: 'medium' | 'high' | undefined;
  readonly gives: BriefArtifact;
}

/**
 * A question about pictures for a vision model, with an answer in a given form. `then` turns the answer into
 * steps.
 */
export interface ReadingOrder extends StepFacts {
  readonly kind: 'reading';
  readonly question: string;
  /**
   * JSON schema of the answer. It is an object whose members are all required, because the strict modes of
   * vendors demand that.
   */
  readonly schema: Readonly<Record<string, unknown>>;
  /** The steps that follow from an answer that fits the schema. Pure. */
  then(answer: unknown): readonly BriefStep[];
  /** The steps to take if there is no vision model. */
  readonly otherwise: readonly BriefStep[];
}

/** An input picture that is returned unchanged as a result, with new facts about it. */
export interface KeptPicture {
  readonly kind: 'kept';
  readonly name: StepName;
  readonly source: BriefSource;
  readonly gives: BriefArtifact;
}

/** A part that has no result, and the reason. */
export interface MissingPart {
  readonly kind: 'missing';
  readonly name: StepName;
  readonly code: PartFailureCode;
  readonly message: string;
}

/**
 * The order as text, for a model that follows instructions in words. The inputs are sent with it, in the same
 * order.
 */
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
