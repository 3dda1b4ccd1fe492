/**
 * V8's compilers, held while something runs that ends within milliseconds: what gets warm meanwhile they compile on other threads, and
 * the process ends before that is used. Node's own modules that are loaded meanwhile come without their byte code.
 */
const COMPILERS = ['sparkplug', 'maglev', 'turbofan'];

/** Lets them go again. */
export function holdCompilers(): () => void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const name of COMPILERS) setFlagsFromString(`--no-${name}`);
  let isHeld = true;
  return () => {
    if (isHeld) for (const name of COMPILERS) setFlagsFromString(`--${name}`);
    isHeld = false;
  };
}
