import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { GraphModel } from '@tensorflow/tfjs-converter';
import type { Tensor } from '@tensorflow/tfjs-core';

/** A graph model with one picture as its input, and one tensor as its output. */
export interface PictureModel {
  /** Sides of the picture that it takes, pixels. */
  readonly width: number;
  readonly height: number;
  /** Runs the model over RGB bytes of exactly that size. Blocks its thread for about 30 ms. */
  run(rgb: Uint8Array): Float32Array;
}

interface Runtime {
  readonly open: (path: string, lowest: 0 | -1) => Promise<PictureModel>;
}

const WEIGHTS = fileURLToPath(new URL('../models/', import.meta.url));
const WEBASSEMBLY = fileURLToPath(new URL('../dist/', import.meta.url));

/** The parts of a TensorFlow.js model file that this module reads. */
interface ModelFile {
  readonly modelTopology: object;
  readonly weightsManifest: readonly [
    {
      readonly paths: readonly string[];
      readonly weights: { name: string; shape: number[]; dtype: 'float32' }[];
    },
  ];
  readonly signature?: object;
}

/**
 * Removes the error handlers that the backend adds. Its WebAssembly, made by Emscripten, throws every uncaught
 * error of the process again, but the process itself must decide how it ends.
 */
async function keepingErrorHandlers(work: () => Promise<unknown>): Promise<void> {
  const events = ['uncaughtException', 'unhandledRejection'];
  const before = events.map((event) => process.rawListeners(event));
  await work();
  for (const [index, event] of events.entries())
    for (const listener of process.rawListeners(event))
      // Listeners are functions; which ones depends on the event.
      if (!before[index]?.includes(listener)) process.off(event, listener as () => void);
}

/**
 * TensorFlow.js and its WebAssembly take 50 ms and 40 MB, so they are loaded only when the first picture is
 * read.
 */
async function start(): Promise<Runtime> {
  const tf = await import('./tensorflow.js');
  tf.setWasmPaths(WEBASSEMBLY);
  await keepingErrorHandlers(() => tf.setBackend('wasm'));

  const runner = (model: GraphModel, lowest: 0 | -1): PictureModel => {
    const [input] = model.inputs;
    const [, height = 0, width = 0] = input?.shape ?? [];
    if (!input || model.inputs.length !== 1 || height < 1 || width < 1)
      throw new TypeError('A model of pictures takes one picture of a fixed size.');
    const whole = input.dtype === 'int32';
    const run = (rgb: Uint8Array): Float32Array => {
      const shape: [number, number, number, number] = [1, height, width, 3];
      const result = tf.tidy(() => {
        const values = whole
          ? Int32Array.from(rgb)
          : Float32Array.from(rgb, (v) => lowest + (v * (1 - lowest)) / 255);
        // The model is run for one output, so it returns one tensor.
        return model.execute(tf.tensor(values, shape, input.dtype), model.outputs[0]?.name) as Tensor;
      });
      const data = result.dataSync<'float32'>();
      result.dispose();
      return data;
    };
    return { width, height, run };
  };

  return {
    async open(path, lowest) {
      // The format of TensorFlow.js; any other file fails right below.
      const file = JSON.parse(await readFile(path, 'utf8')) as ModelFile;
      const [{ paths, weights }] = file.weightsManifest;
      const parts = await Promise.all(paths.map((part) => readFile(join(dirname(path), part))));
      const bytes = Buffer.concat(parts);
      const weightData = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength);
      const { modelTopology, signature } = file;
      const artifacts = { modelTopology, weightSpecs: weights, weightData, ...(signature && { signature }) };
      return runner(await tf.loadGraphModel({ load: () => Promise.resolve(artifacts) }), lowest);
    },
  };
}

let runtime: Promise<Runtime> | undefined;
const opened = new Map<string, Promise<PictureModel>>();

/**
 * Opens a model once for the process.
 * @param path of its `.json`; the weights lie beside it
 * @param lowest the model's input value for black; white is 1
 */
function once(path: string, lowest: 0 | -1 = 0): Promise<PictureModel> {
  runtime ??= start();
  const model = opened.get(path) ?? runtime.then(({ open }) => open(path, lowest));
  opened.set(path, model);
  return model;
}

let ownSegmentation: string | undefined;

/**
 * Replaces the TensorFlow.js model that separates people from the background. The model's only input is a
 * picture; its output is the probability of a person for each pixel, 0–1. Call this before the first
 * photograph.
 */
export function useSegmentationModel(path: string): void {
  ownSegmentation = resolve(path);
}

/** Separates people from their background, 256 × 256. */
export const segmentationModel = (): Promise<PictureModel> =>
  once(ownSegmentation ?? join(WEIGHTS, 'selfie.json'));

/** Finds the seventeen joints of a person, 192 × 192. */
export const poseModel = (): Promise<PictureModel> => once(join(WEIGHTS, 'movenet-lightning.json'));

/** Finds faces, 128 × 128: 896 places with seventeen numbers each; the first is the log-odds of a face. */
export const faceModel = (): Promise<PictureModel> =>
  once(join(WEIGHTS, 'facemesh-detection-short.json'), -1);
