// Elements by hand. Names are chosen by strangers: text is set as text, and never read as HTML.

export const byId = (id) => document.getElementById(id);

/** Sets a text, if it is another one: what does not change is not drawn again. */
export function setText(element, text) {
  const value = text ?? "";
  if (element.textContent !== value) element.textContent = value;
}

/** Makes an element with attributes and children, which are elements or texts. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

/** Sets a class list, if it is another one. */
export function setClass(element, names) {
  if (element.className !== names) element.className = names;
}

/** Sets an attribute, or removes it without a value. */
export function setAttribute(element, name, value) {
  if (value === undefined || value === null) element.removeAttribute(name);
  else if (element.getAttribute(name) !== value) element.setAttribute(name, value);
}

/** Has as many children as wanted: those that are there stay, so that the focus does. */
export function resize(parent, count, create) {
  while (parent.children.length > count) parent.lastElementChild.remove();
  while (parent.children.length < count) parent.append(create());
  return parent.children;
}
