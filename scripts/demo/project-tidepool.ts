/** tidepool: a small web service that predicts tides. Its files as the first chat finds them. */
import { createWorkspace, type Workspace } from './workspace.ts';

export const TIDEPOOL = '/home/ada/work/tidepool';

const SERVER = `import { createServer } from 'node:http';
import { findStation, listStations } from './stations.ts';
import { eventsOfDay, heightAt, nextEvent } from './tides.ts';
import { dayKey, localTime } from './time.ts';

const port = Number(process.env.PORT ?? 4080);

type Answer = { status: number; body: unknown };

const notFound: Answer = { status: 404, body: { error: 'no such station' } };

function answer(url: URL, now: number): Answer {
  const [, kind, id, what] = url.pathname.split('/');
  if (kind !== 'stations') return { status: 404, body: { error: 'not found' } };
  if (!id) return { status: 200, body: listStations() };
  const station = findStation(id);
  if (!station) return notFound;
  switch (what) {
    case 'now':
      return { status: 200, body: { height: heightAt(station, now) } };
    case 'next': {
      const event = nextEvent(station, now);
      return { status: 200, body: { ...event, local: event && localTime(event.time, station.timeZone) } };
    }
    case 'day': {
      const day = url.searchParams.get('date') ?? dayKey(now);
      return { status: 200, body: eventsOfDay(station, day) };
    }
    default:
      return { status: 200, body: station };
  }
}

createServer((request, response) => {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const { status, body } = answer(url, Date.now());
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}).listen(port, () => console.log(\`tidepool on :\${port}\`));
`;

const TIDES = `import { cached } from './cache.ts';
import type { Station } from './stations.ts';
import { DAY, dayKey } from './time.ts';

export interface TideEvent {
  readonly time: number;
  readonly kind: 'high' | 'low';
  /** Metres above chart datum. */
  readonly height: number;
}

const STEP = 360_000;

/** Height of the water: mean level plus the sum of the station's constituents. */
export function heightAt(station: Station, time: number): number {
  const hours = time / 3_600_000;
  return station.constituents.reduce(
    (sum, c) => sum + c.amplitude * Math.cos((c.speed * hours - c.phase) * (Math.PI / 180)),
    station.meanLevel,
  );
}

/** All high and low waters of one UTC day, in order. */
export function eventsOfDay(station: Station, day: string): readonly TideEvent[] {
  return cached(\`\${station.id}/\${day}\`, () => scan(station, Date.parse(\`\${day}T00:00:00Z\`)));
}

/** The next high or low water after an instant. */
export function nextEvent(station: Station, now: number): TideEvent | undefined {
  const events = eventsOfDay(station, dayKey(now));
  return events.find((event) => event.time > now) ?? events.at(-1);
}

function scan(station: Station, start: number): TideEvent[] {
  const events: TideEvent[] = [];
  let before = heightAt(station, start - STEP);
  let here = heightAt(station, start);
  for (let time = start; time < start + DAY; time += STEP) {
    const after = heightAt(station, time + STEP);
    if (here > before && here >= after) events.push({ time, kind: 'high', height: here });
    if (here < before && here <= after) events.push({ time, kind: 'low', height: here });
    before = here;
    here = after;
  }
  return events;
}
`;

const TIME = `export const DAY = 86_400_000;

/** The UTC day an instant belongs to, as YYYY-MM-DD. */
export function dayKey(instant: number): string {
  return new Date(instant).toISOString().slice(0, 10);
}

export function localTime(instant: number, timeZone: string): string {
  return new Intl.DateTimeFormat('en-GB', { timeZone, hour: '2-digit', minute: '2-digit' }).format(instant);
}
`;

const CACHE = `/** Computed values by key; the oldest goes when there are too many. */
const values = new Map<string, unknown>();
const LIMIT = 500;

export function cached<T>(key: string, compute: () => T): T {
  if (values.has(key)) return values.get(key) as T;
  const value = compute();
  values.set(key, value);
  const oldest = values.keys().next().value;
  if (values.size > LIMIT && oldest !== undefined) values.delete(oldest);
  return value;
}
`;

