// The candidate, which is compared with the policy in force, and what it would change.

import { $, button, el, keyed, put, show as visible, table, tell } from './dom.js';
import { ask } from './dialog.js';
import { caller, count, moment, sentence, share, span } from './format.js';
import { mayChange } from './session.js';

const figures = el('dl', { class: 'figures small' });
const about = el('p', { class: 'quiet' });
const byLimit = table('Differences by limit', [
  { name: 'Limit', kind: 'name', text: (row) => (row.limit === '-' ? 'no limit' : row.limit) + (row.tier ? `, ${row.tier}` : '') },
  { name: 'Both allow', kind: 'number', text: (row) => count(row.both_allowed) },
  { name: 'Both reject', kind: 'number', text: (row) => count(row.both_refused) },
  { name: 'Newly rejected', kind: 'number', change: (cell, row) => { put(cell, count(row.hit)); cell.dataset.hot = row.hit > 0 ? 'yes' : ''; } },
  { name: 'Newly allowed', kind: 'number', text: (row) => count(row.freed) },
]);
const byKey = table('Callers with a different decision', [
  { name: 'Caller', kind: 'name', text: (row) => caller(row) },
  { name: 'Limit', text: (row) => row.limit },
  { name: 'Newly rejected', kind: 'number', text: (row) => count(row.hit) },
  { name: 'Newly allowed', kind: 'number', text: (row) => count(row.freed) },
]);
const promote = button('Put it in force', () => ask({ title: 'Put the candidate in force', danger: true, yes: 'Put it in force',
  text: 'It takes effect at once, like a reload. Save it to the configuration file as well: the next reload reads that file.',
  of: () => ({ method: 'POST', path: '/api/v1/candidate/promote' }),
  done: (answer) => `The candidate is in force. Changed: ${answer.changed.join(', ') || 'nothing'}.` }), { class: '' });
const drop = button('Drop it', () => ask({ title: 'Drop the candidate', yes: 'Drop it', text: 'Its figures are deleted.',
  of: () => ({ method: 'DELETE', path: '/api/v1/candidate' }), done: () => 'The candidate was dropped.' }), { class: 'plain' });
const acts = el('p', { class: 'buttons' }, promote, drop);
const body = el('div', {}, about, figures, byLimit.whole, byKey.whole, acts);

function keysOf(diff) {
  const out = new Map();
  for (const list of diff.keys)
    for (const what of ['hit', 'freed'])
      for (const key of list[what]) {
        const id = `${list.limit} ${key.key_id}`;
        out.set(id, { hit: 0, freed: 0, ...out.get(id), ...key, id, limit: list.limit, [what]: key.requests });
      }
  return [...out.values()].sort((a, b) => b.hit + b.freed - a.hit - a.freed).slice(0, 10);
}

export function show(look) {
  const { diff } = look;
  visible($('candidate'), Boolean(diff));
  if (!diff) return;
  if (body.parentNode !== $('candidate-body')) $('candidate-body').replaceChildren(body);
  const facts = diff.candidate;
  put(about, `${facts.file ?? 'Set through the admin interface'}, sha256 ${facts.sha256.slice(0, 12)}, compared since ${moment(facts.since)} `
    + `(${span((look.at - Date.parse(facts.since)) / 1000)}). ${facts.notes.map(sentence).join(' ')}`);
  const { requests } = diff;
  const all = requests.both_allowed + requests.both_refused + requests.hit + requests.freed;
  const part = (number) => `${count(number)}${all > 0 ? ` · ${share(number / all)}` : ''}`;
  keyed(figures, [['compared', count(all)], ['newly rejected', part(requests.hit)], ['newly allowed', part(requests.freed)],
    ['both reject', part(requests.both_refused)], ['undecided', count(requests.undecided)]], ([name]) => name,
  ([name]) => el('div', {}, el('dt', { text: name }), el('dd')), (node, [, text]) => put(node.lastChild, text));
  byLimit.update(diff.limits, (row) => `${row.limit} ${row.tier}`);
  const keys = keysOf(diff);
  byKey.update(keys, (row) => row.id);
  visible(byLimit.whole, diff.limits.length > 0);
  visible(byKey.whole, keys.length > 0);
  visible(acts, mayChange());
}
