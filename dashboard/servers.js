// Routes with their traffic, and upstreams with their servers, in one table.

import { $, button, either, el, put, show as visible, table } from './dom.js';
import { ask } from './dialog.js';
import { count, rate, span, took } from './format.js';
import { call, mayChange, segment } from './session.js';

const kRoutes = 200;
/// Routes by name, with their path and target. They are loaded whenever another configuration is in force.
const routes = new Map();
let asked = '';

async function learnRoutes(look) {
  const key = `${look.status.config.sha256} ${look.status.config.since}`;
  if (key === asked) return;
  asked = key;
  const known = (await call('GET', `/api/v1/routes?count=${kRoutes}`)).routes;
  routes.clear();
  for (const each of known) routes.set(each.route, each);
}

function pathOf(name) {
  const route = routes.get(name);
  if (!route) return name === '-' ? 'requests that match no route' : 'route';
  if (route.match) return 'calls of the rate limit service';
  const to = Array.isArray(route.to) ? route.to.map((each) => each.to ?? each).join(', ') : route.to;
  return `${route.host ? `${route.host} ` : ''}${route.path}${to ? ` → ${to}` : ''}`;
}

const kWhy = { ejected: 'it failed too often', unhealthy: 'its health check fails', drained: 'drained by an operator',
  down: 'taken down by an operator' };

function stateOf(server) {
  if (!server.in) return { text: server.out?.includes('drained') ? 'drained' : server.out?.includes('down') ? 'down' : 'out',
    kind: 'bad' };
  if (server.failing) return { text: 'in, failing', kind: 'warn' };
  return { text: 'in', kind: 'good' };
}

function whyOf(server) {
  const parts = (server.out ?? []).map((word) => kWhy[word] ?? word);
  if (server.failing) parts.push(`${server.failing.in_a_row} failures in a row: ${server.failing.last}`);
  if (server.last_check && !server.last_check.passed && server.last_check.why) parts.push(server.last_check.why);
  if (server.next_trial_seconds !== undefined) parts.push(`next trial in ${span(server.next_trial_seconds)}`);
  if (parts.length > 0 && server.seconds) parts.push(`for ${span(server.seconds)}`);
  return parts.join('; ');
}

function set(row, state) {
  const words = { up: 'gets requests again', drain: 'gets no new requests', down: 'is down' };
  const names = { up: 'Put back', drain: 'Drain', down: 'Take down' };
  ask({ title: `${names[state]}: ${row.server.server}`, yes: names[state], danger: state === 'down',
    text: { up: 'It gets requests again.', drain: 'It gets no new requests; requests in flight finish.',
      down: 'It gets no new requests, and requests in flight are broken off.' }[state] + ' This applies to this gateway until it restarts.',
    of: (values, force) => ({ method: 'PUT', path: `/api/v1/upstreams/${segment(row.upstream.upstream)}/servers/`
      + `${segment(row.server.server)}/state${force ? '?force' : ''}`, body: { state } }),
    done: () => `${row.server.server} ${words[state]}.` });
}

function acts(cell, row) {
  if (row.kind !== 'server') return;
  if (cell.children.length === 0) {
    const of = () => cell.parentNode.item;
    const named = (what) => ({ 'aria-label': `${what} ${row.server.server} of ${row.upstream.upstream}` });
    cell.append(button('Drain', () => set(of(), 'drain'), named('Drain')), button('Down', () => set(of(), 'down'), named('Down')),
      button('Up', () => set(of(), 'up'), named('Up')));
  }
  const out = row.server.out ?? [];
  const held = out.includes('drained') || out.includes('down');
  visible(cell.children[0], mayChange() && !held);
  visible(cell.children[1], mayChange() && !out.includes('down'));
  visible(cell.children[2], mayChange() && held);
}

const of = (kinds) => (row) => (kinds[row.kind] ? kinds[row.kind](row) : '');
const errors = (row) => row.server.errors_per_second + row.server.not_connected_per_second;

const whole = table('Routes and servers', [
  { name: 'Route, upstream or server', kind: 'name', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'main' }), el('span', { class: 'under' }));
    cell.parentNode.dataset.row = row.kind;
    put(cell.children[0], { route: () => row.route.route === '-' ? 'no route' : row.route.route,
      upstream: () => row.upstream.upstream, server: () => row.server.server }[row.kind]());
    put(cell.children[1], { route: () => pathOf(row.route.route), upstream: () => 'upstream', server: () => whyOf(row.server) }[row.kind]());
  } },
  { name: 'State', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'tag' }));
    const circuit = row.upstream?.circuit;
    const state = row.kind === 'server' ? stateOf(row.server)
      : row.kind === 'upstream' && circuit ? { text: `circuit ${circuit.replace('_', ' ')}`, kind: circuit === 'closed' ? 'good' : 'bad' }
        : { text: '', kind: '' };
    put(cell.firstChild, state.text);
    cell.firstChild.dataset.kind = state.kind;
  } },
  { name: 'In flight', kind: 'number', text: of({ server: (row) => count(row.server.in_flight),
    upstream: (row) => count(row.upstream.servers.reduce((sum, each) => sum + each.in_flight, 0)) }) },
  { name: 'Requests/s', kind: 'number', text: of({ route: (row) => rate(row.route.requests_per_second),
    server: (row) => rate(row.server.attempts_per_second),
    upstream: (row) => rate(row.upstream.servers.reduce((sum, each) => sum + each.attempts_per_second, 0)) }) },
  { name: 'p95', kind: 'number', text: of({ route: (row) => took(row.route.seconds?.p95),
    server: (row) => took(row.server.p95_seconds) }) },
  { name: '429/s', kind: 'number', text: of({ route: (row) => rate(row.route.statuses_per_second['429']) }) },
  { name: 'Errors/s', kind: 'number', change: (cell, row) => {
    const number = row.kind === 'route' ? row.route.statuses_per_second['5xx'] : row.kind === 'server' ? errors(row)
      : row.upstream.servers.reduce((sum, server) => sum + errors({ server }), 0);
    put(cell, rate(number));
    cell.dataset.hot = number > 0 ? 'bad' : '';
  } },
  { name: 'Retries', kind: 'number', text: of({ upstream: (row) => (row.upstream.retries === undefined ? ''
    : count(Object.values(row.upstream.retries).reduce((sum, each) => sum + each, 0))) }) },
  { name: 'Waiting', kind: 'number', text: of({ upstream: (row) => (row.upstream.queues
    ? count(row.upstream.queues.reduce((sum, each) => sum + each.waiting, 0)) : '') }) },
  { name: 'Actions', kind: 'acts', change: acts },
]);
const rest = el('p', { class: 'quiet more' });
const body = el('div', {}, whole.whole, rest);

export function show(look) {
  learnRoutes(look).catch(() => { asked = ''; });
  const rows = look.traffic.routes.map((route) => ({ kind: 'route', id: `r ${route.route}`, route }));
  for (const upstream of look.servers.upstreams) {
    rows.push({ kind: 'upstream', id: `u ${upstream.upstream}`, upstream });
    for (const server of upstream.servers)
      rows.push({ kind: 'server', id: `s ${upstream.upstream} ${server.server}`, upstream, server });
  }
  either($('servers-body'), body, rows.length > 0, 'There is no upstream, and no route had a request recently.');
  whole.update(rows, (row) => row.id);
  const left = look.traffic.left_out;
  visible(rest, left.routes > 0);
  put(rest, left.routes > 0 ? `${count(left.routes)} more routes had ${rate(left.requests_per_second)} requests/s in total.` : '');
}
