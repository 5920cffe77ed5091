// Buttons that copy or download a chart or a table in the browser; no server and no network takes part.
// data: {chart: key of a chart of this page or "", name: of the files, width and height: of its pictures in pixels,
// texts: [[label, text], ...]}

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

function pictureBlob(data) {
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
    makePicture(data, "png", take);
  });
}

async function copyPicture(data) {
  if (!navigator.clipboard || !window.ClipboardItem) throw new Error("this browser copies pictures over HTTPS only");
  await navigator.clipboard.write([new ClipboardItem({ "image/png": pictureBlob(data) })]);
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
  for (const [label, text] of data.texts) addButton(bar, status, label, "Copied.", () => copyText(text));
}
