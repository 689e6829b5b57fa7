// How is a text copied that somebody wants elsewhere: an id, a command, an edit?

/** A button that copies this text as it is, with all that cannot be seen in it. */
function copyButton(text, what) {
  const button = h("button", { type: "button", class: "chip copy", "aria-label": `copy ${what}`, title: `copy ${what}`, on: { click: async () => {
    button.textContent = (await copied(text)) ? "copied" : "not copied";
    setTimeout(() => fill(button, "copy"), 1500);
  } } }, "copy");
  return button;
}

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Where the page may not write to the clipboard, a selection may still be copied. A dialog takes the focus of all outside of it.
    const field = h("textarea", { class: "hidden", "aria-hidden": "true" });
    field.value = text;
    (document.querySelector("dialog[open]") ?? document.body).append(field);
    field.select();
    const done = document.execCommand("copy");
    field.remove();
    return done;
  }
}
