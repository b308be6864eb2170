// One VU: a thread that runs an iteration whenever the main thread says so.
import { parentPort, workerData } from 'node:worker_threads';

import { state } from './vu.js';

state.vu = workerData.vu;
const script = await import(workerData.script);
parentPort.on('message', ({ run, iteration }) => {
  state.iteration = iteration;
  try {
    script[run]();
  } catch (error) {
    parentPort.postMessage({ threw: String(error.stack ?? error) });
  }
  parentPort.postMessage({ idle: true });
});
parentPort.postMessage({ idle: true });
