/**
 * Loaded before the program (`node --require`): ends it with SIGKILL right before its file operation number
 * KILL_AT, or with KILL_TORN=1 in the middle of it where that is a write. KILL_COUNT names a file that gets the
 * number of operations of a run that comes to its end.
 */
const fs = require('node:fs');

const at = Number(process.env.KILL_AT);
const torn = process.env.KILL_TORN === '1';
let count = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function step() {
  if (++count === at) die();
}

for (const name of ['open', 'rename', 'unlink', 'mkdir', 'rmdir', 'chmod']) {
  const original = fs.promises[name];
  fs.promises[name] = (...args) => {
    step();
    return original(...args);
  };
}

const { open } = fs.promises;
const opened = new WeakSet();
fs.promises.open = async (...args) => {
  const handle = await open(...args);
  const prototype = Object.getPrototypeOf(handle);
  if (opened.has(prototype)) return handle;
  opened.add(prototype);
  for (const name of ['datasync', 'sync', 'truncate', 'chmod', 'close']) {
    const original = prototype[name];
    prototype[name] = function (...rest) {
      step();
      return original.apply(this, rest);
    };
  }
  const { write } = prototype;
  prototype.write = function (...rest) {
    if (torn && count + 1 === at && Buffer.isBuffer(rest[0])) {
      const [bytes, offset = 0, length = bytes.length, position = null] = rest;
      fs.writeSync(this.fd, bytes, offset, length >> 1, position);
    }
    step();
    return write.apply(this, rest);
  };
  return handle;
};

if (process.env.KILL_COUNT) process.on('exit', () => fs.writeFileSync(process.env.KILL_COUNT, String(count)));
