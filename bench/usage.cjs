/** Loaded before a measured program (`node -r`): writes its processor time (ms) and its peak of resident memory (MB). */
const { readFileSync, writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.USAGE_FILE, JSON.stringify({ cpu: (user + system) / 1000, peak: peak() / 1e6 }));
});

function peak() {
  try {
    // The kernel's figure in resourceUsage is also that of the process which started this one.
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))[1]) * 1024;
  } catch {
    return process.resourceUsage().maxRSS * 1024;
  }
}
