// Prices a synthesised deployment: what it costs idle, and for each hour of a turn.
import { existsSync, readFileSync } from 'node:fs';
import { priceIdle, priceTurnHour } from '../lib/stack/idle-cost.ts';

const file = process.argv[2] ?? 'cdk.out/evenkeel.template.json';
if (!existsSync(file)) {
  console.error(
    `${file} does not exist: run \`npx cdk synth -q\` first. Of a stack of another name: npm run cost -- cdk.out/NAME.template.json`,
  );
  process.exit(1);
}
const template = JSON.parse(readFileSync(file, 'utf8'));
const lines = priceIdle(template);
const sum = lines.reduce((total, { usd }) => total + usd, 0);
const row = (usd: number, what: string, arithmetic = '') =>
  console.log(`${usd.toFixed(2).padStart(7)}  ${what.padEnd(20)} ${arithmetic}`.trimEnd());

console.log(`USD a month while idle, list prices without free tiers, from ${file}:\n`);
for (const { what, arithmetic, usd } of lines) row(usd, what, arithmetic);
row(sum, 'together');
console.log('\nUSD for an hour of a turn, without its model:\n');
for (const [cpu, memory] of [
  [1_024, 4_096],
  [2_048, 8_192],
] as const) {
  const task = { cpu, memory, disk_gib: 21, spot: false };
  row(priceTurnHour(task, 'ARM64'), `${cpu / 1_024} vCPU, ${memory / 1_024} GB`, 'arm64');
}
