/** An exported chat: the viewer's page over data that lies in the file. */
import { render } from 'preact';
import { StandalonePage } from './StandalonePage.tsx';

const place = document.getElementById('app');
const data = document.getElementById('skein-data')?.textContent;
if (place && data) render(<StandalonePage data={JSON.parse(data)} />, place);