const STATIONS = `export interface Constituent {
  readonly name: string;
  readonly amplitude: number;
  /** Degrees an hour. */
  readonly speed: number;
  readonly phase: number;
}

export interface Station {
  readonly id: string;
  readonly name: string;
  readonly timeZone: string;
  readonly meanLevel: number;
  readonly constituents: readonly Constituent[];
}

const stations: readonly Station[] = [
  {
    id: 'brest',
    name: 'Brest',
    timeZone: 'Europe/Paris',
    meanLevel: 4.14,
    constituents: [
      { name: 'M2', amplitude: 2.05, speed: 28.9841042, phase: 138.8 },
      { name: 'S2', amplitude: 0.75, speed: 30.0, phase: 178.9 },
      { name: 'N2', amplitude: 0.42, speed: 28.4397295, phase: 119.6 },
    ],
  },
];

export function listStations(): { id: string; name: string }[] {
  return stations.map(({ id, name }) => ({ id, name }));
}

export function findStation(id: string): Station | undefined {
  return stations.find((station) => station.id === id);
}
`;

const TEST = `import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findStation } from '../src/stations.ts';
import { eventsOfDay, nextEvent } from '../src/tides.ts';

const brest = findStation('brest');
assert(brest);

test('a day has three or four events, high and low in turn', () => {
  const events = eventsOfDay(brest, '2026-11-09');
  assert(events.length >= 3 && events.length <= 4);
  for (let i = 1; i < events.length; i += 1) assert.notEqual(events[i]?.kind, events[i - 1]?.kind);
});

test('the next event is the first one after now', () => {
  const now = Date.parse('2026-11-09T10:00:00Z');
  const next = nextEvent(brest, now);
  assert(next && next.time > now);
});
`;

const NEXT_SCRIPT = `// node scripts/next.ts STATION [INSTANT]
import { findStation } from '../src/stations.ts';
import { nextEvent } from '../src/tides.ts';
import { localTime } from '../src/time.ts';

const [id = 'brest', at] = process.argv.slice(2);
const station = findStation(id);
if (!station) throw new Error(\`no station \${id}\`);
const now = at ? Date.parse(at) : Date.now();
const next = nextEvent(station, now);
console.log('now ', new Date(now).toISOString(), localTime(now, station.timeZone));
console.log('next', next && new Date(next.time).toISOString(), next?.kind, next?.height.toFixed(2));
`;

const PACKAGE = `{
  "name": "tidepool",
  "version": "0.6.2",
  "private": true,
  "type": "module",
  "scripts": {
    "start": "node src/server.ts",
    "test": "node --test test/*.test.ts"
  }
}
`;

const CHANGELOG = `# Changelog

## 0.6.2
- Heights in metres above chart datum, not mean sea level.
`;

const README = `# tidepool

Tide predictions over HTTP.

- \`GET /stations\`: all stations
- \`GET /stations/:id/now\`: the height of the water
- \`GET /stations/:id/next\`: the next high or low water
- \`GET /stations/:id/day?date=YYYY-MM-DD\`: all events of a UTC day
`;

const ENV_EXAMPLE = `PORT=4080
LOG_LEVEL=info
# only for scripts/export.ts
DATABASE_URL=postgres://tidepool:not-a-real-password@db.example.com:5432/tidepool
`;

export function createTidepool(): Workspace {
  return createWorkspace(TIDEPOOL, {
    'package.json': PACKAGE,
    'README.md': README,
    'CHANGELOG.md': CHANGELOG,
    '.env.example': ENV_EXAMPLE,
    'src/server.ts': SERVER,
    'src/tides.ts': TIDES,
    'src/time.ts': TIME,
    'src/cache.ts': CACHE,
    'src/stations.ts': STATIONS,
    'scripts/next.ts': NEXT_SCRIPT,
    'test/tides.test.ts': TEST,
  });
}
