#!/usr/bin/env node
// CommonJS (see package.json beside it): as an ES module it would start 6 ms later.
require('../dist/launch.cjs');
