// How are elements made? Only ever with text: nothing here, or anywhere in this script, parses HTML.

/**
 * @typedef {Node | string | number | null | undefined | false} Child
 * @typedef {Record<string, any>} Attributes  text, booleans; `on` holds listeners, `vars` CSS variables
 */

/** @param {string} name @param {Attributes} [attributes] @param {...(Child | Child[])} children @returns {any} */
function h(name, attributes, ...children) {
  return filled(document.createElement(name), attributes, children);
}

/** The same for elements of a drawing. @returns {any} */
function svg(name, attributes, ...children) {
  return filled(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function filled(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "on") for (const [event, listener] of Object.entries(value)) element.addEventListener(event, listener);
    else if (key === "vars") for (const [name, text] of Object.entries(value)) element.style.setProperty(name, text);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  append(element, children);
  return element;
}

function append(element, children) {
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false) element.append(child);
  }
}

/** Replace what an element holds. */
function fill(element, ...children) {
  element.replaceChildren();
  append(element, children);
  return element;
}

/** A section of the page, with its heading and an anchor. */
function section(id, title, ...children) {
  const link = h("a", { class: "anchor", href: `#${id}`, "aria-label": `Link to ${title}` }, "#");
  return h("section", { id, "aria-labelledby": `${id}-title` }, h("h2", { id: `${id}-title` }, title, " ", link), ...children);
}

/** A wide part that scrolls by itself, never the page. */
function scrolling(label, ...children) {
  return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, ...children);
}
