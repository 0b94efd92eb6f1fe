// The bare loop once more, for Node.js: a WebSocket server that fans a fixed message to the four clients of a table.
// Node's own http and a codec of our own, just enough for the load's small unfragmented frames: no package to install,
// and less work for each message than the usual package does.
import { createHash } from "node:crypto";
import { createServer } from "node:http";

const MESSAGE = Buffer.alloc(150);
const FRAME = Buffer.concat([Buffer.from([0x82, 126, 0, MESSAGE.length]), MESSAGE]);
const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const CLOSE = 8;
const tables = new Map();

/** Cut *data* into frames; return what is left. Masked, at most 125 bytes each. */
function eachFrame(data, take) {
  let at = 0;
  while (data.length - at >= 6) {
    const length = data[at + 1] & 0x7f;
    if (data.length - at < 6 + length) break;
    const payload = Buffer.from(data.subarray(at + 6, at + 6 + length));
    for (let i = 0; i < length; i++) payload[i] ^= data[at + 2 + (i & 3)];
    take(data[at] & 0x0f, payload);
    at += 6 + length;
  }
  return data.subarray(at);
}

const server = createServer();
server.on("upgrade", (request, socket) => {
  const accept = createHash("sha1").update(request.headers["sec-websocket-key"] + GUID).digest("base64");
  socket.setNoDelay(true);
  socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
  const table = tables.get(request.url) ?? tables.set(request.url, new Set()).get(request.url);
  table.add(socket);
  let rest = Buffer.alloc(0);
  socket.on("data", (data) => {
    rest = eachFrame(rest.length ? Buffer.concat([rest, data]) : data, (opcode) => {
      if (opcode === CLOSE) socket.end();
      else for (const peer of table) peer.write(FRAME);
    });
  });
  socket.on("close", () => table.delete(socket));
  socket.on("error", () => socket.destroy());
});
server.listen(0, "127.0.0.1", () => console.log(`http://127.0.0.1:${server.address().port}/`));
