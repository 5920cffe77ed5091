// A list: rows are drawn as they come into view, headings sort, a click opens a row.
// data: bytes; 32 letters that name the content, then JSON: {label, height, opens, marks, columns: [{label, help, width,
// is_number, cells: [...], and where they are needed texts, titles, colors, signs, wider, short}, ...]}, see
// row_list.py. Which row is open comes from a component of its own (row_mark.js), so that a step to the next row leaves
// the list as it is.

const DECIMALS = 3; // of a number that brings no text
const ROW = 35, AROUND = 8; // pixels of a row; rows drawn above and below those in view
const SECOND_LINE = 22; // pixels more, of rows that have their longest text below their other cells
const LONG = 300, ENOUGH = 220; // pixels of a column of long texts, and those that it needs next to other columns
const LETTER = 7.6, PADDING = 16; // pixels of a letter, and around the text of a cell
const WIDEST = 0.42; // share of the list that no column exceeds where the list scrolls: the next one can be seen
const LEAST = 0.2; // share of the list to which its longest texts give way, so that it does not scroll
const SHORTEST = 8; // letters of an id that is cut
const FADE = 48; // pixels at the right under which a list that scrolls grows pale (small_screen.py)

const sorts = window.ragdashSorts ||= {}; // by the name of a list: other content is sorted by the same heading

function written(column, row) {
  const cell = column.cells[row];
  if (column.texts) return column.texts[row];
  if (cell === null || cell === undefined) return "–";
  return column.is_number ? cell.toFixed(DECIMALS).replace("-", "−") : String(cell);
}

const canvas = document.createElement("canvas").getContext("2d");

