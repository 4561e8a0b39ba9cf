// The queue of answers that the server has not acknowledged yet. It lives in IndexedDB, keyed by evaluation and
// person, so that a reload, a crash or a lost network loses nothing, and nobody else's sign-in ever sends it.

import { ask, me, newId, renew } from "./dom.js";

const MOST = 100; // answers in one request
const PATIENCE = [500, 1000, 2000, 4000, 8000, 15000]; // milliseconds between tries

/** A promise for what an IndexedDB request gives. */
const done = request => new Promise((resolve, reject) => {
  request.onsuccess = () => resolve(request.result);
  request.onerror = () => reject(request.error);
});

/** A promise for the end of a transaction: only then is something on the disk. */
const finished = transaction => new Promise((resolve, reject) => {
  transaction.oncomplete = () => resolve();
  transaction.onerror = transaction.onabort = () => reject(transaction.error);
});

/** Runs a job while no other tab runs one of that name; at once where the address is not secure and has no locks. */
const alone = (name, job) => navigator.locks ? navigator.locks.request(name, job) : job();

export class Queue extends EventTarget {
  /** States: saved, saving, offline, unsaved (the server cannot save now), signed-out, other-person, refused. */
  state = "saving"; // until it is known what an earlier page left
  waiting = 0;
  client = newId(); // this page, among the tabs that share the queue
  #tries = 0;
  #timer = null;
  #running = null; // a promise while something is being sent
  #again = false;
  #adding = new Set(); // promises of answers on their way into IndexedDB
  #memory = new Map(); // what IndexedDB does not take: in some private windows, on a full disk
  #number = 0;

  constructor() {
    super();
    this.name = `adjudge-${me.evaluation}-${me.person}`;
    this.channel = new BroadcastChannel(this.name);
    this.channel.onmessage = message => this.dispatchEvent(new CustomEvent("elsewhere", { detail: message.data }));
    this.opened = this.#open();
    this.ready = this.opened.then(() => this.flush()); // what an earlier page left is sent, or was tried
    addEventListener("online", () => this.flush());
    document.addEventListener("visibilitychange", () => document.visibilityState === "visible" && this.flush());
    addEventListener("beforeunload", event => this.#memory.size && event.preventDefault());
  }

  async #open() {
    try {
      const request = indexedDB.open(this.name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("events", { keyPath: "n", autoIncrement: true });
      this.database = await done(request);
      this.database.onclose = () => { this.database = null; }; // somebody cleared what this browser keeps
    } catch {
      this.database = null;
    }
  }

  /** Keeps an answer: first here, then on the server. */
  add(event) {
    const kept = {
      id: newId(), client: this.client, client_n: this.#number++,
      answered_at: new Date().toISOString(), ...event,
    };
    this.#showSending(this.waiting + 1);
    const adding = this.#keep(kept).then(() => this.#adding.delete(adding)).then(() => { this.flush(); });
    this.#adding.add(adding);
  }

  async #keep(event) {
    await this.opened;
    try {
      const transaction = this.database.transaction("events", "readwrite", { durability: "strict" });
      transaction.objectStore("events").add(event);
      await finished(transaction);
    } catch {
      this.#memory.set(event.id, event);
    }
  }

  /** What is kept and not acknowledged, in order. */
  async pending() {
    await this.opened;
    const kept = this.database ? await done(this.database.transaction("events").objectStore("events").getAll()) : [];
    return [...kept, ...this.#memory.values()];
  }

  async #forget(events) {
    for (const event of events) this.#memory.delete(event.id);
    if (!this.database) return;
    const transaction = this.database.transaction("events", "readwrite");
    for (const event of events) if (event.n !== undefined) transaction.objectStore("events").delete(event.n);
    await finished(transaction);
  }

  /** Sends what is kept; resolves when it is sent, or cannot be now. One tab at a time: twice would be of no use. */
  flush() {
    this.#again = true;
    return this.#running ??= this.#run();
  }

  /** As `flush`, for everything that was given so far. */
  async settle() {
    await Promise.all(this.#adding);
    await this.flush();
  }

  async #run() {
    clearTimeout(this.#timer);
    try {
      while (this.#again) {
        this.#again = false;
        await alone(this.name, () => this.#send());
      }
    } finally {
      this.#running = null;
    }
  }

  async #send() {
    let events = await this.pending();
    while (events.length) {
      this.#showSending(events.length);
      const some = events.slice(0, MOST);
      let receipt;
      try {
        receipt = await ask("/api/events", { events: some.map(({ n, ...event }) => event) });
      } catch (error) {
        if (await this.#stopped(error, events.length)) return;
        continue;
      }
      this.#tries = 0;
      const saved = new Map(receipt.saved.map(each => [each.id, each]));
      const refused = new Map(receipt.refused.map(each => [each.id, each]));
      await this.#forget(some.filter(event => saved.has(event.id) || refused.has(event.id)));
      for (const event of some) {
        const detail = { event, ...saved.get(event.id), why: refused.get(event.id)?.why };
        this.dispatchEvent(new CustomEvent(saved.has(event.id) ? "saved" : "refused", { detail }));
        if (saved.has(event.id)) this.channel.postMessage({ ...event, ...saved.get(event.id) });
      }
      events = await this.pending();
    }
    if (!this.#adding.size) this.#show("saved", 0);
  }

  /** What an error means. True: stop, what is kept stays; false: try again at once. */
  async #stopped(error, waiting) {
    if ([401, 403, 409].includes(error.status)) {
      const who = await renew();
      if (who === "renewed") return false;
      this.#show(who === "other" ? "other-person" : who === "unknown" ? "unsaved" : "signed-out", waiting);
      this.#later();
      return true;
    }
    if (error.status === 422 || error.status === 413) {
      this.#show("refused", waiting); // the page and the server do not understand each other: nothing is dropped
      return true;
    }
    this.#show(error.status ? "unsaved" : "offline", waiting);
    this.#later();
    return true;
  }

  #later() {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.flush(), PATIENCE[Math.min(this.#tries++, PATIENCE.length - 1)]);
  }

  /** While the server cannot save, that is what the page goes on to say. */
  #showSending(waiting) {
    this.#show(this.state === "unsaved" ? "unsaved" : "saving", waiting);
  }

  #show(state, waiting) {
    this.state = state;
    this.waiting = waiting;
    this.dispatchEvent(new CustomEvent("state"));
  }
}
