// The pages of a table.

import { make, setText } from "./dom.js";
import { count } from "./format.js";

export class Pager {
  /**
   * @param {HTMLElement} nav
   * @param {string} what the things, "nodes"
   * @param {(page: number) => void} onPage
   */
  constructor(nav, what, onPage) {
    this.nav = nav;
    this.what = what;
    this.page = 0;
    this.back = make("button", { type: "button" }, "Previous");
    this.next = make("button", { type: "button" }, "Next");
    this.where = make("span");
    this.back.addEventListener("click", () => onPage(this.page - 1));
    this.next.addEventListener("click", () => onPage(this.page + 1));
  }

  /** Shows where the page is; nothing while there is only one. */
  show({ page, pages, total }) {
    this.page = page;
    if (pages < 2) {
      this.nav.replaceChildren();
      return;
    }
    if (!this.nav.firstChild) this.nav.append(this.back, this.where, this.next);
    this.back.disabled = page === 0;
    this.next.disabled = page >= pages - 1;
    setText(this.where, `Page ${count(page + 1)} of ${count(pages)}, ${count(total)} ${this.what}`);
  }
}
