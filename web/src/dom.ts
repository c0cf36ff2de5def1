// Elements of the page and of pictures.

type Attributes = Record<string, string | number | boolean | undefined>;
type Child = Node | string | null;

function fill<E extends Element>(element: E, attributes: Attributes, children: Child[]): E {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter(child => child !== null));
  return element;
}

export function h<K extends keyof HTMLElementTagNameMap>(
  name: K, attributes: Attributes = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  return fill(document.createElement(name), attributes, children);
}

export function s(name: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

export function button(text: string, label: string, act: () => void, attributes: Attributes = {}): HTMLButtonElement {
  // A name in words is read as it stands; a sign needs one.
  const name = /[a-z]/i.test(text) ? undefined : label;
  const element = h("button", { type: "button", "aria-label": name, title: label, ...attributes }, text);
  element.addEventListener("click", act);
  return element;
}

/** Offers a text as a file. */
export function save(name: string, type: string, text: string): void {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
