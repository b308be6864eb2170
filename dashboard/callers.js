// The callers that are limited: what each has used, when it may send again, and what an operator may do about it.

import { $, button, either, el, put, show as visible, table } from './dom.js';
import { ask, copy, heard } from './dialog.js';
import { caller, count, money, rate, share, span } from './format.js';
import { asCurl, call, mayChange, segment } from './session.js';

const kShown = 12;
/// Milliseconds between two calls that ask what keys have used. The calls are made only while the keys are on the
/// screen.
const kEvery = 5000;
const used = new Map();
let seen = false;
let rows = [];
let last = () => null;

/// Returns the key of a row as a path has it. A browser resolves "." and ".." in a path, even if they are escaped. So
/// a key that is "." or "..", or is empty, is replaced by its id.
const keyOf = (row) => (row.key === undefined || /^\.{0,2}$/.test(row.key) ? row.key_id : row.key);
const pathOf = (row, what = 'keys') => `/api/v1/limits/${segment(row.limit)}/${what}/${segment(keyOf(row))}`;
const idOf = (row) => `${row.limit} ${row.key_id}`;

function useText(row) {
  const known = used.get(idOf(row));
  const rule = known?.rules?.[0];
  if (!rule) return { text: '–', part: 0 };
  const written = known.unit === 'money' ? money : count;
  if (rule.balance !== undefined) return { text: `${written(rule.balance)} left`, part: 0 };
  return { text: `${written(rule.used)} of ${written(rule.limit)}`, part: rule.limit > 0 ? rule.used / rule.limit : 0 };
}

function freeText(row) {
  const known = used.get(idOf(row));
  if (!known) return '–';
  if (known.why) return known.why;
  if (known.rules?.some((rule) => rule.balance !== undefined && rule.next_request === 'rejected')) return 'after a top-up';
  const waits = (known.rules ?? []).map((rule) => rule.retry_after_seconds ?? 0);
  const wait = Math.max(0, ...waits);
  return wait > 0 ? `in ${span(Math.ceil(wait))}` : 'now';
}

function reset(row) {
  ask({ title: `Reset ${caller(row)}`, danger: true, yes: 'Reset',
    text: `Its counter under limit ${row.limit} is deleted, and its next request starts a new one.`,
    of: () => ({ method: 'DELETE', path: pathOf(row) }),
    done: () => `The counter of ${caller(row)} under limit ${row.limit} is reset.`, then: refresh });
}

function override(row) {
  ask({ title: `Override the rate of ${caller(row)}`, yes: 'Override',
    text: `It has this rate under limit ${row.limit} until the time is over.`,
    fields: [{ name: 'rate', label: 'Rate', hint: '500/minute or unlimited', required: true },
      { name: 'for', label: 'For', value: '1h', required: true },
      { name: 'why', label: 'Why', hint: 'one line, shown beside the override', most: 200 }],
    of: (values) => ({ method: 'PUT', path: pathOf(row, 'overrides'),
      body: { rate: values.rate, for: values.for, ...(values.why ? { why: values.why } : {}) } }),
    done: (answer) => `${caller(row)} has another rate under limit ${row.limit}.${heard(answer)}`, then: refresh });
}

function suspend(row) {
  ask({ title: `Suspend ${caller(row)}`, danger: true, yes: 'Suspend',
    text: `All its requests to routes with limit ${row.limit} are refused.`,
    fields: [{ name: 'for', label: 'For', value: '10m', required: true }],
    of: (values) => ({ method: 'POST', path: '/api/v1/bans', body: { limit: row.limit, key: keyOf(row), for: values.for } }),
    done: (answer) => `${caller(row)} is suspended under limit ${row.limit}.${heard(answer)}` });
}

function acts(cell, row) {
  if (cell.children.length === 0) {
    const of = () => cell.parentNode.item;
    const named = (what) => ({ 'aria-label': `${what} ${caller(row)} under ${row.limit}` });
    const curl = button('Copy as curl', () => copy(asCurl('GET', pathOf(of())), curl), { class: 'small plain', ...named('Copy as curl:') });
    cell.append(button('Reset', () => reset(of()), named('Reset')),
      button('Override', () => override(of()), named('Override')),
      button('Suspend', () => suspend(of()), named('Suspend')), curl);
  }
  [...cell.children].slice(0, 3).forEach((each) => visible(each, mayChange()));
}

const whole = table('Who is limited', [
  { name: 'Caller', kind: 'name', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span', { class: 'main key' }), el('span', { class: 'under' }));
    put(cell.children[0], caller(row));
    put(cell.children[1], `under ${row.limit}${row.mode === 'observe' ? ', which only observes' : ''}`);
  } },
  { name: 'Rejected', kind: 'number', text: (row) => count(row.requests) },
  { name: 'Per second', kind: 'number', text: (row) => rate(row.per_second) },
  { name: 'Share of limit’s', kind: 'number', text: (row) => share(row.share) },
  { name: 'Used', kind: 'number use', change: (cell, row) => {
    if (cell.children.length === 0) cell.append(el('span'), el('i', { class: 'bar', 'aria-hidden': 'true' }, el('i')));
    const { text, part } = useText(row);
    put(cell.children[0], text);
    cell.children[1].firstChild.style.setProperty('--part', String(Math.min(1, part)));
  } },
  { name: 'Free again', kind: 'number', text: freeText },
  { name: 'Actions', kind: 'acts', change: acts },
]);

async function lookAt(row) {
  try {
    used.set(idOf(row), await call('GET', pathOf(row)));
  } catch (refused) {
    used.set(idOf(row), { why: refused.status ? '–' : 'unreachable' });
  }
}

async function refresh() {
  if (!seen || document.hidden) return;
  const wanted = rows.slice(0, kShown);
  for (const key of used.keys()) if (!wanted.some((row) => idOf(row) === key)) used.delete(key);
  await Promise.all(wanted.map(lookAt));
  if (last()) show(last());
}

export function begin(lastLook) {
  last = lastLook;
  new IntersectionObserver((entries) => {
    const before = seen;
    seen = entries.some((entry) => entry.isIntersecting);
    if (seen && !before) refresh();
  }).observe($('callers'));
  setInterval(refresh, kEvery);
}

export function show(look) {
  const first = rows.length === 0;
  rows = look.top.limits.flatMap((limit) => limit.keys.map((key) => ({ ...key, limit: limit.limit, mode: limit.mode })))
    .sort((a, b) => b.requests - a.requests || (idOf(a) < idOf(b) ? -1 : 1)).slice(0, kShown);
  either($('callers-body'), whole.whole, rows.length > 0, 'Nobody was rejected in the last minute.');
  whole.update(rows, idOf);
  if (first && rows.length > 0 && used.size === 0) refresh();
}
