// Tries a request, or a call of the rate limit service: shows its route, its caller, its limits, and the answer it would
// get.

import { $, el, put } from './dom.js';
import { count, span } from './format.js';
import { call } from './session.js';

const kWhyNot = { host: 'its host differs', method: 'it does not accept this method', conditions: 'its conditions do not match',
  unclear: 'it is unclear whether its conditions match', less_specific: 'it matches too, but the chosen route is more specific' };

function fieldsOf(text) {
  return text.split('\n').map((line) => line.trim()).filter(Boolean).map((line) => {
    const at = line.indexOf(':');
    return at < 0 ? [line, ''] : [line.slice(0, at).trim(), line.slice(at + 1).trim()];
  });
}

function outcomeOf({ outcome }) {
  if (outcome.fails) return `The request would fail: ${outcome.fails.what}`;
  if (outcome.passes) return outcome.delay ? `The request would pass after ${span(outcome.delay)}` : 'The request would pass';
  const parts = [outcome.status ? `The request would be answered with ${outcome.status}` : 'The request would be refused'];
  if (outcome.limit) parts.push(`by limit ${outcome.limit}`);
  if (outcome.retry_after) parts.push(`and could pass in ${span(outcome.retry_after)}`);
  return parts.join(' ');
}

function limitsTable(limits, what = 'this request') {
  const names = ['Limit', 'Key', 'Cost', 'Rate', 'Used', 'Remaining', `T${what.slice(1)}`];
  const rows = limits.flatMap((limit) => (limit.rules?.length ? limit.rules : [{}]).map((rule) => [
    limit.limit + (limit.tier ? `, ${limit.tier}` : ''), limit.key ?? limit.key_id ?? '', limit.cost ?? '', rule.rate ?? '',
    rule.used === undefined ? '' : count(rule.used), rule.remaining === undefined ? '' : count(rule.remaining),
    limit.applies !== 'counted' ? limit.applies : rule.allowed ? 'allowed' : 'rejected']));
  return el('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Limits of ${what}` },
    el('table', {}, el('thead', {}, el('tr', {}, ...names.map((name) => el('th', { scope: 'col', text: name })))),
      el('tbody', {}, ...rows.map((row) => el('tr', {}, ...row.map((cell, i) =>
        el(i === 0 ? 'th' : 'td', { scope: i === 0 ? 'row' : null, text: String(cell) })))))));
}

function answerOf(answer) {
  const { outcome, route, caller } = answer;
  const out = [el('p', { class: 'verdict', data: { kind: outcome.passes ? 'good' : 'bad' }, text: `${outcomeOf(answer)}.` })];
  if (outcome.detail) out.push(el('p', { text: outcome.detail }));
  const facts = [['Route', route ? `${route.name} (${route.path})${route.to ? `, to ${route.to}` : ''}` : 'none']];
  if (caller?.address) facts.push(['Caller', caller.address]);
  for (const each of answer.candidates.filter(({ why }) => why !== 'chosen' && why !== 'path').slice(0, 5))
    facts.push([`Not route ${each.route}`, kWhyNot[each.why] ?? each.why]);
  out.push(el('dl', { class: 'pairs' }, ...facts.flatMap(([name, text]) => [el('dt', { text: name }), el('dd', { text })])));
  if (answer.limits?.length) out.push(limitsTable(answer.limits));
  return out;
}

/// Reads 'key=value,key=value', or an object of JSON. Throws an error with a sentence for any other line.
function descriptorOf(line) {
  if (line.startsWith('{')) {
    try {
      return JSON.parse(line);
    } catch {
      throw new Error(`This descriptor is no JSON object: ${line}`);
    }
  }
  const entries = line.split(',').map((entry) => {
    const at = entry.indexOf('=');
    if (at <= 0) throw new Error(`A descriptor has keys and values, as in path=/login,method=POST. This one has none: ${line}`);
    return [entry.slice(0, at).trim(), entry.slice(at + 1)];
  });
  if (new Set(entries.map(([key]) => key)).size < entries.length)
    throw new Error(`This descriptor has a key twice: ${line}`);
  return Object.fromEntries(entries);
}

function callAnswerOf({ outcome, call: { descriptors } }) {
  const words = { OK: 'The call would get OK', OVER_LIMIT: 'The call would get OVER_LIMIT' };
  const parts = [words[outcome.code] ?? `The call would fail with ${outcome.code}`];
  if (outcome.limit) parts.push(`by limit ${outcome.limit}`);
  if (outcome.retry_after) parts.push(`and could pass in ${span(outcome.retry_after)}`);
  const out = [el('p', { class: 'verdict', data: { kind: outcome.passes ? 'good' : 'bad' }, text: `${parts.join(' ')}.` })];
  if (outcome.detail) out.push(el('p', { text: outcome.detail }));
  for (const each of descriptors) {
    const name = Object.entries(each.descriptor).map(([key, value]) => `${key}=${value}`).join(', ');
    const what = each.entry === null ? 'OK and free, because no entry of “decide” counts it' : `${each.code}, by ${each.entry}`;
    out.push(el('dl', { class: 'pairs' }, el('dt', { text: name }), el('dd', { text: what })));
    if (each.limits.length) out.push(limitsTable(each.limits, 'this call'));
  }
  return out;
}

/// Sends the question of a form, which `bodyOf` makes from its values, and shows the answer.
function answers(form, bodyOf, shown) {
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    const place = $('request-answer');
    try {
      const body = bodyOf(Object.fromEntries(new FormData(form)));
      place.replaceChildren(...shown(await call('POST', '/api/v1/explain', body)));
    } catch (refused) {
      const problem = el('p', { class: 'problem' });
      put(problem, refused.message);
      place.replaceChildren(problem);
    }
  });
}

export function begin() {
  answers($('request-form'), ({ method, url, headers, ip }) => ({ method, url, headers: fieldsOf(headers), ...(ip ? { ip } : {}) }),
    answerOf);
  answers($('call-form'), ({ domain, hits, descriptors }) => ({ domain, hits: Number(hits),
    descriptors: descriptors.split('\n').map((line) => line.trim()).filter(Boolean).map(descriptorOf) }), callAnswerOf);
}
