// The tables of endings, as the program computes them (docs/semantics.md, "Worst-case attempts"), over the formulas of the
// page. Numbers are pairs: what is surely reached, and what is never passed.
"use strict";

const algebra = (() => {
  const OK = 0, NEVER = 1, FIRST_ERROR = 13, LAST_STATUS = 12;
  const CONNECT = 13, RESET = 14, TIMEOUT = 15, OTHERWISE_STATUS = 12, OTHERWISE_ERROR = 23;
  const NORMAL = 0, RETURN = 1;
  const MOST_WORK = 3_000_000;

  const finite = (n) => (n === -1 ? Infinity : n);
  const key = (flow, ending) => flow * 32 + ending;
  const flowOf = (cell) => Math.floor(cell / 32);
  const endingOf = (cell) => cell % 32;
  const isError = (ending) => ending >= FIRST_ERROR;
  const goesOn = (cell) => cell <= LAST_STATUS && cell !== NEVER;
  const has = (set, ending) => (set & (1 << ending)) !== 0;
  const times = (a, b) => (a === 0 || b === 0 ? 0 : a * b);
  const greater = (a, b) => a[0] > b[0] || (a[0] === b[0] && a[1] > b[1]);

  function put(table, cell, low, high) {
    const known = table.get(cell);
    if (known) {
      table.set(cell, [Math.max(known[0], low), Math.max(known[1], high)]);
    } else {
      table.set(cell, [low, high]);
    }
  }

  // The largest over the cells to keep, on both ends; nothing where there is none.
  function largest(table, keep) {
    let most = null;
    for (const [cell, [low, high]] of table) {
      if (keep(cell)) {
        most = most ? [Math.max(most[0], low), Math.max(most[1], high)] : [low, high];
      }
    }
    return most;
  }

  const most = (table) => largest(table, () => true) || [0, 0];
  const one = (cell, low = 0, high = low) => new Map([[cell, [low, high]]]);
  const orOk = (table) => (table.size === 0 ? one(OK) : table);

  function moved(body, to) {
    const out = new Map();
    for (const [cell, [low, high]] of body) {
      put(out, key(to(flowOf(cell), endingOf(cell)), endingOf(cell)), low, high);
    }
    return out;
  }

  function seq(parts) {
    const out = new Map();
    let before = [0, 0];
    for (let i = 0; i < parts.length; i++) {
      for (const [cell, [low, high]] of parts[i]) {
        if (i + 1 === parts.length || !goesOn(cell)) {
          put(out, cell, before[0] + low, before[1] + high);
        }
      }
      const onward = largest(parts[i], goesOn);
      if (!onward) {
        return out;
      }
      before = [before[0] + onward[0], before[1] + onward[1]];
    }
    return orOk(out);
  }

  function branch(parts) {
    const out = new Map();
    for (const part of parts) {
      for (const [cell, [low, high]] of part) {
        put(out, cell, low, high);
      }
    }
    return orOk(out);
  }

  // Each cell of one side with the largest of those of every other side that `keep` takes.
  function sides(parts, keep) {
    const out = new Map();
    parts.forEach((side, i) => {
      for (const [cell, own] of side) {
        const sum = [...own];
        const together = parts.every((other, j) => {
          const found = j === i ? [0, 0] : largest(other, keep(cell));
          if (found) {
            sum[0] += found[0];
            sum[1] += found[1];
          }
          return found !== null;
        });
        if (together) {
          put(out, cell, sum[0], sum[1]);
        }
      }
    });
    return orOk(out);
  }

  const join = (parts, all) => sides(parts, (cell) => {
    if (cell === OK) {
      return (c) => c === OK;
    }
    if (cell === NEVER) {
      return (c) => all || !isError(endingOf(c));
    }
    return cell <= LAST_STATUS ? goesOn : (c) => !all || endingOf(c) !== NEVER;
  });

  const race = (parts, firstOk) => sides(parts, (cell) => {
    if (endingOf(cell) === NEVER) {
      return (c) => endingOf(c) === NEVER || (firstOk && isError(endingOf(c)));
    }
    return firstOk && isError(endingOf(cell)) ? (c) => isError(endingOf(c)) : () => true;
  });

  // A hang is renamed only by a rule for hangs alone.
  function map(rules, body) {
    const out = new Map();
    for (const [cell, [low, high]] of body) {
      let to = 0;
      for (let i = 0; i < rules.length && cell < 32 && to === 0; i += 2) {
        const fits = has(rules[i], cell) && (cell !== NEVER || rules[i] === 1 << NEVER);
        to = fits ? rules[i + 1] : 0;
      }
      if (to === 0) {
        put(out, cell, low, high);
      }
      for (let ending = 0; ending < 24; ending++) {
        if (has(to, ending)) {
          put(out, ending, low, high);
        }
      }
    }
    return out;
  }

  function recover(body, on, follow) {
    const out = new Map();
    for (const [cell, [low, high]] of body) {
      const arm = cell < 32 && cell !== NEVER ? on.findIndex((set) => has(set, cell)) : -1;
      if (arm < 0) {
        put(out, cell, low, high);
        continue;
      }
      for (const [end, [more, most]] of follow(arm, cell)) {
        put(out, end, low + more, high + most);
      }
    }
    return out;
  }

  // A layer of a step, with what a reader has changed: `change.off`, or `change.attempts`.
  function turns([layer, id, low, high, again, flags], changes) {
    const change = changes[layer];
    const jumps = (flags & 1) !== 0, exhausts = (flags & 2) !== 0, multiplies = (flags & 4) !== 0;
    const fixed = (flags & 8) !== 0;
    const own = [finite(low), finite(high)];
    const changed = multiplies && change && !fixed;
    const n = !changed ? own : change.off ? [1, 1] : [change.attempts, change.attempts];
    const backOf = key(3 + 2 * id, 0), breakFlow = 2 + 2 * id, againFlow = 3 + 2 * id;
    const repeats = (cell) => {
      const lands = cell < 32 && cell !== NEVER;
      return jumps ? lands || (cell >= backOf && cell < backOf + 32) : lands && has(again, cell);
    };
    const landing = (cell) => {
      const flow = flowOf(cell);
      return flow === breakFlow || flow === againFlow ? endingOf(cell) : cell;
    };
    // A loop without a guard of its own that is given an end ends in what it would have repeated.
    const guarded = !(changed && own[1] === Infinity);
    return { n, own, multiplies, jumps, exhausts, repeats, landing, againFlow, guarded };
  }

  function repeat(layer, body) {
    const out = new Map();
    if (!layer.multiplies) {
      for (const [cell, [low, high]] of body) {
        const landed = layer.landing(cell);
        put(out, flowOf(cell) === layer.againFlow ? OK : landed, low, high);
      }
      return out;
    }
    const again = largest(body, layer.repeats);
    if (!again) {
      body.forEach(([low, high], cell) => put(out, layer.landing(cell), low, high));
      return out;
    }
    const endless = layer.n[0] === Infinity;
    const before = [times(again[0], layer.n[0] - 1), times(again[1], layer.n[1] - 1)];
    const surfaces = layer.jumps ? !layer.guarded : !endless;
    for (const [cell, [low, high]] of body) {
      if (surfaces || !layer.repeats(cell)) {
        put(out, layer.landing(cell), before[0] + low, before[1] + high);
      }
    }
    if (endless) {
      put(out, NEVER, before[0], before[1]);
    } else if (layer.jumps && (layer.exhausts || out.size === 0)) {
      put(out, OK, times(again[0], layer.n[0]), times(again[1], layer.n[1]));
    }
    return out;
  }

  // Bodies that are tried one after another, each once at most, in the worst order.
  function failover(layer, bodies) {
    const n = layer.multiplies ? layer.n[1] : 1;
    const turns = Math.min(Math.max(n, 1), Math.max(bodies.length, 1));
    const costs = bodies.map((body) => largest(body, layer.repeats));
    const out = new Map();
    bodies.forEach((body, j) => {
      const earlier = costs.filter((cost, i) => i !== j && cost).sort((a, b) => b[1] - a[1] || b[0] - a[0]);
      const before = earlier.slice(0, turns - 1).reduce((sum, c) => [sum[0] + c[0], sum[1] + c[1]], [0, 0]);
      for (const [cell, [low, high]] of body) {
        if (!layer.repeats(cell) || earlier.length + 1 >= turns) {
          put(out, layer.landing(cell), before[0] + low, before[1] + high);
        }
      }
    });
    return orOk(out);
  }

  // How a try of the failing dependency ends; what only connects cannot answer.
  function fails(ending, connectOnly) {
    if (ending === NEVER || ending === CONNECT || !connectOnly) {
      return ending;
    }
    return ending === RESET ? OTHERWISE_STATUS : null;
  }

  function remote([, dep, connectOnly, behind], world, table) {
    const own = dep === world.counted ? 1 : 0;
    const out = new Map();
    if (behind >= 0) {
      table(behind).forEach(([low, high], cell) => put(out, cell, own + low, own + high));
    }
    if (out.size === 0) {
      put(out, OK, own, own);
    }
    const ending = dep === world.failing ? fails(world.ending, connectOnly === 1) : null;
    if (ending !== null) {
      put(out, ending, own, own);
    }
    return out;
  }

  const PARTS = { 2: 1, 3: 1, 4: 1, 5: 1, 10: 2 };

  // The steps that a step mentions.
  function children(step) {
    switch (step[0]) {
      case 0: case 1: return [];
      case 2: case 3: case 4: case 5: case 10: return step[PARTS[step[0]]];
      case 6: return step[3] >= 0 ? [step[3]] : [];
      case 8: return [step[1], ...step[3]];
      case 7: case 9: case 13: return [step[2]];
      default: return [step[1]];
    }
  }

  // How many enclosing arms each step mentions: one that mentions none has one table per world.
  function openness(steps) {
    const open = [];
    steps.forEach((step, i) => {
      const of = (child) => open[child];
      switch (step[0]) {
        case 1: open[i] = step[1] + 1; break;
        case 15: open[i] = 0; break;
        case 8: open[i] = Math.max(of(step[1]), ...step[3].map((arm) => of(arm) - 1)); break;
        default: open[i] = Math.max(0, ...children(step).map(of));
      }
    });
    return open;
  }

  class Operation {
    constructor(steps, open, formula) {
      this.steps = steps;
      this.open = open;
      this.formula = formula;
      const seen = new Set();
      const waiting = [formula.root];
      while (waiting.length > 0) {
        const step = waiting.pop();
        if (!seen.has(step)) {
          seen.add(step);
          waiting.push(...children(steps[step]));
        }
      }
      this.closed = [...seen].filter((step) => open[step] === 0).sort((a, b) => a - b);
    }

    // The table of the whole operation in one world.
    table(world, changes) {
      const memo = new Map();
      const of = (at, caught) => (this.open[at] === 0 ? memo.get(at) : this.step(at, caught, world, changes, of));
      for (const at of this.closed) {
        memo.set(at, this.step(at, [], world, changes, of));
      }
      return memo.get(this.formula.root);
    }

    step(at, caught, world, changes, of) {
      const step = this.steps[at];
      const table = (child) => of(child, caught);
      switch (step[0]) {
        case 0: {
          const out = new Map();
          for (let i = 0; i < step[1].length; i += 2) {
            put(out, key(step[1][i], step[1][i + 1]), 0, 0);
          }
          return out;
        }
        case 1: return one(step[1] < caught.length ? caught[caught.length - 1 - step[1]] : OTHERWISE_ERROR);
        case 2: return seq(step[1].map(table));
        case 3: return branch(step[1].map(table));
        case 4: return join(step[1].map(table), step[2] === 1);
        case 5: return race(step[1].map(table), step[2] === 1);
        case 6: return remote(step, world, table);
        case 7: return map(step[1], table(step[2]));
        case 8: return recover(table(step[1]), step[2], (arm, cell) => of(step[3][arm], [...caught, cell]));
        case 9: return repeat(turns(step[1], changes), table(step[2]));
        case 10: return failover(turns(step[1], changes), step[2].map(table));
        case 11: return map([1 << NEVER, 1 << TIMEOUT], table(step[1]));
        case 12: return one(OK, ...most(table(step[1])));
        case 13: return moved(table(step[2]), (flow, e) => (flow === NORMAL && e !== NEVER ? step[1] : flow));
        case 14: return moved(table(step[1]), (flow) => (flow === RETURN ? NORMAL : flow));
        default: return moved(of(step[1], []), () => NORMAL);
      }
    }

    // The most tries to a dependency over everybody who can fail, in every way: `[low, high]`, who fails, and how.
    // Nothing where that would take too long.
    attempts(dependency, changes, everybody) {
      const own = this.formula.failing.find(([dep]) => dep === dependency);
      const others = everybody ? this.formula.failing.map(([dep]) => dep).filter((dep) => dep !== dependency) : [];
      const failing = everybody ? [dependency, ...others] : own[1];
      if (failing.length * this.formula.scenarios.length * this.closed.length > MOST_WORK) {
        return null;
      }
      let worst = null;
      for (const who of failing) {
        for (const [scenario, ending] of this.formula.scenarios) {
          const world = { failing: who, ending, counted: dependency };
          const tries = most(this.table(world, changes));
          if (!worst || greater(tries, worst.tries)) {
            worst = { tries, failing: who, scenario };
          }
        }
      }
      return worst;
    }
  }

  // A pair as one bound: how sure the number is, and the number.
  function bound([low, high]) {
    if (low === Infinity) {
      return ["unbounded", null];
    }
    if (high === Infinity) {
      return low <= 2 ? ["unknown", null] : ["at-least", low];
    }
    return low === high ? ["exactly", high] : ["at-most", high];
  }

  function operation(data, index) {
    const formula = data.formulas[index];
    data.open ??= openness(data.steps);
    return formula ? new Operation(data.steps, data.open, formula) : null;
  }

  return { operation, bound };
})();
