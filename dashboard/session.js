// The role of the reader, and calls to the gateway. The token is kept only in the memory of this page.

let token = '';
const session = { role: '', needsToken: false };
const listeners = new Set();

export const who = session;
export const mayChange = () => session.role === 'operator';
export const onRole = (call) => listeners.add(call);

function become(role, needsToken) {
  if (session.role === role && session.needsToken === needsToken) return;
  session.role = role;
  session.needsToken = needsToken;
  for (const each of listeners) each();
}

function fields(more = {}) {
  return token ? { Authorization: `Bearer ${token}`, ...more } : more;
}

/// A refusal, with the message of the gateway.
export class Refusal extends Error {
  constructor(status, problem) {
    super([problem.detail ?? `The gateway answered ${status}.`, problem.help].filter(Boolean).join(' '));
    this.status = status;
    this.parameter = problem.parameter ?? '';
    this.mistakes = problem.mistakes ?? [];
  }
}

/// Makes a call and returns its JSON answer. Throws a Refusal if the status is not 2xx.
export async function call(method, path, body) {
  const text = body === undefined || typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await fetch(path, { method, headers: fields({ Accept: 'application/json' }), body: text,
    cache: 'no-store' });
  if (answer.status === 401) become('', true);
  const known = (answer.headers.get('Content-Type') ?? '').includes('json');
  const json = known ? await answer.json() : {};
  if (!answer.ok) throw new Refusal(answer.status, json);
  return json;
}

/// Asks the gateway for the role of this reader.
export async function lookWho() {
  try {
    become((await call('GET', '/api/v1/role')).role, false);
  } catch (refused) {
    // If the gateway is unreachable, the event stream reports it.
    if (refused instanceof Refusal && refused.status !== 401) throw refused;
  }
}

/// Uses this token from now on, or none if it is "". If the gateway does not accept the token, throws and keeps the
/// previous one.
export async function useToken(text) {
  const before = token;
  token = text;
  try {
    become((await call('GET', '/api/v1/role')).role, false);
    return true;
  } catch (refused) {
    token = before;
    throw refused;
  }
}

export function forgetToken() {
  token = '';
  return lookWho();
}

export function openStream(path, signal) {
  return fetch(path, { headers: fields({ Accept: 'text/event-stream' }), signal, cache: 'no-store' });
}

export const gone = () => become('', true);

/// Returns the call as a curl command. The token is not in it.
export function asCurl(method, path, body) {
  const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;
  const parts = ['curl -sS --path-as-is'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  if (token) parts.push('-H "Authorization: Bearer $HEADGATE_ADMIN_TOKEN"');
  if (body !== undefined) parts.push(`-d ${quoted(typeof body === 'string' ? body : JSON.stringify(body))}`);
  parts.push(quoted(location.origin + path));
  return parts.join(' ');
}

/// Escapes a segment of a path. The segments "." and ".." must not be used: a browser resolves them even if they are
/// escaped.
export function segment(text) {
  return encodeURIComponent(text).replace(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);
}
