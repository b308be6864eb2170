// The module "k6".
import { record } from './vu.js';

/// Whether all conditions hold of `value`; each of them is counted.
export function check(value, conditions) {
  let all = true;
  for (const [name, holds] of Object.entries(conditions)) {
    const held = Boolean(holds(value));
    record('checks', 'rate', held, name);
    all = all && held;
  }
  return all;
}

const never = new Int32Array(new SharedArrayBuffer(4));
export function sleep(seconds) {
  Atomics.wait(never, 0, 0, seconds * 1000);
}