// The largest number from low to high for which this holds; low where it holds for none.
function largest(low, high, holds) {
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (holds(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

// An id as its cell has room for it, cut in the middle: ids that begin alike differ at their ends.
function fitted(text, width, font) {
  canvas.font = font;
  const fits = (part) => canvas.measureText(part).width <= width - PADDING;
  if (fits(text)) return text;
  const cut = (letters) => `${text.slice(0, letters - Math.ceil(0.65 * letters))}…${text.slice(-Math.ceil(0.65 * letters))}`;
  return text.length <= SHORTEST ? text : cut(largest(SHORTEST - 1, text.length - 1, (letters) => fits(cut(letters))));
}

// The words of a text that a cell has room for, with an ellipsis; a text whose first word has none is cut by the cell.
function wordsThatFit(text, width, font) {
  canvas.font = font;
  const fits = (part) => canvas.measureText(part).width <= width - PADDING;
  if (fits(text)) return text;
  const ends = [...text.matchAll(/\s+/g)].map((blank) => blank.index);
  const low = largest(0, ends.length, (words) => fits(`${text.slice(0, ends[words - 1])} …`));
  return low ? `${text.slice(0, ends[low - 1])} …` : text;
}

// The column with the widest of its texts that the room left by all columns has place for.
function withRoom(column, left) {
  const [width, cells] = (column.wider || []).find(([wide]) => wide - column.width <= left) || [column.width, column.cells];
  return { ...column, width, cells };
}

function sorted(columns, { at, down }) {
  const order = columns[0].cells.map((_, row) => row);
  if (at === null) return order;
  const { cells, is_number } = columns[at], sign = down ? -1 : 1;
  const compare = is_number ? (a, b) => a - b : new Intl.Collator(undefined, { numeric: true }).compare;
  return order.sort((a, b) => {
    const left = cells[a], right = cells[b];
    if (left === null || right === null) return (left === null) - (right === null); // undefined last, either way
    return sign * compare(left, right);
  });
}

// A list that scrolls: its longest texts give way, so that no column of numbers ends where it grows pale; no number does.
function beforeFade(columns, room) {
  let end = 0;
  const ends = columns.map((column) => ((end += column.width), column.is_number ? end : 0));
  const over = Math.max(0, ...ends.map((right) => (right < room + FADE ? right - (room - FADE) : 0)));
  const texts = columns.filter((column) => !column.signs && !column.is_number);
  const longest = texts.reduce((one, other) => (other.width > one.width ? other : one), { width: 0 });
  if (end <= room || !over || longest.width - over < LEAST * room) return columns;
  return columns.map((column) => (column === longest ? { ...column, width: column.width - over } : column));
}

// Room that all columns leave goes to the longest texts, as far as they need it.
function filled(columns, room) {
  const spare = room - columns.reduce((sum, column) => sum + column.width, 0);
  const texts = columns.filter((column) => !column.signs && !column.is_number);
  const longest = texts.reduce((one, other) => (other.width > one.width ? other : one), { width: 0, cells: [] });
  const letters = longest.cells.reduce((most, text) => Math.max(most, text ? text.length : 0), 0);
  const more = Math.min(spare, LETTER * letters + PADDING - longest.width);
  return more > 0 ? columns.map((column) => (column === longest ? { ...column, width: column.width + more } : column)) : columns;
}

// The columns as a list of this width has room for them.
function arranged(columns, room) {
  const all = columns.reduce((sum, column) => sum + column.width, 0);
  const longest = Math.max(...columns.map((column) => (column.signs ? 0 : column.width)));
  const left = room - (all - longest);
  const widest = all <= room ? Infinity : left >= LEAST * room ? left : WIDEST * room;
  return filled(beforeFade(columns.map((column) => withRoom(column, room - all)).map((column) =>
    ({ ...column, width: column.signs ? column.width : Math.min(column.width, widest) })), room), room);
}

// The longest text of a list that has no room for it: it gets a line of its own below the other cells of its row.
function belowRow(columns, room) {
  const at = columns.findIndex(({ signs, is_number, width }, place) => place && !signs && !is_number && width >= LONG);
  return at > 0 && arranged(columns, room)[at].width < ENOUGH ? columns[at] : undefined;
}

class RowList {
  constructor(place, letters, content, open, key) {
    const { opens, marks } = content;
    Object.assign(this, { place, letters, content, open, key, opens, marks, opened: null });
    this.scroller = place.querySelector(".rd-rows");
    this.scroller.style.maxHeight = content.height ? `${content.height}px` : "";
    this.scroller.onscroll = () => this.draw();
    this.scroller.onkeydown = (event) => this.step(event);
    this.build();
    new ResizeObserver(() => this.fit()).observe(this.scroller);
  }

  // Where the list has become wider or narrower, other texts fit.
  fit() {
    const { scroller, place } = this, width = scroller.clientWidth; // none in a tab that is closed
    if (place.list !== this || !width || width === this.room) return;
    const top = scroller.scrollTop;
    this.build();
    this.draw();
    scroller.scrollTop = top;
    this.show(this.opened);
  }

  build() {
    const { opens, marks } = this, { columns: every, label } = this.content;
    const room = this.room = this.scroller.clientWidth || window.innerWidth;
    const below = this.below = belowRow(every, room);
    this.row = below ? ROW + SECOND_LINE : ROW;
    this.columns = arranged(every.filter((column) => column !== below), room);
    const table = this.table = document.createElement("table");
    if (marks) table.setAttribute("role", "grid");
    table.classList.toggle("rd-opens", opens);
    table.classList.toggle("rd-two-lines", Boolean(below));
    table.setAttribute("aria-label", label);
    table.setAttribute("aria-rowcount", this.columns[0].cells.length + 1);
    const width = this.columns.reduce((sum, column) => sum + column.width, 0);
    table.style.minWidth = `${width}px`;
    this.head = table.createTHead().insertRow();
    this.head.setAttribute("aria-rowindex", 1);
    this.columns.forEach((column, at) => this.addHeading(column, at));
    this.body = table.createTBody();
    this.scroller.replaceChildren(table);
    this.body.onclick = ({ target }) => {
      const line = target.closest("tr[data-row]");
      if (opens && line && !String(getSelection())) this.choose(Number(line.dataset.row));
    };
    const { label: heading, down } = sorts[this.key] || {};
    const at = this.columns.findIndex((column) => column.label === heading);
    this.sortBy(at < 0 ? null : at, at >= 0 && down);
  }

  sortBy(at, down) {
    this.sort = { at, down };
    [...this.head.cells].forEach((cell) => cell.removeAttribute("aria-sort"));
    if (at !== null) this.head.cells[at].setAttribute("aria-sort", down ? "descending" : "ascending");
    this.order = sorted(this.columns, this.sort);
    this.drawn = "";
  }

  addHeading(column, at) {
    const cell = document.createElement("th");
    cell.scope = "col";
    cell.style.width = `${column.width}px`;
    cell.title = column.help;
    cell.className = column.is_number ? "rd-number" : "";
    const button = document.createElement("button");
    button.type = "button";
    const fits = LETTER * column.label.length + PADDING <= column.width;
    button.textContent = column.short && !fits ? column.short : column.label;
    button.onclick = () => {
      const again = this.sort.at === at; // up, down, as it came
      this.sortBy(again && this.sort.down ? null : at, again && !this.sort.down);
      sorts[this.key] = { label: this.sort.at === null ? null : column.label, down: this.sort.down };
      this.show(this.opened);
    };
    cell.append(button);
    this.head.append(cell);
  }

  draw() {
    const first = Math.max(Math.floor(this.scroller.scrollTop / this.row) - AROUND, 0);
    const rows = Math.ceil((this.scroller.clientHeight || 400) / this.row) + 2 * AROUND;
    const last = Math.min(first + rows, this.order.length);
    if (this.drawn === `${first} ${last}`) return;
    this.drawn = `${first} ${last}`;
    const widths = [...this.head.cells].map((cell, at) => cell.clientWidth || this.columns[at].width);
    const font = `600 14px ${getComputedStyle(this.table).fontFamily}`; // as of the row that is open
    const lines = this.order.slice(first, last).map((row, at) => this.line(row, first + at, widths, font));
    const space = (count) => {
      const line = document.createElement("tr");
      line.style.height = `${count * this.row}px`;
      line.setAttribute("aria-hidden", "true");
      return line;
    };
    this.body.replaceChildren(space(first), ...lines, space(this.order.length - last));
  }

  line(row, at, widths, font) {
    const line = document.createElement("tr");
    line.dataset.row = row;
    line.setAttribute("aria-rowindex", at + 2);
    if (this.marks) line.setAttribute("aria-selected", row === this.opened);
    for (const [place, column] of this.columns.entries()) {
      const cell = line.insertCell(), text = written(column, row);
      if (column.signs) this.fillNamed(cell, text, column.signs[row]);
      else if (!place) cell.textContent = fitted(text, widths[place], font);
      else cell.textContent = column.is_number ? text : wordsThatFit(text, widths[place], font);
      if (column.is_number) cell.className = "rd-number";
      else cell.dir = "auto";
      if (column.titles || !column.is_number) cell.title = column.titles ? column.titles[row] : text;
      if (column.colors) cell.style.color = column.colors[row];
    }
    if (this.below) line.cells[0].append(this.secondLine(row, font));
    return line;
  }

  // The text below a row, in view while the list scrolls sideways.
  secondLine(row, font) {
    const text = written(this.below, row), part = document.createElement("div");
    part.className = "rd-below";
    part.dir = "auto";
    part.style.width = `${this.room - PADDING}px`;
    part.textContent = wordsThatFit(text, this.room, font);
    part.title = text;
    return part;
  }

  // A sign and a name; where no row is marked as open, the name is what the keyboard opens.
  fillNamed(cell, text, [sign, color]) {
    const symbol = document.createElement("span");
    symbol.className = "rd-sign";
    symbol.textContent = sign;
    symbol.style.color = color;
    symbol.setAttribute("aria-hidden", "true");
    const name = document.createElement(this.opens && !this.marks ? "button" : "span");
    if (name.tagName === "BUTTON") name.type = "button";
    name.textContent = text;
    cell.className = "rd-strong";
    cell.append(symbol, name);
  }

  // Mark a row, and scroll the list as far as is needed to see it.
  show(row) {
    this.opened = row;
    const at = this.order.indexOf(row), top = at * this.row, { scroller } = this;
    const height = (scroller.clientHeight || 290) - ROW - this.row; // without the headings
    if (at >= 0 && (top < scroller.scrollTop || top > scroller.scrollTop + height))
      scroller.scrollTop = Math.max(top < scroller.scrollTop ? top : top - height, 0);
    this.draw();
    for (const line of this.body.querySelectorAll("tr[data-row]")) {
      const is = String(Number(line.dataset.row) === row);
      if (this.marks && line.getAttribute("aria-selected") !== is) line.setAttribute("aria-selected", is);
    }
  }

  choose(row) {
    if (row === this.opened || row === undefined) return;
    if (this.marks) this.show(row);
    this.open(row);
  }

  step(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (!by || !this.marks || event.target !== this.scroller) return;
    event.preventDefault();
    this.choose(this.order[this.order.indexOf(this.opened) + by]);
  }
}

export default function ({ data, key, parentElement, setTriggerValue }) {
  const marks = window.ragdashMarks ||= {}, place = parentElement.querySelector(".rd-list");
  const name = place.closest("[class*='st-key-']")?.className.match(/st-key-(\S+)/)?.[1];
  const letters = new TextDecoder().decode(data.subarray(0, 32));
  if (place.list?.letters !== letters)
    place.list = new RowList(place, letters, JSON.parse(new TextDecoder().decode(data.subarray(32))),
      (row) => place.tell(row), name);
  const { list } = place;
  place.tell = (row) => setTriggerValue("opened", { list: letters, row });
  const show = () => {
    const mark = marks[name];
    if (mark !== undefined && mark !== list.opened) list.show(mark);
  };
  window.addEventListener("ragdash-mark", show);
  list.draw();
  show();
  return () => window.removeEventListener("ragdash-mark", show);
}
