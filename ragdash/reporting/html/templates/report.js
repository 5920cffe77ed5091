(function () {
  "use strict";
  var root = document.documentElement, button = document.getElementById("appearance");
  var dark = window.matchMedia("(prefers-color-scheme: dark)"), PRINTED = 660;
  var touched = window.matchMedia("(hover: none), (max-width: 40rem)");  // a toolbar would cover the picture there
  var figures = Array.prototype.map.call(document.querySelectorAll("[data-figure]"), function (place) {
    return {place: place, drawn: JSON.parse(document.getElementById("figure-" + place.dataset.figure).textContent)};
  });

  function theme() {
    return root.dataset.theme || (dark.matches ? "dark" : "light");
  }

  function draw(name, width) {
    figures.forEach(function (figure) {
      var one = figure.drawn[name], layout = Object.assign({}, one.layout, {autosize: !width});
      if (width) { layout.width = width; }
      if (!figure.begun) { figure.place.textContent = ""; figure.begun = true; }
      window.Plotly.react(figure.place, one.data, layout, {
        displaylogo: false, showSendToCloud: false, plotlyServerURL: "",  // plotly.js would offer to upload the picture
        displayModeBar: touched.matches ? false : "hover", responsive: !width, modeBarButtonsToRemove: ["select2d", "lasso2d", "autoScale2d"],
        toImageButtonOptions: {format: "svg", filename: "ragdash-" + figure.place.dataset.figure}
      });
    });
  }

  function label() {
    button.textContent = theme() === "dark" ? "Light" : "Dark";
    button.setAttribute("aria-label", "Change to the " + button.textContent.toLowerCase() + " appearance");
  }

  function again() {
    label();
    if (window.Plotly) { draw(theme()); }
  }

  function scrolling() {
    document.querySelectorAll(".wide").forEach(function (place) {
      place.classList.toggle("scrolls", place.scrollWidth > place.clientWidth + 1);
    });
  }

  button.hidden = false;
  button.addEventListener("click", function () {
    root.dataset.theme = theme() === "dark" ? "light" : "dark";
    again();
  });
  dark.addEventListener("change", again);
  window.addEventListener("beforeprint", function () { if (window.Plotly) { draw("light", PRINTED); } });
  window.addEventListener("afterprint", function () { if (window.Plotly) { draw(theme()); } });
  window.addEventListener("resize", scrolling);
  touched.addEventListener("change", again);
  // DEFLATE (RFC 1951) at once: a program that prints this page when it is loaded waits for no promise of a browser.
  function unpacked(bytes) {
    var out = new Uint8Array(bytes.length * 4), size = 0, place = 0, held = 0, bits = 0, last, kind;
    var ORDER = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15];  // of the lengths of lengths

    function take(count) {
      while (bits < count) { held |= bytes[place++] << bits; bits += 8; }
      var value = held & ((1 << count) - 1);
      held >>>= count;
      bits -= count;
      return value;
    }

    function put(byte) {
      if (size === out.length) { var longer = new Uint8Array(size * 2); longer.set(out); out = longer; }
      out[size++] = byte;
    }

    function tree(lengths) {  // how many codes there are of each length, and what they mean in order
      var counts = new Uint16Array(16), next = new Uint16Array(16), symbols = new Uint16Array(lengths.length), index;
      lengths.forEach(function (length) { if (length) { counts[length] += 1; } });
      for (index = 1; index < 16; index += 1) { next[index] = next[index - 1] + counts[index - 1]; }
      lengths.forEach(function (length, symbol) { if (length) { symbols[next[length]++] = symbol; } });
      return {counts: counts, symbols: symbols};
    }

    function symbol(codes) {
      var code = 0, first = 0, index = 0, length = 0, count;
      do {
        code = (code << 1) | take(1);
        count = codes.counts[++length];
        first <<= 1;
        if (code - first < count) { return codes.symbols[index + code - first]; }
        index += count;
        first += count;
      } while (length < 15);
      throw new Error("The packed script is damaged.");
    }

    function number(step, few, base) {  // a length or a distance: its symbol, and how many bits follow
      var more = step < few ? 0 : (step >> few / 4) - 1;
      return base + (step < few ? step : ((few / 2 + (step & (few / 2 - 1))) << more) + take(more));
    }

    function repeated(count, symbols) {  // the lengths of the codes of a block
      var lengths = [], times, value;
      while (lengths.length < count) {
        value = symbol(symbols);
        times = value < 16 ? 1 : value === 16 ? 3 + take(2) : value === 17 ? 3 + take(3) : 11 + take(7);
        value = value < 16 ? value : value === 16 ? lengths[lengths.length - 1] : 0;
        while (times--) { lengths.push(value); }
      }
      return lengths;
    }

    function block(literals, distances) {
      var value, length, back;
      while ((value = symbol(literals)) !== 256) {
        if (value < 256) { put(value); continue; }
        length = value === 285 ? 258 : number(value - 257, 8, 3);
        back = number(symbol(distances), 4, 1);
        while (length--) { put(out[size - back]); }
      }
    }

    do {
      last = take(1);
      kind = take(2);
      if (kind === 2) {
        var many = take(5) + 257, far = take(5) + 1, given = take(4) + 4, lengths = new Array(19).fill(0);
        ORDER.slice(0, given).forEach(function (symbol) { lengths[symbol] = take(3); });
        lengths = repeated(many + far, tree(lengths));
        block(tree(lengths.slice(0, many)), tree(lengths.slice(many)));
      } else if (kind === 1) {
        block(tree(Array.from({length: 288}, function (_, index) {
          return index < 144 ? 8 : index < 256 ? 9 : index < 280 ? 7 : 8;
        })), tree(new Array(30).fill(5)));
      } else {
        held = bits = 0;
        var count = bytes[place] | bytes[place + 1] << 8;
        for (place += 4; count--; place += 1) { put(bytes[place]); }
      }
    } while (!last);
    return new TextDecoder().decode(out.subarray(0, size));
  }

  var library = document.getElementById("library"), script = document.createElement("script");
  if (library) {  // the policy of the page allows it by the hash of its text
    script.textContent = unpacked(Uint8Array.from(window.atob(library.textContent), function (char) {
      return char.charCodeAt(0);
    }));
    document.body.appendChild(script);
  }
  again();
  scrolling();
  root.dataset.ready = "yes";
})();
