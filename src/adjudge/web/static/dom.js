// Small helpers for pages: finding and making elements, asking the server. Nothing here knows what is judged.

export const one = (selector, root = document) => root.querySelector(selector);
export const all = (selector, root = document) => [...root.querySelectorAll(selector)];

/** An element with text; never HTML, so nothing from a file can become markup. */
export function make(tag, text = "", attributes = {}) {
  const element = document.createElement(tag);
  element.textContent = text;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  return element;
}

const meta = name => one(`meta[name="${name}"]`)?.content;

export const base = meta("adjudge-base") ?? "";
export const me = JSON.parse(meta("adjudge-me") ?? "null");

const PATIENCE = 30_000; // milliseconds; a network that swallows a request counts as down

/** An id that nobody else makes. Browsers have randomUUID on secure addresses only. */
export function newId() {
  if (crypto.randomUUID) return crypto.randomUUID();
  return [...crypto.getRandomValues(new Uint8Array(16))].map(byte => byte.toString(16).padStart(2, "0")).join("");
}

/** The server's answer, or an error that carries its status. A network that is down gives status 0. */
export async function ask(path, body, headers = {}) {
  const given = { "X-Adjudge-CSRF": me?.csrf ?? "", "X-Adjudge-Person": me?.person ?? "", ...headers };
  const options = body === undefined ? { headers: given } : {
    method: "POST", body: JSON.stringify(body), headers: { ...given, "Content-Type": "application/json" },
  };
  let response;
  try {
    const signal = AbortSignal.timeout(PATIENCE);
    response = await fetch(base + path, { ...options, signal, credentials: "same-origin", cache: "no-store" });
  } catch {
    throw Object.assign(new Error("offline"), { status: 0 });
  }
  if (!response.ok) {
    const says = await response.json().then(found => found.says, () => "");
    throw Object.assign(new Error(says || `status ${response.status}`), { status: response.status });
  }
  return response.json();
}

/** Who is signed in now: same, renewed (the same person in a new session, with which the page goes on), other, nobody, unknown. */
export async function renew() {
  const now = await ask("/api/me").catch(() => null);
  if (!now) return "unknown";
  if (!now.person) return "nobody";
  if (now.person !== me.person) return "other";
  if (now.csrf === me.csrf) return "same";
  me.csrf = now.csrf;
  return "renewed";
}

let lasting = [], passing = null, ending = null;

/** Says something at the top of the page until it is said otherwise. */
export function banner(text, ...actions) {
  lasting = text ? [text, ...actions] : [];
  drawBanner();
}

/** Says something at the top of the page for a moment; what is to last comes back afterwards. */
export function hint(text) {
  clearTimeout(ending);
  ending = setTimeout(() => { passing = null; drawBanner(); }, 6000);
  passing = text;
  drawBanner();
}

function drawBanner() {
  const place = one("#banner");
  if (!place) return;
  const said = passing ? [passing] : lasting;
  place.replaceChildren(...said);
  place.hidden = !said.length;
}

/** Whether somebody types into something: then no key is an answer. */
export const isField = target => target instanceof HTMLElement
  && (target.matches("input, textarea, select") || target.isContentEditable);

/** Whether a key press is meant for something else: a field, an open dialog, a shortcut of the browser; or comes from a key that is held down. */
export function isBusy(event) {
  return event.defaultPrevented || event.repeat || event.isComposing || event.ctrlKey || event.metaKey || event.altKey
    || one("dialog[open]") !== null || isField(event.target);
}

// A button that has the focus would be pressed again and again while Enter is held down.
document.addEventListener("keydown", event => {
  if (event.repeat && (event.key === "Enter" || event.key === " ") && event.target.closest?.("a, button")) event.preventDefault();
}, { capture: true });

/** Which choice a key gives, from the keys of every choice; -1 for none. */
export const answerOf = (keys, event) =>
  event.key.length === 1 ? keys.findIndex(own => own.includes(event.key.toLowerCase())) : -1;

export function press(button, pressed) {
  button.setAttribute("aria-pressed", String(pressed));
}

let clicked = null; // the link or button that has the focus because it was clicked
document.addEventListener("focusin", () => { clicked = null; });
document.addEventListener("click", event => { if (event.detail) clicked = event.target.closest("a, button"); });

/** Whether Enter belongs to a link or button that was reached by keyboard. One that was clicked has had its say. */
export function isOnControl(event) {
  const control = event.target.closest?.("a, button");
  return Boolean(control) && control !== clicked;
}
