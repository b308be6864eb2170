// Creates and changes elements. Data becomes text and attributes only, never markup.

export const $ = (id) => document.getElementById(id);

/// Creates an element. `props` may have class, text, on (listeners), data (data-*), and attributes. An attribute that
/// is false or null is left out.
export function el(name, props = {}, ...children) {
  const out = document.createElement(name);
  for (const [key, value] of Object.entries(props)) {
    if (value === false || value === null || value === undefined) continue;
    if (key === 'class') out.className = value;
    else if (key === 'text') out.textContent = value;
    else if (key === 'on') for (const [event, call] of Object.entries(value)) out.addEventListener(event, call);
    else if (key === 'data') Object.assign(out.dataset, value);
    else if (key === 'value') out.value = value;
    else out.setAttribute(key, value === true ? '' : value);
  }
  out.append(...children.filter((child) => child !== null && child !== undefined));
  return out;
}

/// Sets a text only if it differs, so that the selection and the reading position are kept.
export function put(node, text) {
  const written = String(text);
  if (node.textContent !== written) node.textContent = written;
}

export function show(node, visible) {
  if (node.hidden === visible) node.hidden = !visible;
}

/// Makes the children of `parent` match `items`, in their order. If a child has the key of an item, it is kept, with
/// its focus and selection. `make(item)` creates an element, `change(element, item)` updates it.
export function keyed(parent, items, keyOf, make, change) {
  const known = new Map([...parent.children].map((child) => [child.dataset.key, child]));
  let at = parent.firstElementChild;
  for (const item of items) {
    const key = keyOf(item);
    let child = known.get(key);
    known.delete(key);
    if (!child) {
      child = make(item);
      child.dataset.key = key;
    }
    change(child, item);
    if (child === at) at = at.nextElementSibling;
    else parent.insertBefore(child, at);
  }
  for (const gone of known.values()) gone.remove();
}

/// Creates a table whose rows become cards on a phone. `columns` are {name, kind, text(item) or change(cell, item)}.
/// ARIA roles are written out, because browsers drop the roles of a table if CSS changes its layout.
export function table(label, columns) {
  const head = el('tr', { role: 'row' });
  for (const column of columns)
    head.append(el('th', { role: 'columnheader', scope: 'col', class: column.kind, 'aria-label': column.says },
      column.name));
  const body = el('tbody', { role: 'rowgroup' });
  const whole = el('table', { role: 'table', 'aria-label': label },
    el('thead', { role: 'rowgroup' }, head), body);
  const make = () => el('tr', { role: 'row' }, ...columns.map((column, i) =>
    el(i === 0 ? 'th' : 'td', { role: i === 0 ? 'rowheader' : 'cell', scope: i === 0 ? 'row' : null,
      class: column.kind, data: { label: column.name } }, ...(column.make ? column.make() : []))));
  const change = (row, item) => {
    row.item = item;
    columns.forEach((column, i) => {
      const cell = row.children[i];
      if (column.change) column.change(cell, item);
      else put(cell, column.text(item));
    });
  };
  return { whole, update: (items, keyOf) => keyed(body, items, keyOf, make, change) };
}

/// Creates the text that is shown where there is no data.
export function nothing(text) {
  return el('p', { class: 'nothing', text });
}

/// Shows `whole` if `any` is true, otherwise `text`.
export function either(parent, whole, any, text) {
  const wanted = any ? whole : null;
  if (wanted && whole.parentNode !== parent) parent.replaceChildren(whole);
  if (!wanted && parent.dataset.nothing !== text) parent.replaceChildren(nothing(text));
  parent.dataset.nothing = wanted ? '' : text;
}

/// Creates a button of a row. Pass an aria-label that names the row for people who cannot see it.
export function button(text, call, props = {}) {
  return el('button', { type: 'button', class: 'small', ...props, on: { click: call } }, text);
}

/// Announces `text` to screen readers.
export function tell(text) {
  put($('news'), text);
}
