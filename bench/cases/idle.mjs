// Peak memory of a node process that does nothing.
console.log(JSON.stringify({ peakBytes: process.resourceUsage().maxRSS * 1024 }));
