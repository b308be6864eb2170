// The module "k6/execution".
import { state } from './vu.js';

export default {
  vu: { get idInTest() { return state.vu; } },
  scenario: { get iterationInTest() { return state.iteration; } },
};
