// Prints `N passed, N failed` from vitest's JSON report and exits 1 when anything failed.
// A failed step without a failed test (types, style, a run that broke down) counts as one failure.
import { readFileSync } from 'node:fs';

const [file, failedSteps] = process.argv.slice(2);
let passed = 0;
let failed = 0;
try {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  passed = report.numPassedTests;
  failed = report.numFailedTests;
} catch {
  failed = 1;
}
if (failed === 0 && Number(failedSteps) > 0) failed = 1;
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
