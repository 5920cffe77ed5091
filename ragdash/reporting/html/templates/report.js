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
  again();
  scrolling();
  root.dataset.ready = "yes";
})();
