// Buttons that copy or download a chart or a table in the browser; no server and no network takes part.
// data: {chart: key of a chart of this page or "", name: of the files, width and height: of its pictures in pixels,
// charts: [the same for each chart of an archive, ...], texts: [[label, text], ...]}

const SCALE = 2; // pixels of a PNG for each pixel of the screen

function drawing(key) {
  return document.querySelector(`.st-key-${CSS.escape(key)} .js-plotly-plot`);
}

// Plotly's own camera button makes the file; while `take` is given, it gets the file instead of the downloads folder.
function makePicture({ chart: key, name, width, height }, format, take) {
  const chart = drawing(key);
  const camera = chart && chart.querySelector('.modebar-btn[data-attr="toImage"], .modebar-btn[data-title*="ownload"]');
  if (!camera) throw new Error("the chart is not drawn yet");
  const before = chart._context.toImageButtonOptions;
  chart._context.toImageButtonOptions = { format, filename: name, width, height, scale: SCALE };
  if (take) document.addEventListener("click", take, true);
  camera.click();
  setTimeout(() => { chart._context.toImageButtonOptions = before; }, 0);
}

function pictureBlob(data, format) {
  return new Promise((resolve, reject) => {
    const take = (event) => {
      const link = event.target.closest && event.target.closest("a[download]");
      if (!link) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      document.removeEventListener("click", take, true);
      fetch(link.href).then((answer) => answer.blob()).then(resolve, reject);
    };
    setTimeout(() => {
      document.removeEventListener("click", take, true);
      reject(new Error("the picture was not made in time"));
    }, 15000);
    makePicture(data, format, take);
  });
}

async function copyPicture(data) {
  if (!navigator.clipboard || !window.ClipboardItem) throw new Error("this browser copies pictures over HTTPS only");
  await navigator.clipboard.write([new ClipboardItem({ "image/png": pictureBlob(data, "png") })]);
}

function checksum(bytes) { // CRC-32, as ZIP has it
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

// A ZIP archive of [name, bytes], each stored as it is; all files have the date 1980-01-01.
function archiveOf(files) {
  const parts = [], directory = [];
  let offset = 0;
  const numbers = (...fields) => {
    const view = new DataView(new ArrayBuffer(fields.reduce((size, [, width]) => size + width, 0)));
    let place = 0;
    for (const [value, width] of fields) {
      if (width === 2) view.setUint16(place, value, true);
      else view.setUint32(place, value, true);
      place += width;
    }
    return new Uint8Array(view.buffer);
  };
  for (const [name, bytes] of files) {
    const title = new TextEncoder().encode(name);
    const facts = [[20, 2], [0x800, 2], [0, 2], [0, 2], [33, 2], [checksum(bytes), 4], [bytes.length, 4],
      [bytes.length, 4], [title.length, 2], [0, 2]];
    const head = numbers([0x04034b50, 4], ...facts);
    parts.push(head, title, bytes);
    directory.push(numbers([0x02014b50, 4], [20, 2], ...facts, [0, 2], [0, 2], [0, 2], [0, 4], [offset, 4]), title);
    offset += head.length + title.length + bytes.length;
  }
  const size = directory.reduce((sum, part) => sum + part.length, 0);
  const end = numbers([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [offset, 4],
    [0, 2]);
  return new Blob([...parts, ...directory, end], { type: "application/zip" });
}

async function downloadAll({ charts, name }, format) {
  const files = [];
  for (const [index, chart] of charts.entries()) {
    const picture = await pictureBlob(chart, format);
    const number = String(index + 1).padStart(2, "0");
    files.push([`${number}-${chart.name}.${format}`, new Uint8Array(await picture.arrayBuffer())]);
  }
  const link = document.createElement("a");
  link.href = URL.createObjectURL(archiveOf(files));
  link.download = `${name}-${format}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}

async function copyText(text) {
  if (navigator.clipboard) return navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  document.body.append(field);
  field.select();
  const copied = document.execCommand("copy");
  field.remove();
  if (!copied) throw new Error("this browser copies over HTTPS only");
}

function addButton(bar, status, label, done, action) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = label;
  button.addEventListener("click", async () => {
    try {
      await action();
      status.textContent = done;
    } catch (error) {
      status.textContent = `Not done: ${error.message}.`;
    }
  });
  bar.append(button);
}

export default function (component) {
  const { data, parentElement } = component;
  const bar = parentElement.querySelector(".bar");
  const status = parentElement.querySelector(".status");
  bar.replaceChildren();
  status.textContent = "";
  if (data.chart) {
    addButton(bar, status, "Copy picture", "Copied.", () => copyPicture(data));
    addButton(bar, status, "PNG", "Downloaded.", () => makePicture(data, "png"));
    addButton(bar, status, "SVG", "Downloaded.", () => makePicture(data, "svg"));
  }
  if (data.charts.length) {
    addButton(bar, status, "All as PNG", "Downloaded.", () => downloadAll(data, "png"));
    addButton(bar, status, "All as SVG", "Downloaded.", () => downloadAll(data, "svg"));
  }
  for (const [label, text] of data.texts) addButton(bar, status, label, "Copied.", () => copyText(text));
}
