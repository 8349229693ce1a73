export const resolutions = ['1K', '2K', '4K'] as const;

/**
 * An image model as the registry declares it (`assets/models.schema.json` explains each member). Callers send
 * its id. Ids come from the configuration and are never an enumeration in the code.
 */
export interface ImageModel {
  readonly id: string;
  /** `sketch`, which draws on this machine, or a family of a capability (`engine-families.ts`). */
  readonly family: string;
  /** The vendor's name for it. */
  readonly model?: string;
  /** For the family `package`: the package's name, or the path of its folder or file. */
  readonly package?: string;
  readonly endpoint?: string;
  readonly secret_env?: string;
  /** Names of workflows; absent: all that its family makes. */
  readonly workflows?: readonly string[];
  /** Pictures that one request may give it. */
  readonly max_inputs: number;
  /** Absent: any. */
  readonly aspect_ratios?: readonly string[];
  readonly resolutions: readonly string[];
  /** `W×H` in pixels, as `1024x1536`; absent: any. */
  readonly sizes?: readonly string[];
  /** Whether the model supports `quality`. For other models the field is dropped. */
  readonly supports_quality: boolean;
  /** Whether the same seed gives the same picture. A model without seeds refuses a seed. */
  readonly seed: boolean;
  readonly transparent: boolean;
  /** The vendor's model that answers questions about pictures. */
  readonly vision_model?: string;
  /** The vendor's price of a picture, and of an answer, in the registry's currency. */
  readonly price_per_picture: number;
  readonly price_per_reading: number;
  /** Over all workers. */
  readonly concurrency: number;
  readonly requests_per_minute?: number;
  /** For one call. */
  readonly timeout_seconds: number;
  /** The id of another model, which is used when this one has no capacity. */
  readonly fallback?: string;
  /** Whether the installation accepts to pay a second time for a call whose outcome is unknown. */
  readonly resend_unknown: boolean;
  /** Whether the sandbox or the vendor draws for test keys. */
  readonly test_keys: 'sandbox' | 'vendor';
  /** Options that only its family understands. */
  readonly options: Readonly<Record<string, unknown>>;
}

/** The models of an installation, as its file declares them. See `model-registry.ts`. */
export interface ModelList {
  readonly currency: string;
  /** The selling price of a credit, in that currency; undefined: the margin is unknown. */
  readonly credit_price?: number;
  /** The model that draws a workflow if neither the caller nor the tenant's default names one. */
  readonly workflow_models: Readonly<Record<string, string>>;
  /** The model that draws for a tenant. */
  readonly tenant_models: Readonly<Record<string, string>>;
  /** At least one model. Unless a choice is made, the first model that supports a workflow draws it. */
  readonly models: readonly ImageModel[];
}

/** The sandbox: local, free, deterministic. `high` quality is 2K with it. */
export const sandboxModel: ImageModel = {
  id: 'sketch-1',
  family: 'sketch',
  max_inputs: 8,
  resolutions,
  supports_quality: true,
  seed: true,
  transparent: true,
  price_per_picture: 0,
  price_per_reading: 0,
  concurrency: 64,
  timeout_seconds: 300,
  resend_unknown: false,
  test_keys: 'sandbox',
  options: {},
};

/** The models of an installation without a file: the sandbox alone. */
export const sandboxAlone: ModelList = {
  currency: 'USD',
  workflow_models: {},
  tenant_models: {},
  models: [sandboxModel],
};

/** The most pictures that any known engine takes at once. */
export const mostInputs = 16;

/** The fields of a body that name an image model. Catalogue shots call it `model`. */
export interface ModelledBody {
  readonly image_model?: unknown;
  readonly model?: unknown;
}

/** Chooses among an installation's models. */
export class ImageModelChoice {
  constructor(readonly list: ModelList) {}

  get models(): readonly ImageModel[] {
    return this.list.models;
  }

  /**
   * The model that draws for test keys. It exists even if the list does not name it; callers cannot name it
   * then.
   */
  get sandbox(): ImageModel {
    return this.models.find(({ family }) => family === 'sketch') ?? sandboxModel;
  }

  /** Undefined for an id that names no model of this installation. */
  find(id: string): ImageModel | undefined {
    return (
      this.models.find((model) => model.id === id) ?? (id === sandboxModel.id ? this.sandbox : undefined)
    );
  }

  /** The models that support a workflow, in the list's order. */
  making(workflow: string): readonly ImageModel[] {
    return this.models.filter(({ workflows }) => !workflows || workflows.includes(workflow));
  }

  /** The model for a body that names none; undefined if no model supports the workflow. */
  usual(workflow: string, tenant: string): ImageModel | undefined {
    const making = this.making(workflow);
    const { tenant_models: ofTenants, workflow_models: ofWorkflows } = this.list;
    const named = [ofTenants[tenant], ofWorkflows[workflow]];
    return named.flatMap((id) => making.filter((model) => model.id === id))[0] ?? making[0];
  }

  /** The model that a body names, or else the usual one. Undefined for an unknown name. */
  asked(body: ModelledBody, workflow: string, tenant: string): ImageModel | undefined {
    const named = namedModel(body);
    if (named === undefined) return this.usual(workflow, tenant);
    return this.models.find(({ id }) => id === named);
  }
}

/** The model that a body names, if it names one. */
export function namedModel({ model, image_model: named = model }: ModelledBody): string | undefined {
  return typeof named === 'string' ? named : undefined;
}

/** The sandbox can dress and replace only people that it drew, not people in a photograph. */
export const knowsDrawnPeopleOnly = ({ family }: Pick<ImageModel, 'family'>): boolean => family === 'sketch';

/**
 * Whether something other than this machine's own sandbox draws. An engine in its own package counts, wherever
 * it works.
 */
export const isRemote = ({ family }: Pick<ImageModel, 'family'>): boolean => family !== sandboxModel.family;
