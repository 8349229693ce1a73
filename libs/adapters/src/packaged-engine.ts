import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  EngineError,
  ImageEngine,
  type EngineContext,
  type EngineErrorClass,
  type EngineModel,
  type EngineRequest,
  type MakeEngine,
  type RenderResult,
} from '@atelier/engine';

/**
 * An engine that somebody else has made. It brings a copy of the port of its own, so what it throws is of another class of the
 * same name.
 */
class PackagedEngine extends ImageEngine {
  readonly name: string;

  constructor(private readonly own: ImageEngine) {
    super();
    this.name = own.name;
  }

  async render(request: EngineRequest, context: EngineContext): Promise<RenderResult> {
    try {
      return await this.own.render(request, context);
    } catch (error) {
      throw ownError(error);
    }
  }
}

function ownError(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof EngineError || error.name !== 'EngineError') return error;
  const { errorClass, retryAfterMs } = error as { errorClass?: EngineErrorClass; retryAfterMs?: number };
  return new EngineError(errorClass ?? 'misconfigured', error.message, retryAfterMs);
}

/**
 * The engine of an npm package, by its name, or by the path of its folder or file, from the working directory.
 * @throws EngineError `misconfigured` for what is no such package
 */
export async function openPackage(named: string, model: EngineModel): Promise<ImageEngine> {
  const { id, model: called, endpoint, secret, options } = model;
  try {
    // A path may be a folder, which only CommonJS looks into; a name may be of a package without CommonJS.
    const from = /^[./]/.test(named)
      ? pathToFileURL(createRequire(import.meta.url).resolve(resolve(named))).href
      : named;
    // Held against what it must be, below.
    const { default: make } = (await import(from)) as { default?: MakeEngine };
    const made = await make?.({ id, model: called, endpoint, secret, options });
    if (typeof made?.render === 'function') return new PackagedEngine(made);
  } catch (error) {
    throw Object.assign(unusable(), { cause: error });
  }
  throw unusable();
}

const unusable = () =>
  new EngineError(
    'misconfigured',
    'The image model cannot be used at present: its engine is no package that makes one.',
  );
