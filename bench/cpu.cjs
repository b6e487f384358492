/** Loaded before a measured program (`node -r`): writes its processor time, in milliseconds, to the file CPU_FILE. */
const { writeFileSync } = require('node:fs');

process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  writeFileSync(process.env.CPU_FILE, String((user + system) / 1000));
});
