// The html page in a real browser, and its algebra against the program's own numbers.
//
//   node tests/browser/run.mjs [--shots FOLDER] [--only TEXT]
//
// It wants Chromium (CHROMIUM names it, else `chromium`) and a built binary (RETRYLINT names it, else target/debug). The
// folder gets pictures of the page in two widths, light and dark.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

import { Browser } from "./chromium.mjs";
import { large } from "./large.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "../..");
const binary = process.env.RETRYLINT ?? join(root, "target/debug/retrylint");
const chromium = process.env.CHROMIUM ?? "chromium";
const option = (name) => (process.argv.includes(name) ? process.argv[process.argv.indexOf(name) + 1] : null);
const shots = option("--shots");
const only = option("--only") ?? "";
const folder = mkdtempSync(join(tmpdir(), "retrylint-pages-"));

const retrylint = (...args) => execFileSync(binary, args, { cwd: root, encoding: "utf8", maxBuffer: 1 << 28, stdio: ["ignore", "pipe", "ignore"] });
const report = (path) => JSON.parse(retrylint("audit", "--format", "json", path));

function pageOf(path, name) {
  const file = join(folder, `${name}.html`);
  retrylint("audit", "--format", "html", "--output", file, path);
  return pathToFileURL(file).href;
}

const worstText = (page) => page.ask("document.getElementById('worst').textContent");
const totals = (page) => page.ask("[...document.querySelectorAll('.total strong')].map((e) => e.textContent)");

async function pick(page, name) {
  await page.ask(`(() => {
    const select = document.getElementById("operation");
    const option = [...select.options].find((o) => o.text.startsWith(${JSON.stringify(name)}));
    select.value = option.value;
    select.dispatchEvent(new Event("change"));
  })()`);
}

// What is typed over what a field holds.
async function typeOver(page, selector, text) {
  await page.click(selector);
  await page.ask(`document.querySelector(${JSON.stringify(selector)}).select()`);
  await page.type(text);
}

