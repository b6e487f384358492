#!/usr/bin/env node
// CommonJS (see package.json beside it): as an ES module it would start 6 ms later. Old versions of Node parse it, too.
const { writeSync } = require('node:fs');
const { version } = require('../package.json');

/** Prints the version in half the time of the full program, which also reports why it cannot be printed. */
function printsVersion(args) {
  try {
    return args.length === 1 && /^(--version|-V)$/.test(args[0]) && writeSync(1, `${version}\n`) > 0;
  } catch (_) {
    return false;
  }
}

const numbers = process.versions.node.split('.').map(Number);
if (numbers[0] * 1e6 + numbers[1] * 1e3 + numbers[2] < 20018001) {
  console.error(`chanlist: error: Node.js ${process.version} is too old; install Node.js 20.18.1 or newer`);
  process.exitCode = 1;
} else if (!printsVersion(process.argv.slice(2))) require('../dist/chanlist.cjs').start();
