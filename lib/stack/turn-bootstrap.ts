/**
 * What the container runs: it fetches the turn program with its ticket, compares its hash with the one that the task
 * definition names, and becomes it. So that any image with Node and git will do, and nothing has to be built. It tries
 * for two minutes, because a fresh container's network may be late.
 */
export const turnBootstrap = `
const { createHash } = require('node:crypto');
const { mkdtempSync, writeFileSync } = require('node:fs');
const { tmpdir } = require('node:os');
const { join } = require('node:path');
const { pathToFileURL } = require('node:url');
const env = process.env;
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function fetchProgram() {
  const answer = await fetch(env.EVENKEEL_TURN_API + '/turns/' + env.EVENKEEL_TURN_ID + '/program', {
    headers: { authorization: 'Bearer ' + env.EVENKEEL_TICKET },
    signal: AbortSignal.timeout(30000),
  });
  if (answer.ok) return Buffer.from(await answer.arrayBuffer());
  const error = new Error('the turn API answered ' + answer.status);
  error.final = answer.status >= 400 && answer.status < 500 && answer.status !== 429;
  throw error;
}

async function main() {
  const end = Date.now() + 120000;
  let program;
  while (program === undefined) {
    try {
      program = await fetchProgram();
    } catch (error) {
      if (error.final || Date.now() > end) throw error;
      await pause(2000);
    }
  }
  const hash = createHash('sha256').update(program).digest('hex');
  if (hash !== env.EVENKEEL_TURN_PROGRAM_SHA256)
    throw new Error('the turn program is not the one that this task definition names: its hash is ' + hash);
  const file = join(mkdtempSync(join(tmpdir(), 'evenkeel-')), 'turn.mjs');
  writeFileSync(file, program, { mode: 0o500 });
  process.argv[1] = file;
  await import(pathToFileURL(file).href);
}

main().catch((error) => {
  console.error('evenkeel: the turn program could not be started: ' + error.message);
  process.exit(70);
});
`.trim();
