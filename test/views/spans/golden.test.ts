import { describe, expect, test } from 'vitest';
import { spanTree } from '../../../src/views/spans/index.ts';
import { expectGolden } from '../../support/golden.ts';
import { recordedTraces, recordings } from '../../support/spans.ts';

describe('recordings: every turn as spans (regenerate with UPDATE=1)', () => {
  test.each(recordings())('%s %s', (version, scenario) => {
    const traces = recordedTraces(version, scenario, { thinking: true });
    const text = traces.map((trace) =>
      trace.status === 'ready' ? spanTree(trace.spans()) : `(${trace.status}) turn ${trace.turn} ${trace.traceId}\n`,
    );
    expectGolden(`spans/${version}/${scenario}.txt`, text.join('\n'));
    expect(traces.length).toBeGreaterThan(0);
  });
});
