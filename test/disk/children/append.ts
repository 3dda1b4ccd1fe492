/** Appends lines to a file from a process of its own: `file name count batch`. Prints the error's code when it cannot. */
import { appendLines } from '../../../src/disk/append.ts';
import { DiskError } from '../../../src/disk/errors.ts';

const [file = '', name = '', count = '0', batch = '1', fill = '0'] = process.argv.slice(2);

try {
  for (let number = 0; number < Number(count); number += Number(batch)) {
    const lines = Array.from({ length: Number(batch) }, (_, index) =>
      JSON.stringify({
        type: 'user',
        uuid: `${name}-${number + index}`,
        fill: 'x'.repeat((number * 37) % (Number(fill) + 1)),
      }),
    );
    appendLines(file, lines);
  }
} catch (error) {
  if (!(error instanceof DiskError)) throw error;
  console.log(JSON.stringify({ code: error.code, what: error.what, next: error.next }));
}
