// The top of the page: the gateway, its state, and what is wrong.

import { $, el, keyed, put, tell } from './dom.js';
import { sentence, span } from './format.js';

const kWords = { ready: 'ready', degraded: 'degraded', not_ready: 'not ready', draining: 'draining' };
const kKinds = { ready: 'good', degraded: 'warn', not_ready: 'bad', draining: 'warn' };
let lost = false;
let said = '';

function pill(text, kind) {
  put($('state'), text);
  $('state').dataset.kind = kind;
  if (said === text) return;
  if (said) tell(`The gateway is ${text}.`);
  said = text;
}

export function connection(state, why) {
  lost = state === 'lost';
  document.documentElement.dataset.stale = lost ? 'yes' : '';
  if (state === 'token') pill('locked', 'wait');
  if (lost) pill('unreachable', 'bad');
  if (lost && why?.message && why.message.includes('dashboards')) pill('too many dashboards', 'bad');
}

/// Shows that the gateway refuses this page, for example because the host name in the address is not allowed.
export function refused(why) {
  pill('refused', 'bad');
  $('alerts').replaceChildren(el('div', { class: 'alert', role: 'alert', data: { kind: 'bad' } }, el('strong', { text: why })));
}

function redisOf(status) {
  if (status.redis.length === 0) return 'not used';
  const down = status.redis.filter((each) => each.state !== 'up');
  if (down.length === 0) return 'up';
  if (status.redis.length > 1) return `${down.length} of ${status.redis.length} servers ${down[0].state}`;
  return `${down[0].server} ${down[0].state}`;
}

/// Lists each server with its state, and the settlements that wait for Redis, for screens that are too narrow for a long address.
function redisInFull(status) {
  const waiting = status.settlements?.waiting ?? 0;
  const out = status.redis.map((each) => `${each.server} ${each.state}`);
  if (waiting > 0)
    out.push(`${waiting} settlements of ${status.settlements.permits} permits wait, the oldest for ${span(status.settlements.oldest_seconds ?? 0)}`);
  return out.join(', ');
}

function factsOf(status) {
  const config = status.config;
  const facts = [{ name: 'Up', text: span(status.uptime_seconds) },
    { name: 'Redis', text: redisOf(status), title: redisInFull(status), kind: status.redis.some((each) => each.state !== 'up') ? 'bad' : '' }];
  if (config.sha256)
    facts.push({ name: 'Configuration', text: `${config.sha256.slice(0, 12)}, ${span(config.age_seconds)} old`,
      title: `${config.file ?? ''} sha256 ${config.sha256}` });
  facts.push({ name: 'Connections', text: String(status.connections) });
  return facts;
}

/// Lists the alerts: first a refused reload with the place of its mistake, then all other reasons.
function alertsOf(status) {
  const out = [];
  const reload = status.config.last_reload;
  if (reload && !reload.applied)
    out.push({ key: 'reload', kind: 'bad', title: 'The last reload was refused, and an older configuration is in use',
      text: reload.why_not, code: true, command: 'headgate check -c FILE' });
  for (const each of status.details) {
    if (each.reason === 'reload_refused' && out.length > 0) continue;
    out.push({ key: each.reason + (each.subject ?? ''), kind: each.severity === 'info' ? 'info'
      : each.severity === 'degraded' ? 'warn' : 'bad',
      title: sentence(each.sentence).slice(0, -1), text: `${each.why ? `${each.why}; ` : ''}for ${span(each.seconds)}`,
      command: each.command });
  }
  return out;
}

export function show(look) {
  const { status } = look;
  put($('instance'), status.instance ?? '');
  document.title = `${status.instance ?? ''} – headgate`;
  put($('version'), status.version);
  if (!lost) pill(kWords[status.state] ?? status.state, kKinds[status.state] ?? 'wait');
  keyed($('facts'), factsOf(status), (fact) => fact.name,
    (fact) => el('div', {}, el('dt', { text: fact.name }), el('dd')),
    (node, fact) => {
      put(node.lastChild, fact.text);
      node.dataset.kind = fact.kind ?? '';
      if (fact.title && node.title !== fact.title) node.title = fact.title;
    });
  keyed($('alerts'), alertsOf(status), (alert) => alert.key,
    (alert) => el('div', { class: 'alert', role: alert.kind === 'bad' ? 'alert' : 'note' },
      el('strong'), el(alert.code ? 'code' : 'span', { class: 'why' }), el('code', { class: 'do' })),
    (node, alert) => {
      node.dataset.kind = alert.kind;
      put(node.children[0], alert.title);
      put(node.children[1], alert.text ?? '');
      put(node.children[2], alert.command ?? '');
      node.children[2].hidden = !alert.command;
    });
}
