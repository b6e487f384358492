/** Loaded before the program (`node --require`): writes its peak memory in KiB to the file that PEAK names. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => writeFileSync(process.env.PEAK, String(process.resourceUsage().maxRSS)));
