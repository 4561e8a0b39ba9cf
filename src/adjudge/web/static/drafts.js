// Marks of units whose completeness is not chosen yet. They are no answers, so the server does not have them; they are
// kept in this browser, so that a reload or a look at another unit does not lose them.

export class Drafts {
  #kept = {};

  constructor(name) {
    this.name = name;
    try {
      this.#kept = JSON.parse(localStorage.getItem(name)) ?? {};
    } catch { /* a browser that keeps nothing: they live as long as the page */ }
  }

  get(unit) {
    return this.#kept[unit] ?? [];
  }

  set(unit, marked) {
    if (marked.length) this.#kept[unit] = marked; else delete this.#kept[unit];
    try {
      if (Object.keys(this.#kept).length) localStorage.setItem(this.name, JSON.stringify(this.#kept));
      else localStorage.removeItem(this.name);
    } catch { /* as above */ }
  }
}
