// The module "k6/metrics".
import { record } from './vu.js';

class Metric {
  constructor(name, kind) {
    this.name = name;
    this.kind = kind;
    record(name, kind);
  }

  add(value) {
    record(this.name, this.kind, value);
  }
}

export class Counter extends Metric {
  constructor(name) { super(name, 'counter'); }
}

export class Rate extends Metric {
  constructor(name) { super(name, 'rate'); }
}

export class Trend extends Metric {
  constructor(name, isTime = false) { // eslint-disable-line no-unused-vars
    super(name, 'trend');
  }
}
