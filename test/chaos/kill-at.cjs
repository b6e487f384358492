/**
 * Loaded before the program (`node --require`): ends it with SIGKILL right before its file operation number
 * KILL_AT, or with KILL_TORN=1 in the middle of it where that is a write. KILL_COUNT names a file that gets the
 * number of operations of a run that comes to its end.
 */
const fs = require('node:fs');

const at = Number(process.env.KILL_AT);
const torn = process.env.KILL_TORN === '1';
const { writeSync, writeFileSync } = fs;
let count = 0;

function die() {
  process.kill(process.pid, 'SIGKILL');
  for (;;);
}

function step() {
  if (++count === at) die();
}

/** Replaces a function of an object by one that counts. */
function counted(object, name) {
  const original = object[name];
  object[name] = function (...args) {
    step();
    return original.apply(this, args);
  };
}

const operations = [
  'open',
  'rename',
  'unlink',
  'rm',
  'mkdir',
  'rmdir',
  'chmod',
  'copyFile',
  'truncate',
  'link',
];
const ofDescriptors = ['fsync', 'fdatasync', 'ftruncate', 'fchmod', 'close'];
for (const name of operations) counted(fs.promises, name);
for (const name of [...operations, ...ofDescriptors]) counted(fs, `${name}Sync`);

fs.writeSync = function (descriptor, data, ...rest) {
  if (torn && count + 1 === at && Buffer.isBuffer(data) && descriptor > 2) {
    const [offset = 0, length = data.length - offset, position = null] = rest;
    writeSync(descriptor, data, offset, length >> 1, position);
  }
  if (descriptor > 2) step();
  return writeSync.call(this, descriptor, data, ...rest);
};

const { open } = fs.promises;
const opened = new WeakSet();
fs.promises.open = async (...args) => {
  const handle = await open(...args);
  const prototype = Object.getPrototypeOf(handle);
  if (opened.has(prototype)) return handle;
  opened.add(prototype);
  for (const name of ['datasync', 'sync', 'truncate', 'chmod', 'close']) counted(prototype, name);
  const { write } = prototype;
  prototype.write = function (...rest) {
    if (torn && count + 1 === at && Buffer.isBuffer(rest[0])) {
      const [bytes, offset = 0, length = bytes.length, position = null] = rest;
      writeSync(this.fd, bytes, offset, length >> 1, position);
    }
    step();
    return write.apply(this, rest);
  };
  return handle;
};

if (process.env.KILL_COUNT) process.on('exit', () => writeFileSync(process.env.KILL_COUNT, String(count)));
