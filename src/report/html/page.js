
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const PAGE_ROWS = 50;
  const MOST_PATHS = 40;
  const byId = (id) => document.getElementById(id);
  const operationAt = new Map(data.operations.map((operation, i) => [operation.id, i]));
  const state = { operation: null, changes: {}, sort: "attempts", down: true, page: 0, printing: false };

  // An element with text and children; text of the analysed tree only ever becomes text.
  function make(name, options = {}, ...children) {
    const element = document.createElement(name);
    for (const [key, value] of Object.entries(options)) {
      if (key === "class") {
        element.className = value;
      } else if (key === "text") {
        element.textContent = value;
      } else {
        element.setAttribute(key, value);
      }
    }
    element.append(...children);
    return element;
  }

  function shown([kind, value]) {
    switch (kind) {
      case "exactly": return value.toLocaleString("en");
      case "at-most": return `at most ${value.toLocaleString("en")}`;
      case "at-least": return `at least ${value.toLocaleString("en")}`;
      case "unbounded": return "no limit";
      default: return "unknown";
    }
  }

  const size = ([kind, value]) => (kind === "unbounded" ? Infinity : kind === "unknown" ? 2 : value);
  const same = (a, b) => a[0] === b[0] && a[1] === b[1];
  const rowsOf = (operation) => data.rows.filter((row) => row.operation === operation.id);
  const line = (place) => place.slice(0, place.lastIndexOf(":"));

  // The layers of an operation's paths, in the order of the paths, with the number that stands in the tree.
  function layersOf(rows) {
    const found = new Map();
    for (const row of rows) {
      for (const [layer, attempts] of row.layers) {
        found.set(layer, found.has(layer) && size(found.get(layer)) >= size(attempts) ? found.get(layer) : attempts);
      }
    }
    return found;
  }

  // A failover to another dependency is no retry to switch off.
  function isFixed(layer) {
    const steps = data.steps.filter((step) => (step[0] === 9 || step[0] === 10) && step[1][0] === layer);
    return steps.length > 0 && steps.every((step) => (step[1][5] & 8) !== 0);
  }

  function change(layer) {
    return state.changes[layer];
  }

  function attemptsNow(layer, attempts) {
    const changed = change(layer);
    return !changed ? attempts : ["exactly", changed.off ? 1 : changed.attempts];
  }

  // What each row is with the changes: a number, or nothing where it cannot be computed.
  function computed(operation, rows) {
    const formula = algebra.operation(data, operation.id);
    if (!formula) {
      return null;
    }
    const raised = Object.values(state.changes).some((changed) => changed.attempts > 1);
    return rows.map((row) => {
      const before = formula.attempts(row.dependency, {}, false);
      const after = formula.attempts(row.dependency, state.changes, raised);
      return before && after && { before: algebra.bound(before.tries), after: algebra.bound(after.tries), worst: after };
    });
  }

  function pick(index, focus) {
    state.operation = data.operations[index];
    state.changes = {};
    byId("operation").value = String(index);
    showLayers();
    show();
    showTable();
    for (const box of document.querySelectorAll("#picture [data-operation]")) {
      box.classList.toggle("picked", box.dataset.operation === String(state.operation.id));
    }
    if (focus) {
      byId("operation").focus();
    }
  }

  function show() {
    const operation = state.operation;
    const rows = rowsOf(operation);
    const numbers = computed(operation, rows);
    byId("where").textContent = `${operation.kind}, service ${operation.service}, ${operation.at}`;
    showResult(rows, numbers);
    const paths = rows.slice(0, MOST_PATHS).map((row, i) => pathOf(operation, row, numbers && numbers[i]));
    if (rows.length > MOST_PATHS) {
      paths.push(make("li", { class: "soft", text: `${rows.length - MOST_PATHS} more stand in the table below.` }));
    }
    byId("paths").replaceChildren(...paths);
    showRemark(rows, numbers);
  }

  function showResult(rows, numbers) {
    const worst = (of) => rows.reduce((most, row, i) => (most === null || size(of(row, i)) > size(most) ? of(row, i) : most), null);
    const before = worst((row) => row.attempts);
    const known = numbers && numbers.every((n) => n);
    const after = known && Object.keys(state.changes).length > 0 ? worst((_, i) => numbers[i].after) : before;
    const result = byId("result");
    result.replaceChildren("Worst case: ", make("strong", { text: shown(after), id: "worst" }), ` ${size(after) === 1 ? "attempt" : "attempts"}`);
    if (!same(before, after)) {
      const word = size(after) < size(before) ? "better" : "worse";
      result.append(make("span", { class: word, text: ` instead of ${shown(before)}` }));
    }
  }

  function showRemark(rows, numbers) {
    const remark = byId("remark");
    const text = !numbers || numbers.some((n) => !n)
      ? "This operation is too large to compute it anew here; the switches are off. What stands here is what was computed by the analysis."
      : rows.some((row, i) => !same(row.attempts, numbers[i].before))
        ? "Limits of time change some of these numbers. With a switch moved, the page shows the number without them."
        : "";
    remark.textContent = text;
    remark.hidden = text === "";
    const off = !numbers || numbers.some((n) => !n);
    for (const control of document.querySelectorAll("#layers input, #edge, #reset")) {
      control.disabled = off || control.dataset.fixed === "true";
    }
  }

  // Boxes from the operation over the layers to the dependency, and the number.
  function pathOf(operation, row, number) {
    const path = make("ol", { class: "path" });
    path.append(make("li", {}, make("div", { class: "box op" }, operation.name, make("small", { text: operation.service }))));
    for (const [layer, attempts] of row.layers) {
      const now = attemptsNow(layer, attempts);
      const owns = row.owners.includes(layer) ? !same(now, ["exactly", 1]) : false;
      const about = data.layers[layer];
      const box = make("div", { class: owns ? "box layer" : "box layer idle" }, about.function);
      box.append(make("span", { class: "factor", text: `\u00d7${shown(now)}` }));
      box.append(make("small", { class: "place", text: line(about.at) }));
      if (!owns) {
        box.append(make("small", { text: change(layer) ? "switched off" : "does not multiply here" }));
      }
      path.append(make("li", {}, box));
    }
    path.append(make("li", {}, make("div", { class: "box", text: data.dependencies[row.dependency] })));
    return make("li", {}, path, totalOf(row, number));
  }

  function totalOf(row, number) {
    const changed = Object.keys(state.changes).length > 0 && number;
    const now = changed ? number.after : row.attempts;
    const total = make("p", { class: "total" }, make("strong", { text: shown(now) }), ` ${size(now) === 1 ? "attempt" : "attempts"}`);
    if (!same(now, row.attempts)) {
      const word = size(now) < size(row.attempts) ? "better" : "worse";
      total.append(make("span", { class: word, text: ` instead of ${shown(row.attempts)}` }));
    }
    const failing = changed ? number.worst.failing : row.failing;
    const worst = changed ? number.worst.scenario : row.worst;
    total.append(` for ${shown(row.calls)} ${size(row.calls) === 1 ? "call" : "calls"}, worst when ${data.dependencies[failing]} ${worst}`);
    if (!changed && !same(row.effective, row.attempts)) {
      total.append(`; ${shown(row.effective)} of them can start in time`);
    }
    const box = make("div", {}, total);
    if (row.gaps.length > 0) {
      box.append(make("ul", { class: "gaps" }, ...row.gaps.map((gap) => make("li", { text: `not seen: ${gap}` }))));
    }
    return box;
  }

  // One line of controls for each layer of the operation.
  function showLayers() {
    const lines = [];
    for (const [layer, attempts] of layersOf(rowsOf(state.operation))) {
      lines.push(controls(layer, attempts));
    }
    if (lines.length === 0) {
      lines.push(make("tr", {}, make("td", { colspan: "6", class: "soft", text: "Nothing on its paths tries again." })));
    }
    byId("layers").tBodies[0].replaceChildren(...lines);
  }

  function controls(layer, attempts) {
    const about = data.layers[layer];
    const fixed = isFixed(layer);
    const on = make("input", { type: "checkbox", "data-layer": String(layer), "data-fixed": String(fixed), "aria-label": `Retries of ${about.function} at ${about.at}` });
    const own = attempts[0] === "exactly" || attempts[0] === "at-most" ? String(attempts[1]) : "";
    const number = make("input", { type: "number", min: "1", max: "1000", "data-layer": String(layer), "data-fixed": String(fixed), placeholder: shown(attempts), "aria-label": `Attempts of ${about.function} at ${about.at}` });
    on.checked = true;
    number.value = own;
    on.addEventListener("change", () => set(layer, on.checked ? typed(number, own) : { off: true }));
    number.addEventListener("input", () => {
      on.checked = true;
      set(layer, typed(number, own));
    });
    const place = [make("span", { class: "place", text: about.at })];
    if (about.bound_at) {
      place.push(make("br"), make("span", { class: "place soft", text: `called at ${about.bound_at}` }));
    }
    return make("tr", {},
      make("td", {}, on), make("td", {}, number),
      make("td", {}, make("div", { text: about.function }), ...place),
      make("td", { text: fixed ? `${about.kind}; goes elsewhere, no switch` : about.written ? about.kind : `${about.kind}, a default` }),
      make("td", { text: about.waits }), make("td", { text: about.retries.join(", ") }));
  }

  // What a typed number changes; nothing if it is the layer's own or none.
  function typed(number, own) {
    const n = Number.parseInt(number.value, 10);
    return number.value === own || !(n >= 1 && n <= 1000) ? null : { attempts: n };
  }

  function set(layer, changed) {
    if (changed) {
      state.changes[layer] = changed;
    } else {
      delete state.changes[layer];
    }
    show();
  }

  // Of every path the outermost layer that can be switched keeps its retries, and all below it are off.
  function onlyEdge() {
    const rows = rowsOf(state.operation);
    const outermost = new Set(rows.flatMap((row) => row.layers.map(([layer]) => layer).filter((layer) => !isFixed(layer)).slice(0, 1)));
    const inner = new Set(rows.flatMap((row) => row.layers.map(([layer]) => layer).filter((layer) => !isFixed(layer)).slice(1)));
    state.changes = {};
    for (const box of document.querySelectorAll("#layers input[type=checkbox]")) {
      const layer = Number(box.dataset.layer);
      const off = inner.has(layer) || !(outermost.has(layer) || isFixed(layer));
      box.checked = !off;
      if (off) {
        state.changes[layer] = { off: true };
      }
    }
    show();
  }

  function reset() {
    state.changes = {};
    showLayers();
    show();
  }

  const COLUMNS = [
    { key: "operation", title: "Operation", text: (row) => data.operations[operationAt.get(row.operation)].name },
    { key: "dependency", title: "Dependency", text: (row) => data.dependencies[row.dependency] },
    { key: "attempts", title: "Attempts", number: (row) => row.attempts },
    { key: "amplification", title: "Amplification", number: (row) => row.amplification },
    { key: "owners", title: "Owners", text: (row) => row.owners.map((layer) => `${data.layers[layer].function} \u00d7${shown(attemptsOf(row, layer))}`).join(", "), sorts: (row) => row.owners.length, wide: true },
    { key: "keep", title: "Keep", text: (row) => (row.keep === null ? "" : line(data.layers[row.keep].at)), wide: true },
    { key: "then", title: "Then", number: (row) => alone(row) },
    { key: "worst", title: "Worst when", text: (row) => `${data.dependencies[row.failing]} ${row.worst}`, wide: true },
  ];

  function attemptsOf(row, layer) {
    const found = row.layers.find(([known]) => known === layer);
    return found ? found[1] : ["unknown", null];
  }

  function alone(row) {
    const found = row.alone.find(([layer]) => layer === row.keep);
    return found ? found[1] : row.attempts;
  }

  // The rows that pass the filter, sorted; equal ones keep the order of the report.
  function wanted() {
    const words = byId("filter").value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    const several = byId("several").checked;
    const column = COLUMNS.find(({ key }) => key === state.sort);
    const value = column.sorts || (column.number ? (row) => size(column.number(row)) : column.text);
    const holds = (row) => {
      const text = COLUMNS.filter((c) => c.text).map((c) => c.text(row)).join(" ").toLowerCase();
      return (!several || row.owners.length > 1) && words.every((word) => text.includes(word));
    };
    const order = (a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0) * (state.down ? -1 : 1) || a.index - b.index;
    const rows = data.rows.filter(holds).map((row, index) => ({ row, index, value: value(row) }));
    return rows.sort(order).map(({ row }) => row);
  }

  function showHead() {
    const cells = COLUMNS.map((column) => {
      const picked = column.key === state.sort;
      const arrow = picked ? (state.down ? " \u2193" : " \u2191") : "";
      const button = make("button", { type: "button", text: column.title + arrow, "data-sort": column.key });
      button.addEventListener("click", () => {
        state.down = picked ? !state.down : Boolean(column.number || column.sorts);
        state.sort = column.key;
        state.page = 0;
        showHead();
        showTable();
        document.querySelector(`#owners [data-sort="${column.key}"]`).focus();
      });
      const sorted = picked ? (state.down ? "descending" : "ascending") : "none";
      return make("th", { scope: "col", "aria-sort": sorted, class: `${column.number ? "number" : ""} ${column.wide ? "wide" : ""}` }, button);
    });
    byId("owners").tHead.rows[0].replaceChildren(...cells);
  }

  function showTable() {
    const rows = wanted();
    const pages = Math.max(1, Math.ceil(rows.length / PAGE_ROWS));
    state.page = Math.min(state.page, pages - 1);
    const from = state.printing ? 0 : state.page * PAGE_ROWS;
    const some = state.printing ? rows.slice(0, 2000) : rows.slice(from, from + PAGE_ROWS);
    byId("owners").tBodies[0].replaceChildren(...some.map(lineOf));
    byId("count").textContent = `${rows.length} of ${data.rows.length} rows`;
    byId("page").textContent = `Page ${state.page + 1} of ${pages}`;
    byId("previous").disabled = state.page === 0;
    byId("next").disabled = state.page + 1 >= pages;
    byId("pages").hidden = pages === 1;
  }

  function lineOf(row) {
    const line = make("tr", { class: row.operation === state.operation.id ? "picked" : "" });
    for (const column of COLUMNS) {
      const text = column.number ? shown(column.number(row)) : column.text(row);
      const cell = make("td", { class: `${column.number ? "number" : ""} ${column.wide ? "wide" : ""}` });
      if (column.key === "operation") {
        const button = make("button", { type: "button", text });
        button.addEventListener("click", () => pick(operationAt.get(row.operation), true));
        cell.append(button);
      } else {
        cell.textContent = text;
      }
      line.append(cell);
    }
    return line;
  }

  function turn(by) {
    state.page = Math.max(0, state.page + by);
    showTable();
  }

  function print(printing) {
    state.printing = printing;
    showTable();
  }

  function theme() {
    const dark = window.matchMedia("(prefers-color-scheme: dark)");
    const button = byId("theme");
    const isDark = () => (document.documentElement.dataset.theme || (dark.matches ? "dark" : "light")) === "dark";
    const tell = () => button.setAttribute("aria-pressed", String(isDark()));
    button.addEventListener("click", () => {
      document.documentElement.dataset.theme = isDark() ? "light" : "dark";
      tell();
    });
    dark.addEventListener("change", tell);
    tell();
  }

  function begin() {
    const count = (n, word, words) => `${n.toLocaleString("en")} ${n === 1 ? word : words}`;
    byId("version").textContent = data.version;
    theme();
    if (data.rows.length === 0) {
      byId("summary").textContent = "No operation that calls anything remote was found.";
      document.querySelector("main").hidden = true;
      return;
    }
    const dependencies = new Set(data.rows.map((row) => row.dependency)).size;
    byId("summary").textContent = `${count(data.operations.length, "operation", "operations")}, ${count(dependencies, "dependency", "dependencies")}, ${count(data.rows.length, "path", "paths")}; the worst is ${shown(data.rows.reduce((most, row) => (size(row.attempts) > size(most) ? row.attempts : most), data.rows[0].attempts))} attempts`;
    const options = data.operations.map((operation, i) => make("option", { value: String(i), text: `${operation.name} (${operation.service})` }));
    byId("operation").append(...options);
    byId("operation").addEventListener("change", (event) => pick(Number(event.target.value), false));
    byId("edge").addEventListener("click", onlyEdge);
    byId("reset").addEventListener("click", reset);
    byId("filter").addEventListener("input", () => turn(-Infinity));
    byId("several").addEventListener("change", () => turn(-Infinity));
    byId("previous").addEventListener("click", () => turn(-1));
    byId("next").addEventListener("click", () => turn(1));
    byId("picture").addEventListener("click", (event) => {
      const box = event.target.closest("[data-operation]");
      if (box && operationAt.has(Number(box.dataset.operation))) {
        pick(operationAt.get(Number(box.dataset.operation)), false);
      }
    });
    window.addEventListener("beforeprint", () => print(true));
    window.addEventListener("afterprint", () => print(false));
    showHead();
    pick(operationAt.get(data.rows[0].operation), false);
  }

  begin();
})();
