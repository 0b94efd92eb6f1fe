// A text as a picture that a telephone's camera reads.

import { svg } from "./suits.js";

const MARGIN = 4; // modules all round, which the cameras need

/** The picture of *text*; *label* is what it is for those who do not see it. What works it out is loaded when first wanted. */
export async function qrCode(text, label) {
  const { default: codeOf } = await import("./vendor/qrcode.js");
  const code = codeOf(0, "M");
  code.addData(text);
  code.make();
  const count = code.getModuleCount();
  const places = Array.from({ length: count * count }, (_, at) => [Math.floor(at / count), at % count]);
  const dark = places.filter(([row, column]) => code.isDark(row, column)).map(([row, column]) => `M${column} ${row}h1v1h-1z`);
  const size = count + 2 * MARGIN;
  return svg("svg", { class: "qr-code", role: "img", "aria-label": label, viewBox: `${-MARGIN} ${-MARGIN} ${size} ${size}`, "shape-rendering": "crispEdges" },
    svg("rect", { x: -MARGIN, y: -MARGIN, width: size, height: size, fill: "#fff" }), svg("path", { d: dark.join("") }));
}
