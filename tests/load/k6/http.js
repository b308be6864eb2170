// The module "k6/http". Requests are made by the main thread; the VU, a thread of its own, waits for each.
import { ask, record } from './vu.js';

let expected = (status) => status >= 200 && status < 400;

export const expectedStatuses = (...statuses) => (status) => statuses.includes(status);
export function setResponseCallback(callback) {
  expected = callback;
}

export function get(url, params = {}) {
  for (const key of Object.keys(params)) if (key !== 'headers') throw new Error(`http.get: what is "${key}"?`);
  const answer = ask({ url, headers: params.headers ?? {} });
  if (answer.error) console.error(`${url}: ${answer.error}`);
  record('http_reqs', 'counter', 1);
  record('http_req_duration', 'trend', answer.timings.duration);
  record('http_req_failed', 'rate', !expected(answer.status));
  return answer;
}

export default { get, expectedStatuses, setResponseCallback };
