// What the modules of k6 share within a VU: who it is, what it records, and how it asks. Imported by the main thread, too, which only
// reads the options of the script.
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';

export const state = { vu: 0, iteration: 0 };
globalThis.__ENV = workerData?.env ?? JSON.parse(process.env.K6_ENV ?? '{}');

/// Counts; without a value only the name is known from then on.
export function record(name, kind, value, check) {
  parentPort?.postMessage({ record: name, kind, value, check });
}

/// Sends a request and waits for its answer, as k6 does.
export function ask(request) {
  const { flag, port } = workerData;
  Atomics.store(flag, 0, 0);
  parentPort.postMessage({ ask: request });
  Atomics.wait(flag, 0, 0);
  return receiveMessageOnPort(port).message;
}
