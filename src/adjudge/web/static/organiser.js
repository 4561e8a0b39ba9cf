// The organiser's page: new links, asked about first and shown once, and letting people in or not.

import { all, ask, banner, base, make } from "./dom.js";

for (const button of all("[data-link]")) button.addEventListener("click", () => askForLink(button));

/** Asks where it was clicked: until then the old link goes on to work. */
function askForLink(button) {
  const place = placeOf(button);
  const yes = make("button", "Make a new link", { type: "button" });
  const no = make("button", "Cancel", { type: "button" });
  place.replaceChildren(make("span", `The link that ${button.dataset.link} has now will open nothing any more; their sessions and their password end.`), yes, no);
  yes.addEventListener("click", () => renewLink(button));
  no.addEventListener("click", () => { place.replaceChildren(); button.focus(); });
  yes.focus();
}

const placeOf = button => all("[data-place]").find(each => each.dataset.place === button.dataset.link);

async function renewLink(button) {
  const place = placeOf(button), person = button.dataset.link;
  for (const each of all("button", place)) each.disabled = true;
  try {
    const { token } = await ask("/api/organiser/link", { person });
    const field = make("input", "", { readonly: "", "aria-label": `Personal link of ${person}` });
    field.value = `${location.origin}${base}/in#${token}`;
    const copy = make("button", "Copy", { type: "button" });
    copy.addEventListener("click", async () => { copy.textContent = await copied(field) ? "Copied" : "Copy it by hand"; });
    place.replaceChildren(make("span", "The new link; it is shown once, and the old one opens nothing any more."), field, copy);
    field.focus();
    field.select();
  } catch (error) {
    place.replaceChildren(make("span", error.message));
  }
}

/** Whether a field's text is on the clipboard. Browsers have the new way on secure addresses only. */
async function copied(field) {
  field.select();
  try {
    await navigator.clipboard.writeText(field.value);
    return true;
  } catch {
    return document.execCommand("copy");
  }
}

for (const button of all("[data-suspend]")) {
  button.addEventListener("click", async () => {
    try {
      await ask("/api/organiser/suspend", { person: button.dataset.suspend, suspended: button.dataset.now === "active" });
      location.reload();
    } catch (error) {
      banner(error.message);
    }
  });
}
