#!/usr/bin/env node
// CommonJS (see package.json beside it): as an ES module it would start 6 ms later. Old versions of Node parse it, too.
const numbers = process.versions.node.split('.').map(Number);
if (numbers[0] * 1e6 + numbers[1] * 1e3 + numbers[2] >= 20018001) require('../dist/launch.cjs');
else {
  console.error(`chanlist: error: Node.js ${process.version} is too old; install Node.js 20.18.1 or newer`);
  process.exitCode = 1;
}
