// Runs a bundle as bin/skein would and writes the byte code of what was run beside it, with what was run before.
'use strict';
const { existsSync, readFileSync, writeFileSync } = require('node:fs');
const { createRequire } = require('node:module');
const { Script } = require('node:vm');

const [, , file, runs] = process.argv;

// Byte code made under other flags is refused by who loads it.
const v8 = require('node:v8');
const setFlag = v8.setFlagsFromString;
v8.setFlagsFromString = () => {};

// V8 notes in byte code which functions it compiled further, and whoever loads it does that again at once, on other threads: for
// commands that end in a moment it takes longer than all they do.
const COMPILERS = ['sparkplug', 'maglev', 'turbofan'];

async function make() {
  const cache = file.replace(/cjs$/, `${process.versions.v8}-${process.arch}.cache`);
  const cachedData = existsSync(cache) ? readFileSync(cache) : undefined;
  const script = new Script(readFileSync(file, 'latin1'), { filename: file, cachedData });
  for (const name of COMPILERS) setFlag(`--no-${name}`);
  const module = { exports: {} };
  script.runInThisContext()(createRequire(file), module, file);
  for (const argv of JSON.parse(runs)) {
    if (!(await module.exports.main(argv))) throw new Error(`${file} lacks what it is for: ${argv.join(' ')}`);
  }
  if (process.exitCode === 2) throw new Error(`a run failed: ${runs}`);
  for (const name of COMPILERS) setFlag(`--${name}`);
  writeFileSync(cache, script.createCachedData());
  process.exitCode = 0;
}

make();
