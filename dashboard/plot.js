// A plot over time, drawn by dygraphs in the colours of the page.

import { el, keyed, put } from './dom.js';
import { minute, moment } from './format.js';

/// False in a build without the library, which has tables but no plots.
const kDraws = typeof Dygraph !== 'undefined';
// The legend of dygraphs is removed, because it writes style attributes, which the Content-Security-Policy of this
// page forbids. The page has its own legend.
if (kDraws) Dygraph.PLUGINS = Dygraph.PLUGINS.filter((plugin) => plugin !== Dygraph.Plugins.Legend);

const dark = matchMedia('(prefers-color-scheme: dark)');

function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export class Plot {
  /// Creates a plot. `series` are pairs of a name and the CSS variable of its colour. `text(number)` formats a value.
  constructor(place, legend, series, { stacked, text }) {
    this.place = place;
    this.legend = legend;
    this.series = series;
    this.stacked = stacked;
    this.text = text;
    this.graph = null;
    place.setAttribute('role', 'img');
    dark.addEventListener('change', () => this.graph?.updateOptions(this.#colours()));
    new ResizeObserver(() => this.graph?.resize()).observe(place);
    this.#tell(null);
  }

  draw(rows, window, summary) {
    this.place.setAttribute('aria-label', summary);
    this.rows = rows.length > 0 ? rows : [[new Date(window[0]), ...this.series.map(() => null)]];
    if (!kDraws) put(this.place, 'There is no plot, because this headgate was built without dygraphs (libjs-dygraphs).');
    else if (this.graph) this.graph.updateOptions({ file: this.rows, dateWindow: window });
    else this.graph = new Dygraph(this.place, this.rows, this.#options(window));
    this.place.dataset.empty = rows.length === 0 ? 'yes' : '';
    this.#tell(null);
  }

  #colours() {
    return { colors: this.series.map(([, name]) => colour(name)), gridLineColor: colour('--line'),
      axisLineColor: colour('--line') };
  }

  #options(window) {
    return { ...this.#colours(),
      labels: ['time', ...this.series.map(([name]) => name)],
      stackedGraph: this.stacked, fillGraph: this.stacked, fillAlpha: 0.55, strokeWidth: this.stacked ? 1 : 1.8,
      legend: 'never', interactionModel: {}, includeZero: true, dateWindow: window,
      axisLabelWidth: 52, highlightCircleSize: 3, rightGap: 4, xRangePad: 0, yRangePad: 10,
      axes: { x: { axisLabelFormatter: (at) => minute(at), drawGrid: false, pixelsPerLabel: 70 },
        y: { axisLabelFormatter: (y) => (y === 0 ? '0' : this.text(y)), pixelsPerLabel: 28 } },
      highlightCallback: (event, x, points, row) => this.#tell(row),
      unhighlightCallback: () => this.#tell(null) };
  }

  /// Shows the values of a row in the legend, or of the newest row if `row` is null.
  #tell(row) {
    const chosen = this.rows?.[row ?? this.rows.length - 1];
    const items = this.series.map(([name, paint], i) => ({ name, paint, value: chosen?.[i + 1] }));
    if (row !== null && chosen) items.unshift({ name: moment(chosen[0]), paint: '', value: undefined });
    keyed(this.legend, items, (item) => item.paint || 'at',
      (item) => el('span', {}, el('i', { class: `swatch ${item.paint.slice(2)}` }), el('span'), el('b')),
      (node, item) => {
        put(node.children[1], item.name);
        put(node.children[2], item.value === undefined || item.value === null ? '' : this.text(item.value));
      });
  }
}
