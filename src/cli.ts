#!/usr/bin/env node
import { main } from './cli/main.js';

// No check whether this file is the main module: through npx, `argv[1]` is a link and the check would fail silently.
process.exitCode = await main(process.argv.slice(2));
