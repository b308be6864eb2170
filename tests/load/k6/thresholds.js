// What was recorded, and whether a threshold holds of it.

export class Metrics {
  #all = new Map();

  of(name, kind) {
    if (!this.#all.has(name)) this.#all.set(name, { kind, count: 0, trues: 0, values: [], checks: {} });
    return this.#all.get(name);
  }

  add({ record: name, kind, value, check }) {
    const metric = this.of(name, kind);
    if (metric.kind !== kind) throw new Error(`${name} is a ${metric.kind} and a ${kind}`);
    if (value === undefined) return;
    metric.count += kind === 'counter' ? value : 1;
    if (kind === 'rate') metric.trues += value ? 1 : 0;
    if (kind === 'trend') metric.values.push(value);
    if (check && !value) metric.checks[check] = (metric.checks[check] ?? 0) + 1;
  }

  has(name) { return this.#all.has(name); }

  /// "rate==1", "count<=5", "p(99)<50".
  value(name, what) {
    const { kind, count, trues, values } = this.#all.get(name);
    if (kind === 'counter' && what === 'count') return count;
    if (kind === 'rate' && what === 'rate') return count === 0 ? NaN : trues / count;
    const percentile = /^p\((\d+(?:\.\d+)?)\)$/.exec(what);
    if (kind !== 'trend' || !percentile) throw new Error(`a ${kind} as ${name} has no ${what}`);
    const sorted = values.toSorted ? values.toSorted((a, b) => a - b) : [...values].sort((a, b) => a - b);
    return sorted.length === 0 ? NaN : sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percentile[1]) / 100) - 1)];
  }

  summary() {
    const lines = [];
    for (const [name, { kind, count, trues, values, checks }] of this.#all) {
      const shown = kind === 'rate' ? `${trues} of ${count}` : kind === 'counter' ? count : values.length === 0 ? 'none'
        : `p(50) ${this.value(name, 'p(50)').toFixed(1)}, p(99) ${this.value(name, 'p(99)').toFixed(1)}`;
      lines.push(`${name}: ${shown}${Object.entries(checks).map(([check, times]) => `; "${check}" failed ${times} times`).join('')}`);
    }
    return lines.join('\n');
  }
}

const kCompare = { '<': (a, b) => a < b, '<=': (a, b) => a <= b, '>': (a, b) => a > b, '>=': (a, b) => a >= b,
  '==': (a, b) => a === b };

/// Those that do not hold, as sentences.
export function broken(thresholds, metrics) {
  const out = [];
  for (const [name, expressions] of Object.entries(thresholds ?? {})) {
    if (!metrics.has(name)) throw new Error(`a threshold of ${name}, which nothing records`);
    for (const expression of expressions) {
      const parts = /^([a-z]+(?:\([0-9.]+\))?)(<=|>=|==|<|>)([0-9.]+)$/.exec(expression.replaceAll(' ', ''));
      if (!parts) throw new Error(`a threshold that is not understood: ${expression}`);
      const [, what, sign, wanted] = parts;
      const value = metrics.value(name, what);
      if (!kCompare[sign](value, Number(wanted))) out.push(`${name}: ${expression}, but it is ${value}`);
    }
  }
  return out;
}