const tests = {
  // Every switch of every layer alone, and the edge alone, against `with_one_owner` of the JSON report.
  async "each switch is clicked and the numbers are the program's"(page) {
    const path = "fixtures/systems/shop-rust";
    await page.open(pageOf(path, "shop-rust"));
    const pair = report(path).operations.find((o) => o.name === "POST /checkout").dependencies;
    const deepest = pair.find((d) => d.attempts.value === 81); // the first on the page: the worst comes first
    await pick(page, "POST /checkout");
    assert.equal(await worstText(page), "81");
    const layers = await page.ask("[...document.querySelectorAll('#layers input[type=checkbox]')].map((e) => e.dataset.layer)");
    assert.equal(layers.length, 4);
    for (const layer of layers) {
      await page.click(`#layers input[type=checkbox][data-layer="${layer}"]`);
      assert.equal(await worstText(page), "27", `one of four layers is off: ${layer}`);
      await page.click(`#layers input[type=checkbox][data-layer="${layer}"]`);
      assert.equal(await worstText(page), "81", "and on again");
    }
    for (const [i, kept] of layers.entries()) {
      for (const layer of layers.filter((l) => l !== kept)) {
        await page.click(`#layers input[type=checkbox][data-layer="${layer}"]`);
      }
      assert.equal((await totals(page))[0], String(deepest.with_one_owner[i].attempts.value));
      await page.click("#reset");
    }
    await page.click("#edge");
    assert.deepEqual(await totals(page), pair.map(() => "3"));
    await page.click("#reset");
    assert.equal(await worstText(page), "81");
  },

  // 9 for 3 at the edge makes 243; six each is 6 to the fourth.
  async "attempts that are typed give the number of the system that has them"(page) {
    await page.open(pageOf("fixtures/systems/shop-rust", "typed"));
    await pick(page, "POST /checkout");
    const fields = await page.ask("[...document.querySelectorAll('#layers input[type=number]')].map((e) => e.dataset.layer)");
    await typeOver(page, `#layers input[type=number][data-layer="${fields[0]}"]`, "9");
    assert.equal(await worstText(page), "243");
    for (const field of fields) {
      await typeOver(page, `#layers input[type=number][data-layer="${field}"]`, "6");
    }
    assert.equal(await worstText(page), "1,296");
    assert.match(await page.ask("document.getElementById('result').textContent"), /instead of 81/);
  },

  async "the picture picks an operation"(page) {
    await page.open(pageOf("fixtures/systems/shop-rust", "picture"));
    const boxes = await page.ask("[...document.querySelectorAll('#picture [data-operation]')].map((e) => e.dataset.operation)");
    for (const box of boxes) {
      await page.click(`#picture [data-operation="${box}"] rect`);
      const picked = await page.ask("document.querySelector('#picture .picked')?.dataset.operation");
      assert.equal(picked, box);
    }
  },

  async "the table sorts and filters"(page) {
    await page.open(pageOf("fixtures/systems/shop-rust", "table"));
    const column = (n) => page.ask(`[...document.querySelectorAll('#owners tbody tr')].map((r) => r.cells[${n}].textContent)`);
    const attempts = (await column(2)).map(Number);
    assert.deepEqual(attempts, [...attempts].sort((a, b) => b - a), "the worst first");
    await page.click('#owners [data-sort="attempts"]');
    assert.deepEqual((await column(2)).map(Number), [...attempts].sort((a, b) => a - b));
    await page.click('#owners [data-sort="dependency"]');
    const names = await column(1);
    assert.deepEqual(names, [...names].sort());
    await page.click("#filter");
    await page.type("CHECKOUT postgres");
    assert.equal((await column(0)).length, 1);
    await page.click("#owners tbody tr button");
    assert.equal(await page.ask("document.activeElement.id"), "operation");
    await page.click("#several");
    assert.equal((await column(0)).length, 1);
  },

  async "the keyboard reaches everything"(page) {
    await page.open(pageOf("fixtures/systems/shop-rust", "keys"));
    const reached = [];
    for (let i = 0; i < 60; i++) {
      await page.key("Tab", "Tab");
      reached.push(await page.ask("document.activeElement.id || document.activeElement.dataset.layer || document.activeElement.dataset.sort || document.activeElement.className || document.activeElement.tagName"));
    }
    for (const wanted of ["operation", "edge", "reset", "picture", "filter", "several", "attempts", "keep"]) {
      assert.ok(reached.includes(wanted), `${wanted} among ${reached}`);
    }
    await page.ask("document.querySelector('#layers input').focus()");
    await page.key(" ", "Space", " ");
    assert.equal(await worstText(page), "27");
  },

  async "names for screen readers"(page) {
    await page.open(pageOf("fixtures/systems/shop-rust", "names"));
    const { nodes } = await page.send("Accessibility.getFullAXTree");
    const controls = ["button", "checkbox", "spinbutton", "combobox", "searchbox", "textbox"];
    const found = nodes.filter((node) => !node.ignored && controls.includes(node.role?.value));
    assert.ok(found.length > 15, `${found.length} controls`);
    for (const node of found) {
      assert.ok(node.name?.value?.trim(), `a ${node.role.value} without a name`);
    }
    assert.ok(nodes.some((node) => ["image", "img"].includes(node.role?.value) && /Call paths/.test(node.name?.value)));
    assert.equal(await page.ask("document.querySelectorAll('h1').length"), 1);
  },

  async "light and dark, by the system and by the button"(page) {
    const paper = () => page.ask("getComputedStyle(document.body).backgroundColor");
    await page.look(1280, 900, "light");
    await page.open(pageOf("fixtures/systems/shop-rust", "themes"));
    const light = await paper();
    await page.look(1280, 900, "dark");
    const dark = await paper();
    assert.notEqual(light, dark);
    await page.click("#theme");
    assert.equal(await paper(), light);
    assert.equal(await page.ask("document.getElementById('theme').getAttribute('aria-pressed')"), "false");
  },

  async "hostile names stay text"(page) {
    const system = join(folder, "hostile");
    const name = "</script><img src=x onerror=alert(1)>{{data}}<!--";
    mkdirSync(system);
    writeFileSync(join(system, "envoy.yaml"), hostile(name));
    await page.open(pageOf(system, "hostile-page"));
    assert.equal(await page.ask("document.querySelectorAll('img').length"), 0);
    const text = await page.ask("document.body.innerText");
    assert.ok(text.includes("onerror=alert(1)"), text);
    assert.equal(await page.ask("document.querySelectorAll('script').length"), 2);
  },

  async "nothing of a narrow page is lost"(page) {
    await page.look(400, 800, "light");
    await page.open(pageOf("fixtures/systems/shop-rust", "narrow"));
    const wide = await page.ask("document.documentElement.scrollWidth");
    assert.ok(wide <= 400, `the page is ${wide} wide`);
  },

  async "an empty tree is said to be empty"(page) {
    const empty = join(folder, "empty");
    mkdirSync(empty);
    await page.open(pageOf(empty, "empty-page"));
    assert.match(await page.ask("document.getElementById('summary').textContent"), /No operation/);
  },

  async "a printed table has all its rows"(page) {
    await page.open(pageOf("fixtures/systems", "print"));
    const rows = () => page.ask("document.querySelectorAll('#owners tbody tr').length");
    const before = await rows();
    await page.ask("window.dispatchEvent(new Event('beforeprint'))");
    const all = await page.ask("JSON.parse(document.getElementById('data').textContent).rows.length");
    assert.ok(before < all);
    assert.equal(await rows(), all);
    await page.ask("window.dispatchEvent(new Event('afterprint'))");
    assert.equal(await rows(), before);
    assert.ok((await page.send("Page.printToPDF")).data.length > 10_000);
  },

  async "a thousand operations stay usable"(page) {
    const system = join(folder, "large");
    large(system, 1000);
    const url = pageOf(system, "large-page");
    let began = Date.now();
    await page.open(url);
    const load = Date.now() - began;
    assert.ok(await page.ask("document.querySelectorAll('#operation option').length") >= 1000);
    began = Date.now();
    await page.click("#filter");
    await page.type("operation_77");
    await page.ask("document.querySelectorAll('#owners tbody tr').length");
    const filter = Date.now() - began;
    began = Date.now();
    await page.click("#owners tbody tr button");
    await page.click("#layers input[type=checkbox]");
    const change = Date.now() - began;
    const nodes = await page.ask("document.querySelectorAll('*').length");
    const bytes = await page.ask("document.documentElement.outerHTML.length");
    console.log(`   1,000 operations: load ${load} ms, filter ${filter} ms, pick and switch ${change} ms, ${nodes} elements, ${Math.round(bytes / 1024)} KiB`);
    assert.ok(load < 5000 && filter < 1500 && change < 1500);
  },
};

