/*
 * The parts of TensorFlow.js that this package uses. The build bundles them into `dist/tensorflow.js`, with the
 * WebAssembly beside it, because the packages of TensorFlow.js put 90 MB on disk, and a server needs 5 MB of them.
 */
export { setBackend, tensor, tidy } from '@tensorflow/tfjs-core';
export { loadGraphModel } from '@tensorflow/tfjs-converter';
export { setWasmPaths } from '@tensorflow/tfjs-backend-wasm';
