// Runs a bundle as bin/skein would and writes the byte code of what was run beside it.
'use strict';
const { readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Script } = require('node:vm');

const [, , file, runs] = process.argv;

// Byte code made under other flags is refused by who loads it.
require('node:v8').setFlagsFromString = () => {};

async function make() {
  const script = new Script(readFileSync(file, 'latin1'), { filename: file });
  const module = { exports: {} };
  script.runInThisContext()(createRequire(file), module, file);
  for (const argv of JSON.parse(runs)) await module.exports.main(argv);
  if (process.exitCode === 2) throw new Error(`a run failed: ${runs}`);
  writeFileSync(file.replace(/cjs$/, `${process.versions.v8}-${process.arch}.cache`), script.createCachedData());
  process.exitCode = 0;
}

make();
