// The organiser's page: new links, shown once, and letting people in or not.

import { all, ask, banner, base, make } from "./dom.js";

for (const button of all("[data-link]")) {
  button.addEventListener("click", async () => {
    try {
      const { token } = await ask("/api/organiser/link", { person: button.dataset.link });
      const field = make("input", "", { readonly: "", "aria-label": `Personal link of ${button.dataset.link}` });
      field.value = `${location.origin}${base}/in#${token}`;
      banner(`A new personal link for ${button.dataset.link}; the old one opens nothing any more. It is shown once: `, field);
      field.select();
    } catch (error) {
      banner(error.message);
    }
  });
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
