/** Loaded before a measured program (`node -r`): writes its peak of resident memory, in bytes, to the file PEAK_FILE. */
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  writeFileSync(process.env.PEAK_FILE, String(peak()));
});

function peak() {
  try {
    // The kernel's figure in resourceUsage is also that of the process which started this one.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