function hostile(name) {
  const quoted = JSON.stringify(name);
  const retries = "{retry_on: '5xx,connect-failure', num_retries: 2}";
  return `static_resources:
  listeners:
  - name: public
    address: {socket_address: {address: 0.0.0.0, port_value: 80}}
    filter_chains:
    - filters:
      - name: envoy.filters.network.http_connection_manager
        typed_config:
          "@type": type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager
          stat_prefix: public
          route_config:
            virtual_hosts:
            - name: all
              domains: ["*"]
              routes:
              - match: {prefix: ${JSON.stringify(`/${name}`)}}
                route: {cluster: ${quoted}, retry_policy: ${retries}}
  clusters:
  - name: ${quoted}
    type: STRICT_DNS
    load_assignment:
      cluster_name: ${quoted}
      endpoints:
      - lb_endpoints:
        - endpoint: {address: {socket_address: {address: far.example.com, port_value: 80}}}
`;
}

// The page's algebra, in the page, against numbers that the program computed with the same layers changed.
async function algebra(page) {
  const cases = execFileSync("cargo", ["run", "-q", "--example", "what_if"], { cwd: root, encoding: "utf8", maxBuffer: 1 << 28 });
  let count = 0;
  for (const line of cases.split("\n").filter((l) => l !== "")) {
    const { name, page: html, changes } = JSON.parse(line);
    const file = join(folder, "case.html");
    writeFileSync(file, html);
    await page.open(pathToFileURL(file).href);
    const got = await page.ask(`(() => {
      const data = JSON.parse(document.getElementById("data").textContent);
      return ${JSON.stringify(changes)}.map(({ rows, layers }) => rows.map(([operation, dependency]) => {
        const formula = algebra.operation(data, operation);
        const found = formula && formula.attempts(data.dependencies.indexOf(dependency), layers, true);
        return found ? algebra.bound(found.tries) : "too large";
      }));
    })()`);
    changes.forEach(({ rows, layers }, i) => rows.forEach(([operation, dependency, wanted], j) => {
      assert.deepEqual(got[i][j], wanted, `${name}: operation ${operation} to ${dependency} with ${JSON.stringify(layers)}`);
      count += 1;
    }));
  }
  assert.ok(count > 500, `${count} numbers`);
  console.log(`   ${count} numbers`);
}

async function pictures(page) {
  mkdirSync(shots, { recursive: true });
  const url = pageOf("fixtures/systems/shop", "shots");
  for (const [width, height] of [[1280, 1600], [400, 2400]]) {
    for (const scheme of ["light", "dark"]) {
      await page.look(width, height, scheme);
      await page.open(url);
      writeFileSync(join(shots, `page-${width}-${scheme}.png`), await page.shot());
    }
  }
}

const browser = new Browser(chromium);
let failed = 0;
try {
  for (const [name, test] of Object.entries({ ...tests, "the algebra of the page is the program's": algebra })) {
    if (!name.includes(only)) {
      continue;
    }
    const page = await browser.page();
    await page.look(1280, 900, "light");
    try {
      await test(page);
      assert.deepEqual(page.complaints, [], "the page complained");
      const outside = page.requests.filter((url) => !url.startsWith("file:") && url !== "about:blank");
      assert.deepEqual(outside, [], "the page asked for something");
      console.log(`ok ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED ${name}\n${error.stack}`);
    }
  }
  if (shots) {
    await pictures(await browser.page());
  }
} finally {
  await browser.close();
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = failed > 0 ? 1 : 0;
