// A headless Chromium over its debugging pipe: enough of the protocol to load a page, ask it, press keys and click.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const FLAGS = ["--headless", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-extensions", "--hide-scrollbars"];

export class Browser {
  constructor(program) {
    this.folder = mkdtempSync(join(tmpdir(), "retrylint-browser-"));
    // A container's root cannot have a sandbox of its own.
    const root = process.getuid && process.getuid() === 0 ? ["--no-sandbox"] : [];
    const flags = [...FLAGS, ...root, `--user-data-dir=${this.folder}`];
    this.process = spawn(program, flags, { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
    this.next = 1;
    this.waiting = new Map();
    this.watchers = [];
    let rest = "";
    this.process.stdio[4].setEncoding("utf8");
    this.process.stdio[4].on("data", (text) => {
      const messages = (rest + text).split("\0");
      rest = messages.pop();
      messages.forEach((message) => this.heard(JSON.parse(message)));
    });
  }

  heard(message) {
    const waiting = this.waiting.get(message.id);
    if (waiting) {
      this.waiting.delete(message.id);
      message.error ? waiting.reject(new Error(message.error.message)) : waiting.resolve(message.result);
    } else {
      this.watchers.forEach((watch) => watch(message));
    }
  }

  send(method, params = {}, sessionId = undefined) {
    const id = this.next++;
    this.process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`);
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  async page() {
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank" });
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true });
    const page = new Page(this, sessionId);
    for (const domain of ["Page", "Runtime", "Network", "Log"]) {
      await page.send(`${domain}.enable`);
    }
    return page;
  }

  async close() {
    await this.send("Browser.close").catch(() => undefined);
    await new Promise((resolve) => (this.process.exitCode === null ? this.process.once("exit", resolve) : resolve()));
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export class Page {
  constructor(browser, session) {
    this.browser = browser;
    this.session = session;
    this.requests = [];
    this.complaints = [];
    browser.watchers.push((message) => message.sessionId === session && this.heard(message));
  }

  heard({ method, params }) {
    if (method === "Network.requestWillBeSent") {
      this.requests.push(params.request.url);
    } else if (method === "Runtime.exceptionThrown") {
      this.complaints.push(params.exceptionDetails.exception?.description ?? params.exceptionDetails.text);
    } else if (method === "Log.entryAdded" || method === "Runtime.consoleAPICalled") {
      this.complaints.push(params.entry?.text ?? JSON.stringify(params.args));
    } else if (method === "Page.loadEventFired" && this.loaded) {
      this.loaded();
    } else if (method === "Page.javascriptDialogOpening") {
      this.complaints.push(`a dialog: ${params.message}`);
      this.send("Page.handleJavaScriptDialog", { accept: true });
    }
  }

  send(method, params) {
    return this.browser.send(method, params, this.session);
  }

  async open(url) {
    const loaded = new Promise((resolve) => { this.loaded = resolve; });
    await this.send("Page.navigate", { url });
    await loaded;
  }

  // The value of an expression in the page.
  async ask(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", { expression, returnByValue: true });
    if (exceptionDetails) {
      throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    }
    return result.value;
  }

  // A real click in the middle of an element.
  async click(selector) {
    const spot = await this.ask(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)});
      element.scrollIntoView({ block: "center", inline: "center" });
      const box = element.getBoundingClientRect();
      return [box.x + box.width / 2, box.y + box.height / 2];
    })()`);
    const mouse = { x: spot[0], y: spot[1], button: "left", clickCount: 1 };
    await this.send("Input.dispatchMouseEvent", { type: "mousePressed", ...mouse });
    await this.send("Input.dispatchMouseEvent", { type: "mouseReleased", ...mouse });
  }

  async key(key, code, text = undefined) {
    const virtual = { Tab: 9, Enter: 13, " ": 32, ArrowDown: 40, ArrowUp: 38 }[key];
    const event = { key, code, windowsVirtualKeyCode: virtual, text };
    await this.send("Input.dispatchKeyEvent", { type: text ? "keyDown" : "rawKeyDown", ...event });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", key, code, windowsVirtualKeyCode: virtual });
  }

  async type(text) {
    await this.send("Input.insertText", { text });
  }

  // Width, height, and light or dark.
  async look(width, height, scheme) {
    await this.send("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false });
    await this.send("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] });
  }

  async shot() {
    const { data } = await this.send("Page.captureScreenshot", { format: "png", captureBeyondViewport: false });
    return Buffer.from(data, "base64");
  }
}
