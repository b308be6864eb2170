// The waiting rooms: how many visitors wait, and how many are inside.

import { $, either, el, keyed, put, show as visible } from './dom.js';
import { count, span } from './format.js';

const list = el('div', { class: 'cards' });

function make() {
  return el('article', { class: 'card' }, el('h3'), el('dl', { class: 'figures small' }),
    el('i', { class: 'bar', 'aria-hidden': 'true' }, el('i')));
}

function change(card, room) {
  put(card.firstChild, room.room + (room.mode === 'observe' ? ' (observe only)' : ''));
  const facts = [['waiting', count(room.waiting)],
    ['inside', room.visitors > 0 ? `${count(room.inside)} of ${count(room.visitors)}` : '–'],
    ['wait for newcomers', span(room.wait_seconds)], ['admitted', count(room.admitted)],
    ['told to wait', count(room.told_to_wait)], ['lost their place', count(room.lost)]];
  keyed(card.children[1], facts, ([name]) => name, ([name]) => el('div', {}, el('dt', { text: name }), el('dd')),
    (node, [, text]) => put(node.lastChild, text));
  card.lastChild.firstChild.style.setProperty('--part',
    String(room.visitors > 0 ? Math.min(1, room.inside / room.visitors) : 0));
  visible(card.lastChild, room.visitors > 0);
}

export function show(look) {
  const { rooms } = look.rooms;
  visible($('rooms'), rooms.length > 0);
  either($('rooms-body'), list, rooms.length > 0, 'There is no waiting room.');
  keyed(list, rooms, (room) => room.room, make, change);
}
