// The answers of one task as a page knows them: what counts, what was before (for undo), what came from elsewhere.

import { ask } from "./dom.js";

const same = (one, other) => JSON.stringify(one ?? null) === JSON.stringify(other ?? null);

export class Answers extends EventTarget {
  #given = new Map(); // question -> {answer, seq}
  #past = []; // {question, answer}: what an undo goes back to
  #shown = Date.now();
  #unsent = new Map(); // question -> how many answers of this page the server has not acknowledged
  #own = new Set(); // numbers of answers that this page gave
  #turns = 0; // grows with every answer, given or heard of
  #end = new AbortController();

  /** `watch`: look now and then whether another computer has answered. */
  constructor(queue, task, answers, { watch = true } = {}) {
    super();
    this.queue = queue;
    this.task = task;
    for (const [question, given] of Object.entries(answers)) this.#given.set(question, { ...given });
    const { signal } = this.#end;
    queue.addEventListener("saved", ({ detail: { event, seq, newer, reopened } }) => this.#arrived({ ...event, seq, newer, reopened }), { signal });
    queue.addEventListener("elsewhere", ({ detail }) => this.#arrived(detail), { signal });
    queue.addEventListener("refused", ({ detail }) => this.#refused(detail.event), { signal });
    this.ready = this.#recover();
    if (watch) {
      queue.ready.then(() => this.refresh({ quietly: true })); // the page before this one may just have sent something
      const look = () => document.visibilityState === "visible" && this.refresh();
      document.addEventListener("visibilitychange", look, { signal });
      addEventListener("focus", look, { signal });
      setInterval(look, 20_000);
    }
  }

  /** What this browser kept and the server did not have yet when the page was made. */
  async #recover() {
    for (const event of await this.queue.pending()) {
      if (event.task === this.task) this.#given.set(event.question, { answer: event.answer, seq: this.seq(event.question) });
    }
    this.#tell();
  }

  /** Listens no more. */
  close() {
    this.#end.abort();
  }

  get(question) {
    return this.#given.get(question)?.answer ?? null;
  }

  seq(question) {
    return this.#given.get(question)?.seq ?? null;
  }

  get canUndo() {
    return this.#past.length > 0;
  }

  /** From when a question counts as shown; the time that an answer took runs from here. */
  show() {
    this.#shown = Date.now();
  }

  give(question, answer, { undoing = false } = {}) {
    const before = this.get(question);
    if (same(before, answer)) return;
    if (!undoing) this.#past.push({ question, answer: before });
    const now = Date.now();
    this.#turns++;
    this.#unsent.set(question, (this.#unsent.get(question) ?? 0) + 1);
    this.queue.add({
      task: this.task, question, answer, base: this.seq(question),
      shown_at: new Date(this.#shown).toISOString(), took_ms: Math.min(now - this.#shown, 2 ** 31 - 1),
    });
    this.#shown = now;
    this.#given.set(question, { answer, seq: this.seq(question) });
    this.#tell();
  }

  /** Opens a question again that another answer has changed; the server does the same. */
  reopen(question) {
    if (this.get(question) === null) return false;
    this.#given.set(question, { answer: null, seq: this.seq(question) });
    this.#tell();
    return true;
  }

  /** Takes the last answer back; says which question it was. */
  undo() {
    const last = this.#past.pop();
    if (last) this.give(last.question, last.answer, { undoing: true });
    return last?.question ?? null;
  }

  /** An answer is on the server. Any tab sends what any tab has kept. */
  #arrived({ task, client, question, answer, base, seq, newer, reopened }) {
    if (task !== this.task) return;
    this.#turns++;
    if (reopened) this.#own.add(reopened.seq);
    if (client !== this.queue.client) {
      this.#take(question, answer, seq);
      if (reopened) this.#take(reopened.question, null, reopened.seq);
      return;
    }
    if (reopened && !this.#unsent.get(reopened.question)) {
      this.#given.set(reopened.question, { answer: null, seq: reopened.seq });
      this.#tell();
    }
    this.#unsent.set(question, this.#unsent.get(question) - 1);
    if (seq > (this.seq(question) ?? 0)) this.#given.set(question, { answer: this.get(question), seq });
    // What was newer may be this page's own answer before it: two answers in one breath.
    if (newer && !this.#own.has(newer) && newer > (base ?? 0)) this.#told(question, "later");
    this.#own.add(seq);
  }

  /** An answer that this page did not give. One of this page's that is on its way comes after it, and stays. */
  #take(question, answer, seq) {
    if (seq <= (this.seq(question) ?? 0) || this.#unsent.get(question)) return;
    const changed = !same(this.get(question), answer);
    this.#given.set(question, { answer, seq });
    if (!changed) return;
    this.#tell();
    this.#told(question, "elsewhere");
  }

  #refused({ task, client, question }) {
    if (task !== this.task) return;
    if (client === this.queue.client) this.#unsent.set(question, this.#unsent.get(question) - 1);
    this.refresh({ quietly: true });
  }

  /** Asks the server what counts now: another computer may have answered too, or taken an answer back. */
  async refresh({ quietly = false } = {}) {
    const turn = this.#turns;
    const now = await ask(`/api/tasks/${this.task}`).catch(() => null);
    const waiting = new Set((await this.queue.pending()).filter(event => event.task === this.task).map(event => event.question));
    if (!now || turn !== this.#turns) return; // what was asked for is old by now
    for (const question of new Set([...Object.keys(now), ...this.#given.keys()])) {
      if (waiting.has(question) || this.#unsent.get(question)) continue;
      const { answer, seq } = now[question] ?? { answer: null, seq: this.seq(question) };
      const changed = !same(this.get(question), answer);
      this.#given.set(question, { answer, seq });
      if (!changed) continue;
      this.#tell();
      if (!quietly) this.#told(question, "elsewhere");
    }
  }

  #tell() {
    this.dispatchEvent(new CustomEvent("change"));
  }

  #told(question, how) {
    this.dispatchEvent(new CustomEvent("told", { detail: { question, how } }));
  }
}
