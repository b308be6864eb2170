// Shared by the load scripts: the address of the gateway, and the checks of its answers.
import { check } from 'k6';
import http from 'k6/http';

export const gateway = __ENV.GATEWAY || 'http://127.0.0.1:8080';

// Limited answers are answers, not failures of the test.
http.setResponseCallback(http.expectedStatuses(200, 429));

// Sends one request as `caller` (an API key) and checks the answer, allowed or rejected.
export function ask(path, caller) {
  const answer = http.get(`${gateway}${path}`, { headers: { 'X-API-Key': caller } });
  const field = (name) => Number(answer.headers[name]);
  check(answer, {
    'is 200 or 429': (r) => r.status === 200 || r.status === 429,
    'names the limit and what is left': () => field('X-Ratelimit-Limit') >= 1 && field('X-Ratelimit-Remaining') >= 0,
    'a refusal says when to come back': (r) => r.status !== 429 || field('Retry-After') >= 1,
    'a refusal has nothing left': (r) => r.status !== 429 || field('X-Ratelimit-Remaining') === 0,
  });
  return answer;
}
